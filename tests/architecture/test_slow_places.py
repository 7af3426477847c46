"""What `make quick` leaves out, and what is not traced, is named by places that exist."""

import pytest

from conftest import SAME_LINES, SLOW, TRACED
from tests.paths import ROOT

each_list = pytest.mark.parametrize("places", [SLOW, TRACED, SAME_LINES], ids=["slow", "traced", "same lines"])


@each_list
def test_every_place_is_one(places: tuple[str, ...]) -> None:
    assert [place for place in places if not (ROOT / place).exists()] == []


@each_list
def test_places_are_in_order(places: tuple[str, ...]) -> None:
    assert list(places) == sorted(set(places))
