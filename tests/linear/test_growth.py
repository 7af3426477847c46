"""Ten times the text costs about ten times the steps, for every hostile family and every damage."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from pydantic import BaseModel, ConfigDict

from src.shared.domain import work
from src.shared.infrastructure.llm_json import decode_llm_json
from src.shared.infrastructure.parsing.inspection import inspect
from src.shared.infrastructure.parsing.plain import validate_directly
from src.shared.infrastructure.parsing.target_type import target_type
from tests.linear.of_one_thing import FAMILIES
from tests.linear.steps import steps
from tests.thorough import at_length

SIZES = at_length((1_000, 10_000), (1_000, 10_000, 100_000))
MOST_PER_TENFOLD = 12
WORK = at_length(500_000, work.WORK_FLOOR)
"""Units of work for any text: where what is charged grows faster, it does so until they are spent."""

HOSTILE, DAMAGED = FAMILIES["hostile"], FAMILIES["damaged"]


def text_of(family: tuple[str, str, str], size: int) -> str:
    """The text of a family; each `key` is another one."""
    head, body, tail = family
    bodies = (body.replace("key", f"k{number}") for number in range((size - len(head) - len(tail)) // len(body)))
    return head + "".join(bodies) + tail


class Anything(BaseModel):
    model_config = ConfigDict(extra="allow")


def long_way(text: str) -> None:
    inspect(text)


def short_way(text: str) -> None:
    validate_directly(text, target_type(Anything))


@pytest.mark.parametrize("way", [long_way, short_way])
@pytest.mark.parametrize("name", sorted(HOSTILE | DAMAGED))
def test_ten_times_the_text_takes_at_most_about_ten_times_the_steps(
    name: str, way: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "WORK_FLOOR", WORK)
    family = (HOSTILE | DAMAGED)[name]
    counts = [steps(way, text_of(family, size)) for size in SIZES]

    floor = 2_000  # what even a short text may cost
    assert [large for small, large in pairwise(counts) if large > MOST_PER_TENFOLD * max(small, floor)] == [], counts


@pytest.mark.parametrize("name", sorted(DAMAGED))
def test_damage_everywhere_is_still_read(name: str) -> None:
    data = decode_llm_json(text_of(DAMAGED[name], SIZES[0])).data

    assert data["z"] == 0
