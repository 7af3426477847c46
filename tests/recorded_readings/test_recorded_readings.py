"""Damaged texts are read as they were when they were recorded, with the same repairs at the same places."""

from itertools import groupby
from operator import attrgetter

import pytest

from tests.recorded_readings.recording import reading_of, recorded

_BY_KIND = {
    kind: list(group) for kind, group in groupby(sorted(recorded(), key=attrgetter("kind")), key=attrgetter("kind"))
}


@pytest.mark.parametrize("kind", _BY_KIND)
def test_damaged_texts_are_read_as_recorded(kind: str) -> None:
    changed = [
        (one.text, {"recorded": one.reading, "now": now})
        for one in _BY_KIND[kind]
        if (now := reading_of(one.text)) != one.reading
    ]
    assert not changed, "read otherwise; if every change is meant, record anew: python -m tests.recorded_readings"


def test_readings_of_every_kind_are_recorded() -> None:
    assert len(_BY_KIND) > 170
