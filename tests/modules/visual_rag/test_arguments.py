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


@pytest.mark.parametrize("name", ["Search", "SEARCH", " search "])
def test_case_of_the_name_does_not_matter(name: str) -> None:
    assert read(reply(name, {"query": "q"})) == ("search", "q")


@pytest.mark.parametrize("name", ["zoom", "", None, 1, ["search"], {"search": 1}, "search|crop"])
def test_unknown_action_is_invalid(name: object) -> None:
    assert problem_of(reply(name)).kind is ProblemKind.UNKNOWN_ACTION


@pytest.mark.parametrize("arguments", [{}, {"query": ""}, {"query": " \n"}, {"query": None}, {"query": 1}, {"q": "q"}])
def test_search_without_a_query_is_invalid(arguments: dict[str, Any]) -> None:
    problem = problem_of(reply("search", arguments))
    assert (problem.kind, "query" in problem.message) == (ProblemKind.ARGUMENTS, True)


@pytest.mark.parametrize("arguments", ["q", ["q"], 1, False])
@pytest.mark.parametrize("action", ["search", "crop", "ocr"])
def test_arguments_that_are_no_object_are_invalid(action: str, arguments: object) -> None:
    assert "arguments" in problem_of(reply(action, arguments)).message


WRONG_REGIONS = [
    None,
    "10,20,30,40",
    {"x1": 1, "y1": 2, "x2": 3, "y2": 4},
    [],
    [1, 2, 3],
    [1, 2, 3, 4, 5],
    [[1, 2, 3, 4]],
    [30, 20, 10, 40],
    [10, 20, 10, 40],
    [10, 40, 30, 20],
    [10, 20, 30, 20],
    [-1, 2, 3, 4],
    [0, 0, float("inf"), 4],
    [float("nan"), 2, 3, 4],
    [True, 2, 3, 4],
    ["10%", 20, 30, 40],
    [None, 2, 3, 4],
    [1, 2, 10**400, 4],
]


@pytest.mark.parametrize("region", WRONG_REGIONS, ids=lambda region: str(region)[:30])
@pytest.mark.parametrize("action", ["crop", "ocr"])
def test_wrong_region_is_invalid(action: str, region: object) -> None:
    problem = problem_of(reply(action, {"image_id": "image_01", "region": region}))
    assert (problem.kind, "region" in problem.message) == (ProblemKind.ARGUMENTS, True)


@pytest.mark.parametrize("image_id", [None, "", " ", 1, ["image_01"]])
def test_crop_without_an_image_is_invalid(image_id: object) -> None:
    assert "image_id" in problem_of(reply("crop", {"image_id": image_id, "region": REGION})).message


@pytest.mark.parametrize("answer", [None, "", " \n", True, ["a"], {"a": 1}, float("nan")])
def test_answer_that_says_nothing_is_invalid(answer: object) -> None:
    assert "answer" in problem_of(reply("answer", answer=answer)).message


def test_answer_that_is_a_number_is_taken_as_its_text() -> None:
    assert read(reply("answer", answer=42)) == ("answer", "42")


@pytest.mark.parametrize("region", [[0, 0, 1, 1], [0.5, 0.25, 0.75, 1], [1, 2, 3.5, 4]])
def test_numbers_of_a_region_are_kept_as_they_are_written(region: list[float]) -> None:
    content = parse_action(reply("crop", {"image_id": "i", "region": region})).content
    assert json.dumps(content) == json.dumps({"image_id": "i", "region": region})


def test_numbers_of_a_region_may_be_written_as_text() -> None:
    content = parse_action(reply("crop", {"image_id": "i", "region": ["10", 20, "30.5", 40]})).content
    assert content == {"image_id": "i", "region": [10, 20, 30.5, 40]}


def test_arguments_nobody_asked_for_stay_in_the_content() -> None:
    assert read(reply("crop", {**ON_IMAGE, "label": "chart"})) == ("crop", {**ON_IMAGE, "label": "chart"})


@pytest.mark.parametrize("arguments", [[], "x", {"query": "q"}, False])
def test_arguments_of_an_answer_are_not_looked_at(arguments: object) -> None:
    assert read(reply("answer", arguments, answer="a")) == ("answer", "a")


def test_argument_cannot_pass_for_the_action() -> None:
    assert read(reply("search", {"query": "q", "type": "answer", "answer": "a"})) == ("search", "q")


def test_answer_beside_a_search_is_not_looked_at() -> None:
    assert read(reply("search", answer="a")) == ("search", "q")


def test_query_keeps_its_white_space() -> None:
    assert read(reply("search", {"query": " a\n b "})) == ("search", " a\n b ")


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
