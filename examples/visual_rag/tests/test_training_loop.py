"""A training loop of the usual shape, on lists of lists, with the module in it."""

import pytest

from examples.visual_rag.training_loop import PAD, Batch, decode, run_llm_loop
from src.modules.visual_rag.application.rollout import Rollout
from src.modules.visual_rag.domain.messages import LAST_TURN, forced_first_search
from src.modules.visual_rag.infrastructure.agents.visual_rag.adapter import VisualRagActionParser
from tests.modules.visual_rag.reading import ON_IMAGE, reply
from tests.modules.visual_rag.tools import FakeSearch, pixels_of, tools

pytestmark = pytest.mark.anyio

EOS = "<|endoftext|>"
SEARCH, CROP, ANSWER = reply("search", {"query": "q"}), reply("crop", ON_IMAGE), reply("answer", answer="42")
SCRIPTS = [
    [ANSWER],
    [SEARCH, CROP, ANSWER],
    ["no action", "no action either", "<think>t</think><answer>42</answer>"],
    [SEARCH, SEARCH, SEARCH, SEARCH],
]
QUESTIONS = [f"Q{number}?" for number in range(len(SCRIPTS))]
MAX_TURNS = 3


async def played(search: FakeSearch | None = None) -> Batch:
    scripts = [[f"{turn}{EOS}" for turn in script] for script in SCRIPTS]
    rollout = Rollout(VisualRagActionParser(), tools(search), QUESTIONS, eos_token=EOS)

    def generate(active: list[int], rows: list[list[int]]) -> list[str]:
        assert len({len(row) for row in rows}) == 1
        return [scripts[at].pop(0) for at in active]

    return await run_llm_loop([f"Question: {one}{EOS}" for one in QUESTIONS], rollout, generate, MAX_TURNS)


async def test_episodes_that_have_answered_drop_out() -> None:
    assert (await played()).active_counts == [4, 3, 3, 1]


async def test_valid_actions_and_searches_are_counted() -> None:
    batch = await played()
    assert batch.valid_actions == [1, 3, 1, 4]
    assert batch.searches == [0, 1, 1, 4]


async def test_searches_of_a_step_go_out_together_and_none_in_the_last() -> None:
    search = FakeSearch()
    await played(search)
    assert search.batches == [["q", "Q2?", "q"], ["q"], ["q"]]


async def test_rows_hold_turns_and_observations_and_the_mask_marks_what_the_policy_wrote() -> None:
    batch = await played()
    for row, mask in zip(batch.rows, batch.loss_mask, strict=True):
        assert (len(row), len(mask)) == (len(batch.rows[0]), len(row))
        assert not any(mask[at] for at, token in enumerate(row) if token == PAD)
    written = [
        decode([token for token, is_written in zip(row, mask, strict=True) if is_written])
        for row, mask in zip(batch.rows, batch.loss_mask, strict=True)
    ]
    assert written[0] == f"{ANSWER}{EOS}"
    assert written[1] == f"{SEARCH}{EOS}{CROP}{EOS}{ANSWER}{EOS}"
    assert written[2].startswith(f"{forced_first_search('Q2?')}{EOS}no action either{EOS}")


async def test_observations_are_turns_of_the_chat_template() -> None:
    text = decode((await played()).rows[2])
    assert text.count("<|im_start|>user") == 2
    assert "Your previous action is invalid" in text


async def test_last_step_demands_an_answer() -> None:
    assert LAST_TURN in decode((await played()).rows[3])


async def test_images_are_given_once_each_in_their_order() -> None:
    batch = await played()
    page, crop = pixels_of("image_01"), pixels_of("image_01_crop_10_20_300_400")
    assert batch.images == [[], [page, crop], [page], [page]]
