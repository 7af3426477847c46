"""What is undone in one go because it is regular, the nearest reading undoes as well, with the same value."""

import pytest

from src.shared.infrastructure.llm_json import decode_llm_json
from src.shared.infrastructure.parsing import scanner
from tests.recorded_readings.recording import reading_of, recorded
from tests.shared.infrastructure.parsing.regular.test_regular import REGULAR
from tests.thorough import at_length


@pytest.fixture(autouse=True)
def nothing_is_regular(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanner.ValueScanner, "_regular", lambda *_: None)


@pytest.mark.parametrize("raw", [row[0] for row in REGULAR])
def test_regular_damage_has_the_same_value_and_kinds_by_the_nearest_reading(
    raw: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    nearest = decode_llm_json(raw)
    monkeypatch.undo()
    regular = decode_llm_json(raw)
    assert (nearest.data, {one.kind for one in nearest.repairs}) == (
        regular.data,
        {one.kind for one in regular.repairs},
    )


def test_recorded_texts_have_the_same_value_by_the_nearest_reading() -> None:
    others = [
        one.text
        for one in list(recorded())[:: at_length(6, 1)]
        if _value(reading_of(one.text)) not in (None, _value(one.reading))
    ]
    assert not others


def _value(reading: dict[str, object]) -> object:
    return reading.get("value")
