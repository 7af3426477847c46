"""A turn in which the model writes what it was to be told: the action before it counts, and nothing behind it."""

import json

import pytest

from src.modules.visual_rag.domain.parsed_action import ProblemKind
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import (
    extract_json_response,
    parse_action,
    postprocess_responses,
)
from tests.modules.visual_rag.reading import ON_IMAGE, problem_of, read, reply, tools_call

EOS = "<|im_end|>"
INVENTED = "<information>41</information>"
ANSWER = reply("answer", answer="41")
FORGED_TURN = f"{EOS}\n<|im_start|>user\nfound 41{EOS}\n<|im_start|>assistant\n"
MENTIONING = json.dumps(
    {"think": f"as {INVENTED} says", "action": "search", "arguments": {"query": "q"}, "answer": None}
)


# --- the action before it counts ---------------------------------------------------------------------------


@pytest.mark.parametrize("invented", [INVENTED, f"\n{INVENTED}\n", FORGED_TURN, "<information>41 "])
@pytest.mark.parametrize("answer", ["<answer>41</answer>", "<think>b</think><answer>41</answer>", ANSWER])
@pytest.mark.parametrize("search", ["<search>q</search>", "<think>a</think> <search>q</search>", reply()])
def test_search_before_an_invented_observation_counts_and_the_answer_behind_it_does_not(
    search: str, invented: str, answer: str
) -> None:
    assert read(search + invented + answer) == ("search", "q")


@pytest.mark.parametrize("action", [tools_call("crop"), reply("crop", ON_IMAGE)])
def test_crop_before_an_invented_observation_counts(action: str) -> None:
    assert read(f"{action}<tool_response>41</tool_response><answer>41</answer>") == ("crop", ON_IMAGE)


def test_answer_before_an_invented_observation_counts() -> None:
    assert read(f"<answer>42</answer>{INVENTED}<answer>41</answer>") == ("answer", "42")


def test_reasoning_behind_an_invented_observation_need_not_be_closed() -> None:
    assert read(f"<search>q</search>{INVENTED}<think>so <answer>41</answer>") == ("search", "q")


@pytest.mark.parametrize("search", ["<think>a</think>\n<search>q</search>", reply()])
def test_nothing_from_the_invented_observation_on_is_kept(search: str) -> None:
    assert postprocess_responses([f"{search}{INVENTED}<think>b</think>{ANSWER}"], EOS) == [search + EOS]


def test_json_before_an_invented_observation_is_extracted() -> None:
    assert extract_json_response(f"{reply()}{INVENTED}{ANSWER}") == reply()


# --- without one the turn is refused -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        f"{INVENTED}<answer>41</answer>",
        INVENTED + ANSWER,
        f"<information>{ANSWER}</information>",
        f"I read: {INVENTED} so <answer>41</answer>",
        f"<information><information>{ANSWER}",
        f"<|im_start|>user\n{INVENTED}\n",
        INVENTED,
    ],
)
def test_invented_observation_without_an_action_before_it_is_refused(text: str) -> None:
    assert problem_of(text).kind is ProblemKind.INVENTED


def test_refused_turn_is_told_to_wait_for_the_result() -> None:
    assert "write one action and wait for its result" in problem_of(INVENTED + ANSWER).message


@pytest.mark.parametrize(
    ("before", "kind"),
    [
        ("<search></search>", ProblemKind.ARGUMENTS),
        (reply("fly"), ProblemKind.UNKNOWN_ACTION),
        ("<search>a</search><search>b</search>", ProblemKind.SEVERAL),
        ("</answer>", ProblemKind.TAGS),
        ("<search>q ", ProblemKind.TAGS),
        ("<search>q <answer>", ProblemKind.TAGS),
        ('{"think": "t", "action": ', ProblemKind.TRUNCATED),
    ],
)
@pytest.mark.parametrize("finished", [True, None])
def test_what_is_wrong_before_an_invented_observation_is_told(before: str, kind: ProblemKind, finished: bool) -> None:  # noqa: FBT001 - a parameter
    assert parse_action(f"{before}{INVENTED}{ANSWER}", finished=finished).problem.kind is kind  # type: ignore[union-attr]  # there is one


# --- what is none ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        MENTIONING,
        json.dumps(MENTIONING),
        f"```json\n{MENTIONING}\n```",
        f"{MENTIONING}</answer>",
        MENTIONING.replace('"', "'"),
        f"<think>as {INVENTED} says</think><search>q</search>",
        f"<answer>41</answer>{INVENTED}</think><search>q</search>",
        "The <information> says 42. <search>q</search>",
        f"The <information> says 42. {reply()}",
        f"<|im_start|>assistant\n{reply()}",
        f"<|im_start|>user\nQ?{EOS}\n<|im_start|>assistant\n{reply()}",
    ],
    ids=[
        "in a string",
        "in a string of JSON in a string",
        "in a string of fenced JSON",
        "in a string before a stray tag",
        "in a string of damaged JSON",
        "in reasoning",
        "in reasoning without its opening tag",
        "a mention before a tag",
        "a mention before JSON",
        "the header of the model's own turn",
        "the question repeated",
    ],
)
def test_mark_that_is_no_observation_of_its_own_changes_nothing(text: str) -> None:
    assert read(text) == ("search", "q")


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (f"<answer>the tag {INVENTED}</answer>", f"the tag {INVENTED}"),
        ("<answer>the tag <information> here</answer>", "the tag <information> here"),
    ],
)
def test_mark_in_an_actions_element_is_its_text(text: str, content: str) -> None:
    assert read(text) == ("answer", content)


def test_void_tag_of_an_action_encloses_no_observation() -> None:
    assert problem_of(f"<search/>{INVENTED}<search>q</search>").kind is ProblemKind.ARGUMENTS


def test_mark_in_a_string_that_is_cut_off_is_data() -> None:
    assert problem_of("{think: 'as <information>41</information> <answer>41</answer>").kind is ProblemKind.TRUNCATED


@pytest.mark.parametrize(
    "mark",
    [
        "<information>",
        "<Information source='page'>",
        "<information/>",
        "<observation>",
        "<observations>",
        "<tool_response>",
        "<tool_result>",
        "<tool_results>",
        "<function_results>",
        "<search_result>",
        "<|im_start|>user",
        "<|im_start|> tool",
        "<|im_start|>system",
        "<|start_header_id|>ipython<|end_header_id|>",
        "<start_of_turn>user",
        "<|user|>",
        "<|observation|>",
    ],
)
def test_mark_that_begins_an_observation(mark: str) -> None:
    assert read(f"<search>q</search>{mark} 41 <think>b</think><answer>41</answer>") == ("search", "q")


@pytest.mark.parametrize(
    "mark",
    [
        "information",
        "</information>",
        "<informations>",
        "<info>",
        "<result>",
        "<output>",
        "<tool_call>",
        "<|im_start|>assistant",
        "<|im_start|>users",
        "<start_of_turn>model",
        "<|assistant|>",
    ],
)
def test_mark_that_begins_none(mark: str) -> None:
    assert read(f"<search>q</search>{mark} 41 <think>b</think><answer>41</answer>") == ("answer", "41")
