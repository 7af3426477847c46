"""Arguments are checked with the action they belong to."""

import json
from typing import Any

import pytest

from src.modules.visual_rag.domain.actions import AnswerAction, CropAction, OcrAction, SearchAction
from src.modules.visual_rag.domain.parsed_action import ERRORS_LIMIT, ProblemKind
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import parse_action
from src.shared.domain.language import VARIABLE
from tests.modules.visual_rag.reading import ON_IMAGE, REGION, problem_of, read, reply, tools_call


@pytest.mark.parametrize(
    ("text", "action"),
    [
        (reply(), SearchAction(query="q")),
        (reply("crop", ON_IMAGE), CropAction(image_id="image_01", region=(10, 20, 300, 400))),
        (reply("ocr", ON_IMAGE), OcrAction(image_id="image_01", region=(10, 20, 300, 400))),
        (reply("answer", answer="42"), AnswerAction(answer="42")),
        (tools_call("ocr"), OcrAction(image_id="image_01", region=(10, 20, 300, 400))),
    ],
)
def test_action_is_typed(text: str, action: object) -> None:
    assert parse_action(text).action == action


def on_image(**changes: object) -> str:
    """A crop with some of its arguments changed."""
    return reply("crop", {**ON_IMAGE, **changes})


SEARCH, ANSWER = ("search", "q"), ("answer", "a")
READ: dict[str, tuple[str, tuple[str, Any]]] = {
    "a name in capitals": (reply("SEARCH", {"query": "q"}), SEARCH),
    "a name with blanks": (reply(" Search ", {"query": "q"}), SEARCH),
    "a query with white space": (reply("search", {"query": " a\n b "}), ("search", " a\n b ")),
    "an answer beside a search": (reply("search", answer="a"), SEARCH),
    "an argument that would pass for the action": (reply("search", {"query": "q", "type": "answer"}), SEARCH),
    "an answer that is a number": (reply("answer", answer=42), ("answer", "42")),
    "an answer beside arguments": (reply("answer", {"query": "q"}, answer="a"), ANSWER),
    "an answer beside a list": (reply("answer", [], answer="a"), ANSWER),
    "an answer beside a text": (reply("answer", "x", answer="a"), ANSWER),
    "arguments nobody asked for": (on_image(label="chart"), ("crop", {**ON_IMAGE, "label": "chart"})),
    "numbers of a region as text": (
        on_image(region=["10", 20, "30.5", 40]),
        ("crop", {**ON_IMAGE, "region": [10, 20, 30.5, 40]}),
    ),
}


@pytest.mark.parametrize(("text", "expected"), READ.values(), ids=READ)
def test_action_and_its_arguments_are_read(text: str, expected: tuple[str, Any]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize("region", [[0, 0, 1, 1], [0.5, 0.25, 0.75, 1], [1, 2, 3.5, 4]])
def test_numbers_of_a_region_are_kept_as_they_are_written(region: list[float]) -> None:
    assert json.dumps(parse_action(on_image(region=region)).content) == json.dumps({**ON_IMAGE, "region": region})


WRONG_REGIONS: list[object] = [
    *(None, "10,20,30,40", {"x1": 1, "y1": 2, "x2": 3, "y2": 4}, [], [1, 2, 3], [1, 2, 3, 4, 5], [[1, 2, 3, 4]]),
    *([30, 20, 10, 40], [10, 20, 10, 40], [10, 40, 30, 20], [10, 20, 30, 20], [-1, 2, 3, 4], [1, 2, 10**400, 4]),
    *([0, 0, float("inf"), 4], [float("nan"), 2, 3, 4], [True, 2, 3, 4], ["10%", 20, 30, 40], [None, 2, 3, 4]),
]
QUERIES: list[object] = [{}, {"query": ""}, {"query": " \n"}, {"query": None}, {"query": 1}, {"q": "q"}]
WRONG: dict[str, list[str]] = {
    "query": [reply("search", arguments) for arguments in QUERIES],
    "arguments": [reply(name, one) for name in ("search", "crop", "ocr") for one in ("q", ["q"], 1, False)],
    "region": [reply(name, {**ON_IMAGE, "region": one}) for name in ("crop", "ocr") for one in WRONG_REGIONS],
    "image_id": [on_image(image_id=one) for one in (None, "", " ", 1, ["image_01"])],
    "answer": [reply("answer", answer=one) for one in (None, "", " \n", True, ["a"], {"a": 1}, float("nan"))],
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_argument_is_refused_by_its_name(name: str) -> None:
    for text in WRONG[name]:
        problem = problem_of(text)
        assert (problem.kind, name in problem.message) == (ProblemKind.ARGUMENTS, True), text


@pytest.mark.parametrize("name", ["zoom", "", None, 1, ["search"], {"search": 1}, "search|crop"])
def test_unknown_action_is_invalid(name: object) -> None:
    assert problem_of(reply(name)).kind is ProblemKind.UNKNOWN_ACTION


# --- wrapped -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        [{"query": "q"}],
        {"response": {"query": "q"}},
        {"response": [{"query": "q"}]},
        [{"response": {"query": "q"}}],
        {"response": {"query": "q"}, "x": 1},
        {"response": {"query": "q"}, "query": "q"},
        {"query": "q", "response": {"status": "ok"}},
        {"query": "q", "response": "r"},
    ],
    ids=str,
)
def test_wrapped_arguments_are_the_arguments(arguments: object) -> None:
    assert read(reply("search", arguments)) == ("search", "q")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "arguments: 须为对象"),
        ([{"query": "q"}, {"query": "r"}], "arguments: 须为对象"),
        ([[{"query": "q"}]], "arguments: 须为对象"),
        ({"response": {"response": {"query": "q"}}}, "query: Field required"),
        ({"response": [{"query": "q"}, {"query": "r"}]}, "query: Field required"),
        ({"response": {"query": "q"}, "query": 1}, "query: 在 response 内外不一致"),
        ({"response": {"query": "q"}, "query": "r"}, "query: 在 response 内外不一致"),
        ({"query": None, "response": {"query": "q"}}, "query: 在 response 内外不一致"),
    ],
    ids=str,
)
def test_arguments_that_are_several_or_differ_are_refused_by_name(arguments: object, words: str) -> None:
    problem = problem_of(reply("search", arguments))
    assert (problem.kind, words in problem.message) == (ProblemKind.ARGUMENTS, True)


def test_arguments_beside_the_wrapper_count_and_what_nobody_asked_for_stays_in_the_content() -> None:
    text = reply("crop", {"response": {"region": REGION, "y": 2}, "image_id": "image_01", "x": 1})
    assert read(text) == ("crop", {"image_id": "image_01", "region": REGION, "x": 1, "y": 2})


# --- what a problem says -----------------------------------------------------------------------------------


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
