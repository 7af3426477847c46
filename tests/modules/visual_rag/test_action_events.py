"""Every turn of a model's is one event of a parse, as for every other agent."""

import pytest
from structlog.testing import capture_logs

from src.modules.visual_rag.application.generation_manager import EpisodeRules, LLMGenerationManager
from src.modules.visual_rag.application.rollout import Rollout
from src.modules.visual_rag.infrastructure.agents.visual_rag.adapter import VisualRagActionParser
from src.shared.application.requests import ObservedLLM
from src.shared.domain.ports.events import CallEnded, OutputParsed, ParseOutcome
from src.shared.domain.ports.llm import FinishReason, LLMReply
from src.shared.infrastructure.events.fan_out import MemoryEvents
from tests.modules.visual_rag.reading import ON_IMAGE, reply
from tests.modules.visual_rag.tools import FakeSearch, tools
from tests.shared.scripted_llm import ScriptedLLM
from tests.shared.scripted_llm import reply as answered

pytestmark = pytest.mark.anyio

PARSER = VisualRagActionParser()
FREE = EpisodeRules(forces_first_search=False)
SEARCH, ANSWER = reply("search"), reply("answer", answer="42")
STRAY = "</search>"


async def told(*script: str | LLMReply, rules: EpisodeRules = FREE) -> list[OutputParsed]:
    """Play one episode; the events of its parses."""
    events = MemoryEvents()
    models = {"Q?": ScriptedLLM(list(script))}.__getitem__
    await LLMGenerationManager(models, PARSER, tools(), rules=rules, events=events).run(["Q?"])
    return events.of(OutputParsed)


async def test_turn_with_an_action_is_told_of_with_agent_model_and_length() -> None:
    (event,) = await told(ANSWER)
    assert event == OutputParsed("视觉检索", ParseOutcome.CLEAN, "scripted", stages=("strict",), raw_length=len(ANSWER))


async def test_repairs_of_a_turn_are_told_of() -> None:
    (event,) = await told(ANSWER.replace('"t"', "'t'"))
    assert (event.outcome, event.repairs) == (ParseOutcome.REPAIRED, {"single_quote": 1})


REFUSED = {
    "no JSON and no tag": ("nothing", ("extract",)),
    "a tag that closes nothing": (STRAY, ("extract",)),
    "an invented observation": ("<information>41</information>", ("extract",)),
    "an unknown action": (reply("zoom"), ("validate",)),
    "a wrong argument": (reply("search", {"query": 1}), ("validate",)),
    "a text that was cut off": (answered(SEARCH, FinishReason.LENGTH), ()),
}


@pytest.mark.parametrize(("text", "stages"), REFUSED.values(), ids=REFUSED)
async def test_turn_without_an_action_is_told_of_as_refused(text: str | LLMReply, stages: tuple[str, ...]) -> None:
    event, _ = await told(text, ANSWER)
    assert (event.outcome, event.stages) == (ParseOutcome.REFUSED, stages)


async def test_turn_that_was_cut_off_at_its_limit_is_in_the_log() -> None:
    with capture_logs() as logged:
        await told(answered(SEARCH, FinishReason.LENGTH), ANSWER)
    assert [(line["event"], line["problem"]) for line in logged] == [("visual_rag_no_action", "truncated")]


async def test_refusal_names_the_repairs_before_it() -> None:
    event, _ = await told(reply("search", {"query": 1}).replace('"t"', "'t'"), ANSWER)
    assert (event.outcome, event.repairs) == (ParseOutcome.REFUSED, {"single_quote": 1})


async def test_turn_after_one_without_an_action_is_a_further_attempt() -> None:
    events = await told("nothing", STRAY, SEARCH, SEARCH, ANSWER)
    assert [event.attempt for event in events] == [1, 2, 3, 1, 1]


async def test_forced_search_is_no_text_of_the_model_and_the_turn_in_its_place_is() -> None:
    events = await told("nothing", ANSWER, rules=EpisodeRules())
    assert [(event.outcome, event.attempt) for event in events] == [(ParseOutcome.REFUSED, 1), (ParseOutcome.CLEAN, 1)]


async def test_request_and_parse_of_a_turn_say_the_same_of_who_asked() -> None:
    events = MemoryEvents()
    model = ObservedLLM(ScriptedLLM(["nothing", SEARCH, ANSWER]), events)
    await LLMGenerationManager(lambda _: model, PARSER, tools(), rules=FREE, events=events).run(["Q?"])
    asked = [(call.caller.context_label, call.caller.attempt) for call in events.of(CallEnded)]
    parsed = [(event.context_label, event.attempt) for event in events.of(OutputParsed)]
    assert asked == parsed == [("视觉检索", 1), ("视觉检索", 2), ("视觉检索", 1)]


async def test_turns_of_a_training_loop_are_told_of_and_those_of_ended_episodes_are_not() -> None:
    events = MemoryEvents()
    rollout = Rollout(PARSER, tools(FakeSearch()), ["Q?"] * 2, forces_first_search=False, events=events)
    await rollout.step(["nothing<|im_end|>", ANSWER])
    await rollout.step([reply("crop", ON_IMAGE), ""], [True, False])
    outcomes = [(event.outcome, event.attempt, event.raw_length) for event in events.of(OutputParsed)]
    refused, clean = ParseOutcome.REFUSED, ParseOutcome.CLEAN
    assert outcomes == [
        (refused, 1, len("nothing")),
        (clean, 1, len(ANSWER)),
        (clean, 2, len(reply("crop", ON_IMAGE))),
    ]
