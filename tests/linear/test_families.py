"""Work and memory over random families of texts, and time over a few; `tools.attack.growth` measures thousands."""

from __future__ import annotations

from itertools import islice

import pytest

from src.shared.domain.reading import scanner
from src.shared.domain.work import WORK_FLOOR, WORK_PER_CHARACTER, Work
from tests.linear.of_one_thing import FAMILIES as FAMILIES_OF
from tests.thorough import at_length
from tools.attack import growth
from tools.attack.families import Family, families

SEED = 1
COUNT = at_length(15, 100)
FAMILIES = list(islice(families(SEED), COUNT))
LARGE = at_length(growth.MEGABYTE // 8, growth.MEGABYTE)
"""Bytes of a large text."""
UNNOTICED = 200_000
"""Units of work, some 2 ms, below which a growth says nothing."""


def work_for(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Units of work that decoding took."""
    made: list[Work] = []

    def counting(length: int) -> Work:
        made.append(Work(length))
        return made[-1]

    monkeypatch.setattr(scanner, "Work", counting)
    growth.run(growth.decode, text)
    return sum(WORK_FLOOR + WORK_PER_CHARACTER * len(text) - work.left for work in made)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.body)
def test_twice_the_text_takes_about_twice_the_work(family: Family, monkeypatch: pytest.MonkeyPatch) -> None:
    small, medium, large = (
        max(work_for(family.text(size), monkeypatch), UNNOTICED) for size in (10_000, 20_000, 40_000)
    )

    assert min(medium / small, large / medium) <= growth.MOST_PER_DOUBLING


KNOWN = {name: Family(*parts) for name, parts in FAMILIES_OF["known"].items()}
"""What once took minutes, or hundreds of times the memory."""


@pytest.mark.parametrize("way", growth.WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("name", sorted(KNOWN)[at_length(1, 0) :: at_length(6, 1)])
def test_large_text_takes_at_most_twenty_times_its_memory(name: str, way: growth.Way) -> None:
    assert growth.peak(way, KNOWN[name].text(LARGE)) <= growth.MEMORY_PER_BYTE * LARGE


@pytest.mark.parametrize("way", growth.WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("name", sorted(KNOWN)[at_length(2, 0) :: at_length(3, 1)])
def test_large_text_takes_about_as_long_as_it_may(name: str, way: growth.Way) -> None:
    """With a wide margin, and of a machine as slow as it is: each of them took from ten seconds to an hour."""
    slowness = growth.slowness()
    seconds = growth.seconds(way, KNOWN[name].text(LARGE), at_length(3, 1)) * growth.MEGABYTE / LARGE
    assert seconds < 8 * growth.SECONDS_PER_MEGABYTE * max(slowness, growth.slowness())


# --- the command --------------------------------------------------------------------------------------------


def test_families_are_the_same_for_the_same_seed() -> None:
    assert list(islice(families(SEED), COUNT)) == FAMILIES


def test_text_of_a_family_has_about_the_size_asked_for() -> None:
    assert [len(Family("[", "一", "]").text(size).encode()) for size in (2, 8, 1_000)] == [2, 8, 974]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the command measures at a megabyte is as well measured at less."""
    monkeypatch.setattr(growth, "MEGABYTE", 100_000)
    monkeypatch.setattr(growth, "LARGE", 16_000)


@pytest.mark.usefixtures("small")
def test_command_tells_how_many_families_broke_a_bound(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growth, "SECONDS_PER_MEGABYTE", 1_000)  # the machine may be busy
    monkeypatch.setattr(growth, "MOST_PER_DOUBLING", 1_000)
    assert growth.main(["--count", "1", "--seed", "1"]) == 0
    first, *_, last = capsys.readouterr().out.splitlines()
    assert (first, last) == ("seed 1, 1 families", "0 findings in 1 families")


@pytest.mark.usefixtures("small")
def test_command_names_the_family_that_broke_a_bound(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growth, "MEMORY_PER_BYTE", 0)
    assert growth.main(["--count", "1", "--seed", "1"]) == 1
    assert "family 0: decode: 1 MB takes" in capsys.readouterr().out
