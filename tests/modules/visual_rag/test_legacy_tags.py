"""The legacy tags: which of them is the action, and what it says."""

import pytest

from src.modules.visual_rag.domain.parsed_action import ProblemKind
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import parse_action
from tests.modules.visual_rag.reading import ON_IMAGE, problem_of, read, reply, tools_call

CALL = '{"name": "crop", "arguments": {"image_id": "image_01", "region": [10, 20, 300, 400]}}'


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("<search>q</search>", "q"),
        ("<search> \n q \n</search>", "q"),
        ("<SEARCH>q</Search>", "q"),
        ('<search lang="en">q</search>', "q"),
        ("<search a='1>2' b=3 >q</search>", "q"),
        ("<search >q</ search >", "q"),
        ("I look: <search>q</search> now.", "q"),
        ("<search>a & b</search>", "a & b"),
        ("<search>a < b > c</search>", "a < b > c"),
        ("<search>a &amp; b &#176;</search>", "a &amp; b &#176;"),
        ("<search>the <b>bold</b> one</search>", "the <b>bold</b> one"),
        ("<search>what is <answer> in HTML</search>", "what is <answer> in HTML"),
        ("<search>{x} and {y: 1}</search>", "{x} and {y: 1}"),
        ("<search>q</search>\n<search>q</search>", "q"),
        ("```xml\n<search>q</search>\n```", "q"),
        ("<search>a</search", "a"),
        ("<search>a</se", "a"),
        ("<search>a</\n", "a"),
        ("<search>a</search<|im_end|>", "a"),
        ("<searching>x</searching> <search>q</search>", "q"),
    ],
)
def test_query_of_a_search_tag(text: str, content: str) -> None:
    assert read(text) == ("search", content)


@pytest.mark.parametrize("name", ["crop", "ocr", "OCR", " crop "])
def test_call_of_a_tool(name: str) -> None:
    assert read(tools_call(name)) == (name.strip().lower(), ON_IMAGE)


@pytest.mark.parametrize("name", ["search", "answer", "rm", "", 1, None])
def test_call_of_an_unknown_tool_is_invalid(name: str) -> None:
    assert problem_of(tools_call(name)).kind is ProblemKind.UNKNOWN_ACTION


def test_call_with_damaged_json_is_repaired() -> None:
    parsed = parse_action("<tools_call>{'name': 'crop', 'arguments': " + str(ON_IMAGE) + ",}</tools_call>")
    assert (parsed.content, bool(parsed.repairs)) == (ON_IMAGE, True)


def test_call_may_be_fenced() -> None:
    assert read(f"<tools_call>\n```json\n{CALL}\n```\n</tools_call>") == ("crop", ON_IMAGE)


def test_closing_tag_in_a_string_of_a_call_is_data() -> None:
    arguments = {**ON_IMAGE, "image_id": "</tools_call>"}
    assert read(tools_call("crop", arguments)) == ("crop", arguments)


@pytest.mark.parametrize("inside", ["", "no json", "[1, 2]", '{"arguments": {}}', CALL + CALL[:-9]])
def test_call_without_one_readable_object_is_invalid(inside: str) -> None:
    assert problem_of(f"<tools_call>{inside}</tools_call>").kind is ProblemKind.UNREADABLE


@pytest.mark.parametrize("name", ["crop", "ocr"])
def test_call_without_arguments_is_a_call_with_wrong_arguments(name: str) -> None:
    problem = problem_of(f'<tools_call>{{"name": "{name}"}}</tools_call>')
    assert (problem.kind, problem.action) == (ProblemKind.ARGUMENTS, name)


def test_call_whose_region_is_wrong_is_invalid() -> None:
    assert problem_of(tools_call("crop", {**ON_IMAGE, "region": [3, 2, 1, 0]})).kind is ProblemKind.ARGUMENTS


@pytest.mark.parametrize("text", ["<search></search>", "<search> </search>", "<search/>", '<search query="q" />'])
def test_search_tag_without_a_query_is_invalid(text: str) -> None:
    assert problem_of(text).kind is ProblemKind.ARGUMENTS


# --- reasoning ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "<think>I could <answer>41</answer></think><search>q</search>",
        "I could <answer>41</answer></think><search>q</search>",
        "I could <answer>41 </think><search>q</search>",
        "<THINKING>I could <answer>41</answer></THINKING>\n<search>q</search>",
        "<search>q<think>really?</think></search>",
        "<search>q</search><think>or <answer>41</answer>?</think>",
        "<|channel|>analysis<|message|><answer>41</answer><|end|><|channel|>final<|message|><search>q</search>",
    ],
)
def test_tag_inside_reasoning_is_thought(text: str) -> None:
    assert read(text) == ("search", "q")


@pytest.mark.parametrize(
    "text", ["<think><search>q</search>", "<think>a</think><think><answer>b</answer>", "<think>a</think>"]
)
def test_nothing_is_taken_out_of_reasoning(text: str) -> None:
    assert problem_of(text).kind is ProblemKind.UNREADABLE


def test_reasoning_that_never_ends_is_named_as_the_problem() -> None:
    assert "never closed" in problem_of("<search>q</search><think>but").message


def test_reasoning_tag_inside_a_string_of_damaged_json_is_data() -> None:
    assert "answer" in problem_of("{'think': '<think>', 'action': 'search', 'arguments': {'query': 'q'}}").message


