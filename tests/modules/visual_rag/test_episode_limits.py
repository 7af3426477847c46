"""The first turn, the last one, and what is searched for and shown in between."""

from collections.abc import Sequence

import pytest

from src.modules.visual_rag.application.generation_manager import EpisodeRules, LLMGenerationManager
from src.modules.visual_rag.domain.episode import EndReason
from src.modules.visual_rag.domain.exceptions import ActionError, FailureCode
from src.modules.visual_rag.domain.messages import LAST_TURN, NO_SEARCH_LEFT, forced_first_search
from src.modules.visual_rag.domain.ports import PageHit
from src.modules.visual_rag.domain.viewing import Viewing
from src.modules.visual_rag.infrastructure.agents.visual_rag.adapter import VisualRagActionParser
from tests.modules.visual_rag.playing import ANSWER, CROP, FREE, OCR, play, said
from tests.modules.visual_rag.reading import reply
from tests.modules.visual_rag.tools import (
    NO_ACTION,
    FakeCrop,
    FakeModels,
    FakeOcr,
    FakeSearch,
    tools,
)
from tests.shared.scripted_llm import ScriptedLLM
from tests.shared.scripted_llm import reply as model_reply

pytestmark = pytest.mark.anyio


async def test_first_turn_without_an_action_becomes_a_search_for_the_question() -> None:
    search = FakeSearch()
    episode, _ = await play(ANSWER, using=tools(search))
    first = episode.turns[0]
    assert search.batches == [["Q?"]]
    assert (first.is_forced, first.reply.text) == (True, forced_first_search("Q?"))
    assert first.replaced == model_reply(NO_ACTION)


@pytest.mark.parametrize("first", [reply("search", {"query": "mine"}), CROP, reply("crop", {"image_id": "image_01"})])
async def test_first_turn_that_has_an_action_is_the_models_own(first: str) -> None:
    """Also where the action cannot be done: the model is told why."""
    model = ScriptedLLM([first, ANSWER])
    (episode,) = await LLMGenerationManager(FakeModels({"Q?": model}), VisualRagActionParser(), tools()).run(["Q?"])
    assert [(turn.is_forced, turn.replaced) for turn in episode.turns] == [(False, None)] * 2
    assert model.calls[1].messages[2].text == first


async def test_search_is_not_forced_where_it_is_not_wanted() -> None:
    episode, model = await play(NO_ACTION, ANSWER, rules=FREE)
    assert [turn.is_forced for turn in episode.turns] == [False, False]
    assert said(model.calls[0])[1:] == [("user", "Question: Q?")]


async def test_answer_is_demanded_before_the_last_turn_and_not_before() -> None:
    episode, model = await play(OCR, ANSWER, rules=EpisodeRules(max_turns=3))
    assert [LAST_TURN in call.prompt for call in model.calls] == [False, True]
    assert (episode.answer, episode.ended) == ("42", EndReason.ANSWERED)


@pytest.mark.parametrize("action", [reply("search", {"query": "q"}), CROP, OCR])
async def test_nothing_but_an_answer_is_done_in_the_last_turn(action: str) -> None:
    search, crop, ocr = FakeSearch(), FakeCrop(), FakeOcr()
    episode, _ = await play(action, rules=EpisodeRules(max_turns=2), using=tools(search, crop, ocr))
    last = episode.turns[-1].observation
    assert (last.words, last.error, episode.ended) == (LAST_TURN, "VISUAL_RAG_LAST_TURN", EndReason.OUT_OF_TURNS)
    assert (len(search.batches), crop.asked, ocr.asked) == (1, [], [])


async def test_episode_of_one_turn_is_asked_for_its_answer_at_once() -> None:
    model = ScriptedLLM([NO_ACTION])
    rules = EpisodeRules(max_turns=1)
    manager = LLMGenerationManager(FakeModels({"Q?": model}), VisualRagActionParser(), tools(), rules=rules)
    (episode,) = await manager.run(["Q?"])
    assert (LAST_TURN in model.calls[0].prompt, episode.turns[0].is_forced) == (True, False)


# --- what is shown again, and how often is searched --------------------------------------------------------

FIVE = tuple(PageHit(f"image_{number:02}", f"text {number}") for number in range(1, 6))
MORE = reply("search", {"query": "more"})


async def test_page_that_was_shown_is_not_shown_again() -> None:
    search = FakeSearch(FIVE)
    episode, _ = await play(MORE, MORE, ANSWER, using=tools(search))
    shown = [[image.image_id for image in turn.observation.images] for turn in episode.turns[:3]]
    assert shown == [["image_01", "image_02", "image_03"], ["image_04", "image_05"], []]
    assert "have been shown to you already" in episode.turns[2].observation.words
    assert all(most >= 3 + known for most, known in zip(search.most, (0, 3, 5), strict=True))


async def test_page_that_was_cropped_alone_is_shown_when_it_is_found() -> None:
    episode, _ = await play(CROP, MORE, ANSWER, rules=FREE)
    assert [image.image_id for image in episode.turns[1].observation.images] == ["image_01"]


async def test_another_part_of_a_pages_text_is_told_to_a_model_of_text_alone() -> None:
    class Parts(FakeSearch):
        async def search(self, queries: Sequence[str], most: int) -> list[tuple[PageHit, ...]]:
            del most
            self.batches.append(list(queries))
            return [(PageHit("image_01", "the same"), PageHit("image_02", f"part {len(self.batches)}"))]

    text_alone = tools(Parts(), viewing=Viewing(shows_images=False))
    episode, _ = await play(MORE, ANSWER, using=text_alone)
    told = [[page.text for page in turn.observation.pages] for turn in episode.turns[:2]]
    assert told == [["the same", "part 1"], ["part 2"]]


async def test_search_that_is_one_too_many_is_not_made_and_the_model_is_told() -> None:
    search = FakeSearch(FIVE)
    rules = EpisodeRules(max_searches=2)
    episode, model = await play(MORE, MORE, CROP, ANSWER, rules=rules, using=tools(search))
    assert (len(search.batches), episode.searches, episode.answer) == (2, 2, "42")
    assert (episode.turns[2].observation.error, NO_SEARCH_LEFT) == ("VISUAL_RAG_SEARCH_LIMIT", model.calls[2].prompt)


async def test_search_that_failed_is_not_counted() -> None:
    failing = tools(FakeSearch(failure=ActionError("why not", code=FailureCode.SEARCH)))
    episode, _ = await play(MORE, MORE, ANSWER, rules=EpisodeRules(max_searches=1), using=failing)
    assert [turn.observation.error for turn in episode.turns[:3]] == ["VISUAL_RAG_SEARCH"] * 3
