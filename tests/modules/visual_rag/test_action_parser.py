"""The parser's public functions: the object's own text, batches, what of a response is kept, what is logged."""

import json
from typing import Any

import pytest
from structlog.testing import capture_logs

from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import (
    extract_json_response,
    parse_action,
    parse_actions,
    postprocess_predictions,
    postprocess_responses,
)
from tests.modules.visual_rag.reading import ON_IMAGE, problem_of, reply, tools_call

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
FIELDS = json.loads(reply())


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
        *(json.dumps({name: value for name, value in FIELDS.items() if name != left_out}) for left_out in FIELDS),
    ],
)
def test_text_without_the_object_is_none(text: str) -> None:
    assert extract_json_response(text) is None


@pytest.mark.parametrize("text", [*map(reply, ("search", "fly", 1, None)), reply()[:-1] + ', "answer": null}'])
def test_object_is_extracted_whatever_its_action_is_and_though_it_has_a_key_twice(text: str) -> None:
    assert extract_json_response(f"> {text}") == text


# --- parse_action ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
def test_damaged_object_is_repaired_and_its_own_text_kept_which_is_no_json(text: str) -> None:
    assert extract_json_response(text) is None
    parsed = parse_action(f"<answer>41</answer> {text}" if text[0] == "{" else text, finished=True)
    assert (parsed.action_type, parsed.content, parsed.raw_json) == ("search", "q", text)


# --- batches -----------------------------------------------------------------------------------------------


def test_batch_is_read_in_its_order() -> None:
    texts = [reply(), "nothing", tools_call("ocr"), "<answer>42</answer>"]
    actions, contents = postprocess_predictions(texts)
    assert (actions, contents) == (["search", None, "ocr", "answer"], ["q", None, ON_IMAGE, "42"])
    assert [one.action_type for one in parse_actions(texts)] == actions
    assert {type(action) for action in actions} == {str, type(None)}
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


# --- what else is said of an action ------------------------------------------------------------------------


def test_trajectory_tells_how_many_actions_are_superseded() -> None:
    searches = "<think>a</think><search>q</search>\nfound\n<think>b</think><search>r</search>\n"
    assert parse_action(searches + "<think>c</think><answer>6</answer>").superseded == 2


def test_repairs_of_an_object_and_of_a_call_are_named() -> None:
    call = "<tools_call>{'name': 'crop', 'arguments': " + str(ON_IMAGE) + ",}</tools_call>"
    kinds = [
        {str(repair.kind) for repair in parse_action(text).repairs} for text in (DAMAGED["a trailing comma"], call)
    ]
    assert kinds == [{"trailing_comma"}, {"trailing_comma", "single_quote"}]
    assert parse_action(call).raw_json is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<search>q</search><think>but", "never closed"),
        ("{'think': '<think>', 'action': 'search', 'arguments': {'query': 'q'}}", "answer"),
        ("<information>41</information>", "write one action and wait for its result"),
        (f"<bbox>{'[' * 100_000}</bbox>", "search first"),
    ],
)
def test_problem_says_what_was_wrong(text: str, words: str) -> None:
    assert words in problem_of(text).message


@pytest.mark.parametrize("search", ["<think>a</think>\n<search>q</search>", reply()])
def test_nothing_from_an_invented_observation_on_is_kept(search: str) -> None:
    text = f"{search}<information>41</information><think>b</think>{reply('answer', answer='41')}"
    assert postprocess_responses([text], EOS) == [search + EOS]
    assert extract_json_response(text) == (search if search == reply() else None)


# --- log ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "limit", "facts"),
    [
        (reply(), "9", None),
        (tools_call(), "9", None),
        ("nothing", "9", ("warning", "visual_rag_no_action", {"problem": "unreadable", "excerpt": "nothing"})),
        ("nothing", "0", ("warning", "visual_rag_no_action", {"problem": "unreadable", "excerpt": ""})),
        (DAMAGED["a trailing comma"], "9", ("info", "llm_json_repaired", {"repairs": ["trailing_comma"]})),
    ],
    ids=["clean JSON", "a clean tag", "no action", "no action, of private data", "damaged JSON"],
)
def test_one_line_is_logged_where_there_is_something_to_say(
    text: str, limit: str, facts: tuple[str, str, dict[str, object]] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_JSON_LOG_EXCERPT_CHARS", limit)
    with capture_logs() as logs:
        postprocess_responses([text], EOS)
        assert logs == []
        parse_action(text)
    found = [(log["log_level"], log["event"], {name: log[name] for name in facts[2]}) for log in logs if facts]
    assert (found, len(logs)) == (([facts], 1) if facts else ([], 0))
