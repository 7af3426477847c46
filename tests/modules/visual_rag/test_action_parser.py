"""The parser's public functions: the object's own text, batches, what of a response is kept, what is logged."""

import json
from typing import Any

import pytest
from structlog.testing import capture_logs

from src.modules.visual_rag.domain.parsed_action import ProblemKind
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import (
    extract_json_response,
    parse_action,
    parse_actions,
    postprocess_predictions,
    postprocess_responses,
)
from tests.modules.visual_rag.reading import ON_IMAGE, problem_of, read, reply, tools_call

EOS = "<|im_end|>"
SPACED = '{ "answer":null,\t"action" : "search", "arguments": {"query":"a {b} \\"c\\" </x>"},\n  "think":"`x`" }'
DAMAGED = {
    "single quotes": "{'think': 't', 'action': 'search', 'arguments': {'query': 'q'}, 'answer': None}",
    "a missing bracket": reply()[:-1],
    "a trailing comma": reply()[:-1] + ",}",
    "a newline in a string": reply().replace('"t"', '"t\nt"'),
    "bare keys": '{think: "t", action: "search", arguments: {query: "q"}, answer: null}',
    "an escaped object": json.dumps(reply()),
    "reasoning between its members": reply().replace(' "action"', '\n<think>x</think>\n"action"'),
}
each_damage = pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)


# --- extract_json_response ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "  {}\n",
        "Here it is: {} - done",
        "Set {{x}} and {{y: 1}}: {}",
        "```json\n{}\n```",
        "<think>a draft: {{}}</think>\n{}",
        "a draft</think>{}",
        "<answer>41</answer>{}",
        "<tools_call>{}</tools_call>",
        '{{"note": "another object"}} {}',
        "{}" + EOS,
    ],
)
def test_object_is_found_wherever_it_stands_and_its_text_is_unchanged(around: str) -> None:
    assert extract_json_response(around.format(SPACED)) == SPACED


@pytest.mark.parametrize("field", ["think", "action", "arguments", "answer"])
def test_object_without_one_of_the_four_fields_is_none(field: str) -> None:
    data = json.loads(reply())
    del data[field]
    assert extract_json_response(json.dumps(data)) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no object",
        "{}",
        f"[{reply()}, {reply('answer', answer='41')}]",
        f'{{"reply": {reply()}, "other": {reply()}}}',
        reply()[:40],
        f"<think>{reply()}",
        "<search>q</search>",
    ],
)
def test_text_without_the_object_is_none(text: str) -> None:
    assert extract_json_response(text) is None


@each_damage
def test_damaged_object_is_none_since_its_own_text_is_no_json(text: str) -> None:
    assert extract_json_response(text) is None


@pytest.mark.parametrize("action", ["search", "fly", 1, None])
def test_object_is_extracted_whatever_its_action_is(action: object) -> None:
    assert extract_json_response(f"> {reply(action)}") == reply(action)


def test_object_with_a_key_twice_is_still_json() -> None:
    text = reply()[:-1] + ', "answer": null}'
    assert extract_json_response(text) == text


# --- parse_action ------------------------------------------------------------------------------------------


@each_damage
def test_damaged_object_is_repaired_and_its_own_text_kept(text: str) -> None:
    parsed = parse_action(f"<answer>41</answer> {text}" if text[0] == "{" else text, finished=True)
    assert (parsed.action_type, parsed.content, parsed.raw_json) == ("search", "q", text)


def test_repairs_are_named() -> None:
    assert [str(repair.kind) for repair in parse_action(DAMAGED["a trailing comma"]).repairs] == ["trailing_comma"]


def test_legacy_tag_has_no_json_of_its_own() -> None:
    assert parse_action(tools_call()).raw_json is None


def test_invalid_object_is_not_passed_over_for_a_tag() -> None:
    text = reply("fly")
    assert (problem_of(f"{text}<search>q</search>").kind, parse_action(text).raw_json) == (
        ProblemKind.UNKNOWN_ACTION,
        text,
    )


@pytest.mark.parametrize("text", [reply() + tools_call(), tools_call() + reply()], ids=["before", "behind"])
def test_valid_object_is_taken_beside_a_tag_that_holds_an_object_too(text: str) -> None:
    assert read(text) == ("search", "q")


def test_object_without_a_required_field_is_passed_over_for_a_tag() -> None:
    assert read('{"think": "t", "action": "answer", "arguments": {}}<search>q</search>') == ("search", "q")


@pytest.mark.parametrize(
    "texts",
    [
        (reply(), reply("answer", answer="42")),
        (reply("fly"), reply("swim")),
        (reply("search", {}), reply("answer", answer="42")),
    ],
)
def test_several_objects_that_say_different_things_are_invalid_whatever_tag_stands_beside_them(
    texts: tuple[str, str],
) -> None:
    assert problem_of("\n".join(texts) + "<search>q</search>").kind is ProblemKind.SEVERAL


def test_same_object_twice_is_one() -> None:
    assert read(f"{reply()}\n{reply()}") == ("search", "q")


CUT_REGION = '{"think": "t", "action": "crop", "answer": null, "arguments": {"image_id": "i", "region": [1, 2, 30, 40'


def test_region_whose_last_number_may_be_cut_off_is_invalid() -> None:
    assert problem_of(CUT_REGION).kind is ProblemKind.TRUNCATED


@pytest.mark.parametrize(
    "text", [CUT_REGION, CUT_REGION + "]", CUT_REGION + "]}", CUT_REGION + "]}}", f"```json\n{CUT_REGION}\n```"]
)
def test_region_of_a_model_that_had_finished_needs_no_other_bracket(text: str) -> None:
    assert parse_action(text, finished=True).content == {"image_id": "i", "region": [1, 2, 30, 40]}


