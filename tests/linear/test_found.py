"""What `tools.attack hostile` found, each as the smallest text that showed it: memory in bytes, time in steps."""

from __future__ import annotations

from typing import Any

import pytest

from src.shared.infrastructure.parsing import stages  # noqa: F401 - what is imported once is no step of a text
from tests.linear.of_one_thing import FAMILIES
from tests.linear.steps import steps
from tests.thorough import at_length
from tools.attack import growth
from tools.attack.families import Family
from tools.attack.hostile import LARGE
from tools.attack.hostile_ways import WAYS

SIZE = at_length(LARGE // 8, LARGE)
LARGER = dict.fromkeys(
    ["short runs in a string of which nothing is shown", "marks of reasoning for read_tool_calls"],
    at_length(LARGE // 2, LARGE),
)
"""Bytes of a text that takes more at first, and no more beyond."""


@pytest.mark.parametrize("row", FAMILIES["took_memory"][:: at_length(2, 1)], ids=lambda row: row["name"])
def test_a_text_takes_at_most_twenty_times_its_memory(row: dict[str, Any]) -> None:
    way, family = row["way"], Family(*row["family"])
    size = LARGER.get(row["name"], SIZE)
    growth.run(WAYS[way].read, family.text(1_000))  # what the first reading of a process keeps is no text's

    assert growth.peak(WAYS[way].read, family.text(size)) <= growth.MEMORY_PER_BYTE * size


@pytest.mark.parametrize("row", FAMILIES["took_time"], ids=lambda row: row["name"])
def test_a_text_takes_a_bounded_number_of_steps(row: dict[str, Any]) -> None:
    assert steps(WAYS[row["way"]].read, Family(*row["family"]).text(row["bytes"])) < row["most_steps"]
