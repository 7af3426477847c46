"""Rows with several kinds of slips at once: the price of each is local, so that their number loses no answer."""

import json
import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.shared.reading import value_of
from tests.thorough import at_length

NOTE = 'Management called it "opportunistic" and moved on.'
SLIPS: Mapping[str, Callable[[str], str]] = {
    "inner quotes": lambda row: row.replace('\\"opportunistic\\"', '"opportunistic"'),
    "a doubled comma": lambda row: row.replace(".5,", ".5,,", 1),
    "a key in single quotes": lambda row: row.replace('"tags"', "'tags'", 1),
    "a text in single quotes": lambda row: row.replace('"z"', "'z'", 1),
    "a trailing comma": lambda row: row.replace('"b"]', '"b",]', 1),
    "a key without quotes": lambda row: row.replace('"value"', "value", 1),
    "a literal of Python": lambda row: row.replace("true", "True", 1),
    "a full-width colon": lambda row: row.replace('"ok":', '"ok"：', 1),
    "a full-width comma": lambda row: row.replace('"x": 1,', '"x": 1，', 1),
    "a missing comma": lambda row: row.replace('"x": 1,', '"x": 1', 1),
    "a comment": lambda row: row.replace(".5,", ".5, // note\n", 1),
    "a key in smart quotes": lambda row: row.replace('"title"', "“title”", 1),
    "a raw line end": lambda row: row.replace("and moved", "and\nmoved", 1),
}
COUNT = at_length(50, 150)
LEAST_READ = 0.96


def rows(count: int) -> list[dict[str, Any]]:
    """Undamaged rows."""
    return [
        {
            "title": f"Row {n}",
            "note": NOTE,
            "value": n + 0.5,
            "ok": True,
            "tags": ["a", "b"],
            "more": {"x": 1, "y": "z"},
        }
        for n in range(count)
    ]


def damaged(count: int, kinds: list[str], chosen: random.Random) -> str:
    """The rows as JSON, each kind of slip in one to three of them."""
    texts = [json.dumps(row) for row in rows(count)]
    for kind in kinds:
        for number in chosen.sample(range(count), chosen.randint(1, min(3, count))):
            texts[number] = SLIPS[kind](texts[number])
    return '{"rows": [\n' + ",\n".join(texts) + "\n]}"


def is_read(text: str, count: int) -> bool:
    """Whether the text is read, and then rightly: a raw line end is one in the value."""
    try:
        data = decode_llm_json(text).data
    except LLMJsonParseError:
        return False
    assert json.loads(json.dumps(data).replace("and\\nmoved", "and moved")) == {"rows": rows(count)}
    return True


@pytest.mark.parametrize("count", [3, 22])
def test_four_kinds_in_all_rows_are_read(count: int) -> None:
    kinds = ("inner quotes", "a doubled comma", "a key in single quotes", "a trailing comma")
    texts = [json.dumps(row) for row in rows(count)]
    for kind in kinds:
        texts = [SLIPS[kind](text) for text in texts]

    assert value_of('{"rows": [\n' + ",\n".join(texts) + "\n]}") == {"rows": rows(count)}


def test_three_to_seven_kinds_in_some_rows_are_hardly_ever_refused() -> None:
    chosen = random.Random(11)  # noqa: S311 - texts, not secrets
    read = 0
    for _ in range(COUNT):
        count, kinds = chosen.randint(3, 12), chosen.sample(list(SLIPS), chosen.randint(3, 7))
        read += is_read(damaged(count, kinds, chosen), count)

    assert read >= LEAST_READ * COUNT