@pytest.mark.parametrize("text", [CUT_REGION + "]", CUT_REGION + "]}", "<answer>41</answer> " + CUT_REGION])
def test_object_the_text_ends_in_may_be_cut_off(text: str) -> None:
    assert problem_of(text).kind is ProblemKind.TRUNCATED


@pytest.mark.parametrize("text", [reply(), "<search>q</search>", tools_call(), f"```json\n{reply()}\n```", "nothing"])
def test_text_of_a_model_that_was_cut_off_is_no_action_whatever_it_looks_like(text: str) -> None:
    assert problem_of(text, finished=False).kind is ProblemKind.TRUNCATED


def test_problem_says_which_field_is_missing() -> None:
    problem = problem_of('{"think": "t", "action": "search", "arguments": {"query": "q"}}')
    assert [error["loc"] for error in problem.details["validation_errors"]] == [("answer",)]


# --- batches -----------------------------------------------------------------------------------------------


def test_batch_is_read_in_its_order() -> None:
    texts = [reply(), "nothing", tools_call("ocr"), "<answer>42</answer>"]
    assert postprocess_predictions(texts) == (["search", None, "ocr", "answer"], ["q", None, ON_IMAGE, "42"])


def test_typed_batch_is_read_in_its_order() -> None:
    parsed = parse_actions([reply(), "nothing"])
    assert [one.action_type for one in parsed] == ["search", None]


def test_actions_of_a_batch_are_plain_strings() -> None:
    assert [type(action) for action in postprocess_predictions([reply()])[0]] == [str]


def test_batch_of_a_model_that_had_finished() -> None:
    assert postprocess_predictions(["<search>q"], finished=True) == (["search"], ["q"])


def test_batch_of_thousands() -> None:
    texts = [reply("answer", answer=f"answer {number}") for number in range(3_000)]
    assert postprocess_predictions(texts)[1][-1] == "answer 2999"


def test_empty_batch() -> None:
    assert (postprocess_predictions([]), postprocess_responses([], EOS)) == (([], []), [])


@pytest.mark.parametrize("text", [None, 1, b"{}"])
def test_text_that_is_no_string_is_the_callers_mistake(text: Any) -> None:  # noqa: ANN401 - what the annotation forbids
    for function in (parse_action, extract_json_response):
        with pytest.raises(TypeError, match="must be str"):
            function(text)


def test_one_string_is_not_taken_for_a_batch_of_letters() -> None:
    with pytest.raises(TypeError, match="list of texts"):
        postprocess_predictions(reply())
    with pytest.raises(TypeError, match="list of texts"):
        postprocess_responses(reply(), EOS)


# --- postprocess_responses ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("response", "kept"),
    [
        (f"Here: {SPACED} - done", SPACED),
        (f"<think>x</think>{reply()}", reply()),
        (DAMAGED["single quotes"] + " done", DAMAGED["single quotes"]),
        ("Here: <search>q</search> - done", "<search>q</search>"),
        ("<think>x</think> so <search a='b'> q </search>!", "<think>x</think>\n<search a='b'> q </search>"),
        ("<search>q</search> found <think>x</think><answer>6</answer>", "<think>x</think>\n<answer>6</answer>"),
        ("<search>q<think>x</think></search>", "<search>q<think>x</think></search>"),
        ("no action at all", "no action at all"),
        ("no action at all" + EOS, "no action at all"),
        ("<search>q<search>", "<search>q<search>"),
        ("", ""),
    ],
)
def test_what_is_kept_of_a_response(response: str, kept: str) -> None:
    assert postprocess_responses([response], EOS) == [kept + EOS]


@pytest.mark.parametrize(
    "response",
    [
        reply(),
        *DAMAGED.values(),
        tools_call(),
        "<think>x</think>so<search>q</search>",
        "<answer>6",
        "<answer>6</ans",
        "a b",
    ],
)
@pytest.mark.parametrize("finished", [True, False, None])
def test_action_of_what_is_kept_is_the_action_of_the_response(response: str, finished: bool | None) -> None:  # noqa: FBT001 - a parameter
    (kept,) = postprocess_responses([response], EOS, finished=finished)
    before, after = (parse_action(text, finished=finished) for text in (response, kept.removesuffix(EOS)))
    assert (after.action_type, after.content) == (before.action_type, before.content)


# --- log ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [reply(), "<search>q</search>", tools_call()])
def test_nothing_is_logged_for_an_action_that_is_clean(text: str) -> None:
    with capture_logs() as logs:
        parse_action(text)
    assert logs == []


def test_one_warning_is_logged_for_a_text_without_an_action() -> None:
    with capture_logs() as logs:
        parse_action("nothing")
    assert [(log["log_level"], log["event"], log["problem"], log["excerpt"]) for log in logs] == [
        ("warning", "visual_rag_no_action", "unreadable", "nothing")
    ]


def test_excerpt_of_private_data_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_JSON_LOG_EXCERPT_CHARS", "0")
    with capture_logs() as logs:
        parse_action("nothing")
    assert logs[0]["excerpt"] == ""


def test_repairs_are_logged_once() -> None:
    with capture_logs() as logs:
        parse_action(DAMAGED["a trailing comma"])
    assert [(log["log_level"], log["event"], log["repairs"]) for log in logs] == [
        ("info", "llm_json_repaired", ["trailing_comma"])
    ]


def test_nothing_is_logged_while_a_response_is_only_cut_to_what_is_kept() -> None:
    with capture_logs() as logs:
        postprocess_responses(["nothing", DAMAGED["single quotes"]], EOS)
    assert logs == []
