"""Texts made to cost time: work grows with their length and no faster, and none of them is an action."""

import pytest

from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import parse_action, postprocess_responses
from src.shared.domain.reading import scanner
from src.shared.domain.work import Work
from tests.linear.steps import calls
from tests.thorough import at_length

SIZES = at_length((5_000, 50_000), (10_000, 100_000))
LARGE = at_length(30_000, 1_000_000)
MOST_PER_TENFOLD = 12
FLOOR = 5_000
"""What even a short text may cost."""

HOSTILE = {
    "unclosed search tags": ("", "<search>", ""),
    "unclosed answer tags": ("", "<answer>", ""),
    "unclosed tools_call tags": ("", "<tools_call>", ""),
    "unclosed tags in turn": ("", "<search><answer><tools_call>", ""),
    "lone closing tags": ("", "</search>", ""),
    "opening brackets of tags": ("", "<", ""),
    "openings of closing tags": ("", "</", ""),
    "spaced openings of closing tags": ("", "<   /   ", ""),
    "unclosed reasoning": ("", "<think>", ""),
    "reasoning that holds a tag": ("", "<think><answer>41</answer></think>", ""),
    "ends of reasoning": ("", "</think>", ""),
    "tags and ends of reasoning": ("", "<answer></think>", ""),
    "nested tags": ("<search>" * 1_000, "a", "</search>" * 1_000),
    "nested in turn": ("", "<search><answer>", "</answer></search>"),
    "tag names without an end": ("", "<search", ""),
    "attributes without an end": ("<search ", "a='b' ", ""),
    "quotes of an attribute without an end": ("<search ", "a='", ""),
    "white space in a tag": ("<search", " ", ""),
    "tags with attributes": ("", "<search a='b'>", ""),
    "different searches": ("", "<search>{n}</search>", ""),
    "empty searches": ("", "<search></search>", ""),
    "void tags": ("", "<search/>", ""),
    "different searches with reasoning between": ("", "<search>{n}</search><think>x</think>", ""),
    "reasoning inside a tag": ("<search>q", "<think>x</think>", "</search>"),
    "tags in a string that is cut off": ('{"think": "', "<search>q</search>", ""),
    "tags in a string that is damaged": ("{'think': '", "<search>q</search>", ""),
    "braces in a tag": ("<search>", '{"a": ', "</search>"),
    "calls in a call": ("<tools_call>", '{"name": ', "</tools_call>"),
    "closing tags in the strings of a call": ("<tools_call>[", '{"a": "</tools_call>"},', "]"),
    "half a reply": ("", '{"think": "t", "action": ', ""),
    "replies": ("", '{"think": "t", "action": "answer", "arguments": {}, "answer": "{n}"}', ""),
    "invented observations": ("", "<information>41</information>", ""),
    "searches with invented observations": ("", "<search>{n}</search><information>41</information>", ""),
    "unclosed tags before an invented observation": ("", "<search>", "<information>41</information>"),
    "void tags before an invented observation": ("", "<search/>", "<information>41</information>"),
    "invented observations in a string": ('{"think": "', "<information>41</information>", '"}'),
    "invented observations in a string that is cut off": ("{'think': '", "<information>41</information>", ""),
    "half a reply before each invented observation": ("", '{"think": "<information>41</information>', ""),
    "turns of the user's": ("", "<|im_start|>user\n", ""),
    "marks at the end": ("<answer>6", "</s>", ""),
    "white space at the end": ("<answer>6", " ", ""),
}


def text_of(name: str, size: int) -> str:
    head, body, tail = HOSTILE[name]
    count = max(1, (size - len(head) - len(tail)) // len(body))
    if "{n}" in body:
        return head + "".join(body.replace("{n}", str(number)) for number in range(count)) + tail
    return head + body * count + tail


@pytest.mark.parametrize("name", sorted(HOSTILE)[:: at_length(3, 1)])
def test_ten_times_the_text_takes_at_most_about_ten_times_the_steps(name: str) -> None:
    counts = [calls(parse_action, text_of(name, size)) for size in SIZES]
    assert counts[1] <= MOST_PER_TENFOLD * max(counts[0], FLOOR), counts


@pytest.mark.parametrize(
    "raw",
    [
        "\\" + '\\"[{"a"<minimax:tool_call>' * 160,
        "<search>a</search>" + '{"think" "a": {' * 200 + "<information>41</information>" * 2,
    ],
)
def test_all_readings_of_a_text_share_one_bound_on_their_work(raw: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Work] = []

    class Noted(Work):
        def __init__(self, length: int) -> None:
            super().__init__(length)
            made.append(self)

    for module in (scanner,):
        monkeypatch.setattr(module, "Work", Noted)
    parse_action(raw)

    assert len(made) == 1


ACTIONS = {
    "nested in turn",
    "nested tags",
    "reasoning inside a tag",
    "braces in a tag",
    "searches with invented observations",
}
NO_ACTION = sorted(HOSTILE.keys() - ACTIONS)


@pytest.mark.parametrize("name", NO_ACTION)
def test_large_text_of_it_is_no_action_and_is_kept_whole_or_in_part(name: str) -> None:
    text = text_of(name, LARGE)
    assert parse_action(text).problem
    assert postprocess_responses([text], "</s>")[0].endswith("</s>")