# --- JSON strings ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '{"think": "<search>q</search>", "action": "search", "arguments": {"query": "x"}}',
        '{"note": "<search>q</search>"}',
        '{"think": "<search>q</search>", "action": "sea',
        '{"think": "<search>q</search>',
        "{'think': '<search>q</search>', 'action': 'search',}",
        "{'think': '<search>q</search>",
        "{think: '<search>q</search> <answer>6</answer>",
    ],
)
def test_tag_inside_a_json_string_is_data(text: str) -> None:
    assert problem_of(text).kind in {ProblemKind.UNREADABLE, ProblemKind.TRUNCATED}


@pytest.mark.parametrize(
    "malformed",
    [
        "{think: search}",
        '{"think": "t", "action": "search" "arguments": {"query": }}',
        '{"think": "t", "action": "search",\n',
        '{"think": "t", "action": ',
        '{"think": "t", "action": @@}',
    ],
)
def test_tag_after_malformed_json_is_the_action(malformed: str) -> None:
    assert read(f"{malformed} <search>q</search>") == ("search", "q")


def test_tag_after_an_object_that_is_no_action_is_the_action() -> None:
    assert read('{"note": "<answer>41</answer>"} <search>q</search>') == ("search", "q")


# --- several tags ------------------------------------------------------------------------------------------


def test_last_action_of_a_trajectory_is_the_action() -> None:
    searches = "<think>a</think><search>q</search>\nfound\n<think>b</think><search>r</search>\n"
    parsed = parse_action(searches + "<think>c</think><answer>6</answer>")
    assert (parsed.action_type, parsed.content, parsed.superseded) == ("answer", "6", 2)


@pytest.mark.parametrize("end", ["", "\n", "<|im_end|>", "</s>\n", " <|eot_id|><|im_end|> "])
def test_marks_of_a_chat_template_do_not_count_as_text_after_the_action(end: str) -> None:
    assert read(f"<search>q</search><think>b</think><answer>6</answer>{end}") == ("answer", "6")


@pytest.mark.parametrize(
    "text",
    [
        "<search>q</search><search>r</search>",
        "<search>q</search> or <answer>6</answer>",
        "<search>q</search><think>b</think><answer>6</answer> or so",
        "<answer>5</answer><think>b</think><answer>6</answer>",
        "<answer>5</answer><think>b</think><search>q</search>",
        "<search>q</search>" + tools_call(),
    ],
)
def test_different_actions_none_of_which_is_the_last_word_are_invalid(text: str) -> None:
    assert problem_of(text).kind is ProblemKind.SEVERAL


# --- tags that do not pair up ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "<search>q<search>",
        "<search>q <search>r</search>",
        "<search>q <answer>6</answer>",
        "<answer>in <answer> tags: 6</answer>",
        "<search>q <answer>6</search> 7</answer>",
        "6</answer>",
        "<search>q</search></search>",
        "<search flag>q</search>",
        "<tools_call><answer>6</answer>",
    ],
)
def test_tags_that_do_not_pair_up_are_invalid(text: str) -> None:
    assert problem_of(text).kind is ProblemKind.TAGS


@pytest.mark.parametrize("text", ["<search>q", "<answer> 6 + 9", "<answer>6<", "<think>t</think><answer>6 <|im_end|>"])
def test_action_the_text_ends_in_may_be_cut_off(text: str) -> None:
    assert problem_of(text).kind is ProblemKind.TRUNCATED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<search>q", ("search", "q")),
        ("<think>t</think><answer> 6 + 9 <|im_end|>", ("answer", "6 + 9")),
        (f"<tools_call>{CALL[:-1]}", ("crop", ON_IMAGE)),
    ],
)
def test_action_of_a_model_that_had_finished_is_whole_without_its_closing_tag(text: str, expected: object) -> None:
    parsed = parse_action(text, finished=True)
    assert (parsed.action_type, parsed.content) == expected


@pytest.mark.parametrize("text", ["<search>", "<search> <|im_end|>"])
def test_open_tag_with_nothing_in_it_is_invalid_also_when_the_model_had_finished(text: str) -> None:
    assert problem_of(text, finished=True).kind is ProblemKind.ARGUMENTS


def test_call_whose_object_is_whole_needs_no_closing_tag() -> None:
    assert read(f"<tools_call>{CALL}") == ("crop", ON_IMAGE)


@pytest.mark.parametrize("cut", [1, 3, 5])
def test_call_whose_object_is_cut_off_is_invalid(cut: int) -> None:
    assert problem_of(f"<tools_call>{CALL[:-cut]}").kind is ProblemKind.TRUNCATED


def test_closing_tag_in_a_string_that_is_cut_off_closes_nothing() -> None:
    problem = problem_of('<tools_call>{"name": "crop", "arguments": {"image_id": "</tools_call>')
    assert problem.kind is ProblemKind.TRUNCATED


@pytest.mark.parametrize(
    "text", ["", " \n", "no action at all", "x < answer > y", "＜search＞q＜/search＞", "<b>q</b>"]
)
def test_text_without_a_tag_gives_no_action(text: str) -> None:
    assert problem_of(text).kind is ProblemKind.UNREADABLE


def test_json_comes_before_tags() -> None:
    assert read("<answer>41</answer>" + reply()) == ("search", "q")
