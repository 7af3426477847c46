"""What `make quick` leaves out is named by places that exist."""

from tests.conftest import SLOW
from tests.paths import ROOT


def test_every_slow_place_is_one() -> None:
    assert [place for place in SLOW if not (ROOT / "tests" / place).exists()] == []


def test_slow_places_are_in_order() -> None:
    assert list(SLOW) == sorted(set(SLOW))
