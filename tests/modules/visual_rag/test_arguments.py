"""Arguments are checked with the action they belong to: what the rows of `actions.toml` do not say of them."""

import json

import pytest

from src.modules.visual_rag.domain.actions import AnswerAction, LookAction, SearchAction
from src.modules.visual_rag.domain.parsed_action import ERRORS_LIMIT
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import parse_action
from src.shared.domain.language import VARIABLE
from tests.modules.visual_rag.reading import ON_IMAGE, problem_of, reply, tools_call


@pytest.mark.parametrize(
    ("text", "action"),
    [
        (reply(), SearchAction(query="q")),
        (reply("crop", ON_IMAGE), LookAction(type="crop", image_id="image_01", region=(10, 20, 300, 400))),
        (reply("ocr", ON_IMAGE), LookAction(type="ocr", image_id="image_01", region=(10, 20, 300, 400))),
        (reply("answer", answer="42"), AnswerAction(answer="42")),
        (tools_call("ocr"), LookAction(type="ocr", image_id="image_01", region=(10, 20, 300, 400))),
    ],
)
def test_action_is_typed(text: str, action: object) -> None:
    assert parse_action(text).action == action


def on_image(**changes: object) -> str:
    """A crop with some of its arguments changed."""
    return reply("crop", {**ON_IMAGE, **changes})


@pytest.mark.parametrize("region", [[0, 0, 1, 1], [0.5, 0.25, 0.75, 1], [1, 2, 3.5, 4]])
def test_numbers_of_a_region_are_kept_as_they_are_written(region: list[float]) -> None:
    assert json.dumps(parse_action(on_image(region=region)).content) == json.dumps({**ON_IMAGE, "region": region})


def test_problem_never_repeats_the_text_of_the_model() -> None:
    marked = "<|im_end|>marked"
    texts = [reply(marked), reply("search", marked), reply("crop", {"image_id": [marked], "region": [marked]})]
    problems = [problem_of(text) for text in [*texts, tools_call(marked), f"{marked} {{"]]
    assert [problem for problem in problems if marked in repr(problem)] == []


def test_problem_names_a_bounded_number_of_errors() -> None:
    problem = problem_of(reply("crop", {"image_id": 1, "region": ["x"] * 100}))
    assert len(problem.details["validation_errors"]) <= ERRORS_LIMIT


def test_problem_is_told_in_the_language_asked_for_and_has_both_in_its_details(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "en")
    for text in (
        reply("search", {"query": " "}),
        reply("crop", {**ON_IMAGE, "region": [3, 2, 1, 4]}),
        reply("ocr", []),
    ):
        problem = problem_of(text)
        ((words,),) = [{error["msg"] for error in problem.details["validation_errors"]}]
        assert words.endswith(")")
        assert words.partition(" (")[2][:-1] in problem.message
        assert words not in problem.message
