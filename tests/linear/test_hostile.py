"""Hostile texts and schemas, composed at random: twice the length takes about twice the steps.

`python -m tools.attack hostile` goes on from here, in seconds and bytes.
"""

from __future__ import annotations

from itertools import islice

import pytest

from src.shared.domain import work
from tests.linear.steps import steps
from tests.thorough import at_length
from tools.attack.budget import Budget
from tools.attack.families import Family
from tools.attack.growth import MOST_PER_DOUBLING
from tools.attack.hostile import any_reading
from tools.attack.hostile_ways import WAYS

SEED = 1
COUNT = at_length(40, 1_500)
SIZES = (4_000, 8_000, 16_000)
UNNOTICED = 30_000
"""Calls, some 5 ms, below which a growth says nothing."""
LITTLE_WORK = 500_000
"""Units of work for any text: what is charged may grow until they are spent, and with these that is early."""
READINGS = [any_reading(random) for _, random in islice(Budget(count=COUNT).turns(SEED), COUNT)]


@pytest.mark.parametrize(
    ("family", "way"), READINGS, ids=[f"{way} {number}" for number, (_, way) in enumerate(READINGS)]
)
def test_twice_a_hostile_text_takes_about_twice_the_steps(
    family: Family, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "WORK_FLOOR", LITTLE_WORK)
    small, medium, large = (max(steps(WAYS[way].read, family.text(size)), UNNOTICED) for size in SIZES)

    assert min(medium / small, large / medium) <= MOST_PER_DOUBLING, family.expression(SIZES[0])
