"""A live turn ends at its first action; a stored trajectory keeps the parser's own rule."""

import pytest

from src.modules.visual_rag.application.execute_predictions import execute_predictions
from src.modules.visual_rag.application.generation_manager import EpisodeRules, LLMGenerationManager
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import parse_action
from src.modules.visual_rag.infrastructure.agents.visual_rag.adapter import VisualRagActionParser
from src.shared.domain.ports.llm import FinishReason, LLMReply
from tests.modules.visual_rag.reading import reply, tools_call
from tests.modules.visual_rag.tools import FakeSearch, tools
from tests.shared.scripted_llm import ScriptedLLM

SEARCH, ANSWER = reply("search", {"query": "q"}), reply("answer", answer="41")
PARSER = VisualRagActionParser()
FREE = EpisodeRules(forces_first_search=False)
TOLD = "What you wrote behind your first action was not read."

SEVERAL = {
    "two objects": f"{SEARCH}\n{ANSWER}",
    "two objects and prose between them": f"{SEARCH}\n\nThe page says 41.\n\n```json\n{ANSWER}\n```",
    "an object that names no action first": f"{reply('search|crop')}\n{SEARCH}\n{ANSWER}",
    "two tags": "<search>q</search> It says 41. <answer>41</answer>",
    "reasoning between two tags": "<search>q</search><think>so</think><answer>41</answer>",
    "an object and a tag": f"{SEARCH}\n<answer>41</answer>",
    "an object with brackets and tags in its strings": reply("search", {"query": "q"}).replace('"t"', '"</search> } {"')
    + ANSWER,
}


@pytest.mark.parametrize("text", SEVERAL.values(), ids=SEVERAL)
def test_first_action_is_the_turn(text: str) -> None:
    parsed = PARSER.parse(text, finished=True, last_image=None)
    assert (parsed.action_type, parsed.content, parsed.dropped > 0) == ("search", "q", True)
    assert "41" not in parsed.kept


ALONE = {
    "an object": SEARCH,
    "an object in a fence": f"```json\n{SEARCH}\n```\n",
    "an object before an end mark": f"{SEARCH}<|im_end|>",
    "a wrapped object": f'{{"response": {SEARCH}}}',
    "a tag": "<search>q</search>\n",
    "a tag in another one": "<tool_call><search>q</search></tool_call>",
    "an object in a tag": f"<tool_call>{SEARCH}</tool_call>",
    "a tag that a stop sequence ended": "<search>q",
}


@pytest.mark.parametrize("text", ALONE.values(), ids=ALONE)
def test_turn_of_one_action_has_nothing_behind_it(text: str) -> None:
    parsed = PARSER.parse(text, finished=True, last_image=None)
    assert (parsed.action_type, parsed.content, parsed.dropped) == ("search", "q", 0)


@pytest.mark.parametrize("text", ["no action", f"<think>{SEARCH}", "</search>", reply("zoom"), '{"action": 1}'])
def test_turn_without_a_whole_action_is_read_as_ever(text: str) -> None:
    assert PARSER.parse(text, finished=True, last_image=None) == parse_action(text, finished=True)


def test_action_in_reasoning_is_not_the_first_and_a_call_of_a_tool_is_one_like_another() -> None:
    parsed = PARSER.parse(f"<think>Perhaps {SEARCH}</think>{ANSWER}", finished=True, last_image=None)
    assert (parsed.action_type, parsed.dropped) == ("answer", 0)
    parsed = PARSER.parse(f"{tools_call('crop')}<answer>41</answer>", finished=True, last_image=None)
    assert (parsed.action_type, parsed.dropped > 0) == ("crop", True)


# --- episodes --------------------------------------------------------------------------------------------


@pytest.mark.anyio
async def test_model_is_told_that_the_rest_was_not_read() -> None:
    model = ScriptedLLM([SEVERAL["two objects"], ANSWER])
    search = FakeSearch()
    manager = LLMGenerationManager({"Q?": model}.__getitem__, PARSER, tools(search), rules=FREE)
    (episode,) = await manager.run(["Q?"])
    assert (search.batches, episode.answer, len(episode.turns)) == ([["q"]], "41", 2)
    assert TOLD in model.calls[1].prompt


@pytest.mark.anyio
async def test_answer_with_something_behind_it_ends_the_episode_without_a_word() -> None:
    parsed = PARSER.parse(f"{ANSWER} {SEARCH}", finished=True, last_image=None)
    (observed,) = await execute_predictions([parsed], tools())
    assert (parsed.dropped > 0, observed.answer, observed.words) == (True, "41", "")


@pytest.mark.anyio
async def test_model_is_asked_to_stop_behind_a_tag() -> None:
    model = ScriptedLLM([LLMReply("<answer>41", FinishReason.STOP)])
    manager = LLMGenerationManager({"Q?": model}.__getitem__, PARSER, tools(), rules=FREE)
    (episode,) = await manager.run(["Q?"])
    assert model.calls[0].stop == ("</answer>\n", "</bbox>\n", "</search>\n", "</tools_call>\n")
    assert episode.answer == "41"


@pytest.mark.parametrize("cut", range(len(ANSWER)))
def test_object_in_which_a_stop_sequence_stands_is_never_read_shorter(cut: int) -> None:
    """A JSON string holds no line's end; should a server stop in one all the same, it is no answer."""
    parsed = PARSER.parse(ANSWER[:cut], finished=True, last_image=None)
    assert parsed.action_type is None or parsed.content == "41"


# --- wrapped ---------------------------------------------------------------------------------------------
