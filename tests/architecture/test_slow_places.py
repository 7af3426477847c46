"""What `make quick` leaves out, and what covers the core, is named by places that exist."""

import pytest

from conftest import SLOW
from tests.paths import ROOT
from tools.check import CORE

each_list = pytest.mark.parametrize("places", [SLOW, CORE], ids=["slow", "core"])


@each_list
def test_every_place_is_one(places: tuple[str, ...]) -> None:
    assert [place for place in places if not (ROOT / place).exists()] == []


@each_list
def test_places_are_in_order(places: tuple[str, ...]) -> None:
    assert list(places) == sorted(set(places))
