"""A batch of turns that a training loop has generated: what is kept, told and shown of each, and the flags."""

import pytest
from structlog.testing import capture_logs

from src.modules.visual_rag.application.rollout import Rollout
from src.modules.visual_rag.domain.messages import EOS
from src.modules.visual_rag.infrastructure.agents.visual_rag.adapter import VisualRagActionParser
from tests.modules.visual_rag.reading import ON_IMAGE, reply
from tests.modules.visual_rag.tools import FakeSearch, pixels_of, tools

pytestmark = pytest.mark.anyio

SEARCH, CROP, ANSWER = reply("search", {"query": "q"}), reply("crop", ON_IMAGE), reply("answer", answer="42")
NEITHER = "neither"

OWN = "<|end_of_this|>"
"""An end mark that no other model has."""


def rollout_of(count: int, search: FakeSearch | None = None, *, forces: bool = True, eos_token: str = EOS) -> Rollout:
    using, questions = tools(search), ["Q?"] * count
    return Rollout(VisualRagActionParser(), using, questions, eos_token=eos_token, forces_first_search=forces)


async def test_episode_that_is_not_active_costs_nothing_and_says_nothing() -> None:
    search = FakeSearch()
    step = await rollout_of(2, search).step([SEARCH, SEARCH], [False, True])
    assert (step.responses[0], step.next_obs[0], step.images[0]) == ("", "", [])
    assert (step.dones, step.valid_action, step.is_search) == ([True, False], [False, True], [False, True])
    assert search.batches == [["q"]]
    of_numbers = await rollout_of(2).step([ANSWER, ""], [1, 0])
    assert (of_numbers.dones, of_numbers.valid_action) == ([True, True], [True, False])


async def test_flags_say_what_the_model_itself_wrote() -> None:
    """A forced search is a search, and the turn it replaced had no action."""
    step = await rollout_of(4).step([SEARCH, "neither", reply("crop", {"image_id": "image_01"}), ANSWER])
    assert step.valid_action == [True, False, False, True]
    assert step.is_search == [True, True, False, False]
    assert step.dones == [False, False, False, True]


async def test_search_is_not_forced_where_it_is_not_wanted_or_later() -> None:
    assert (await rollout_of(1, forces=False).step(["neither"])).is_search == [False]
    rollout = rollout_of(1)
    await rollout.step([SEARCH])
    assert (await rollout.step(["neither"])).is_search == [False]


@pytest.mark.parametrize("end", ["", "<|im_end|>", OWN])
async def test_turn_is_kept_up_to_its_action_with_one_end_mark(end: str) -> None:
    step = await rollout_of(1, eos_token=OWN).step([f"I search.\n{SEARCH}{end}"])
    assert step.responses == [f"{SEARCH}{OWN}"]


@pytest.mark.parametrize(("end", "is_search"), [("", False), (f"{OWN}\n", True)])
async def test_tag_left_open_is_whole_only_before_the_end_mark(end: str, is_search: bool) -> None:  # noqa: FBT001 - the case
    step = await rollout_of(1, forces=False, eos_token=OWN).step([f"<search>q{end}"])
    assert step.is_search == [is_search]


async def test_observation_is_a_text_and_its_images() -> None:
    step = await rollout_of(1).step([SEARCH])
    assert step.next_obs[0].startswith("\n<|im_start|>user\nPages found: 1")
    assert step.images == [[pixels_of("image_01")]]


async def test_only_an_answer_counts_where_nothing_is_searched_for() -> None:
    search = FakeSearch()
    step = await rollout_of(3, search).step([SEARCH, "neither", ANSWER], do_search=False)
    assert (step.dones, search.batches) == ([False, False, True], [])


@pytest.mark.parametrize(
    ("responses", "mask"),
    [([NEITHER], None), ([NEITHER] * 3, None), ([NEITHER] * 2, [True]), ([NEITHER] * 3, [True] * 3)],
)
async def test_batch_of_another_length_is_refused_before_a_turn_of_it_is_read(
    responses: list[str], mask: list[bool] | None
) -> None:
    with capture_logs() as logged, pytest.raises(ValueError, match="zip"):
        await rollout_of(2).step(responses, mask)
    assert logged == []
