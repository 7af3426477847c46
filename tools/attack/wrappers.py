"""What models write around an answer. None of it is an object, and none of it changes what the answer says."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple


class Wrapper(NamedTuple):
    """A way of wrapping a text."""

    name: str
    wrap: Callable[[str], str]


def _around(before: str, after: str = "") -> Callable[[str], str]:
    return lambda text: before + text + after


def _fenced(tag: str, mark: str = "```") -> Callable[[str], str]:
    return _around(f"{mark}{tag}\n", f"\n{mark}")


NONE = Wrapper("none", _around(""))

WRAPPERS = (
    Wrapper("fence", _fenced("json")),
    Wrapper("fence without a tag", _fenced("")),
    Wrapper("fence in capitals", _fenced("JSON")),
    Wrapper("fence of JSON5", _fenced("json5")),
    Wrapper("fence of tildes", _fenced("json", "~~~")),
    Wrapper("fence of four", _fenced("json", "````")),
    Wrapper("fence in prose", _around("Here is the result:\n\n```json\n", "\n```\n\nLet me know if you need more.")),
    Wrapper("fence on one line", _around("```json ", " ```")),
    Wrapper("prose before", _around("Here is the JSON you asked for:\n\n")),
    Wrapper("prose after", _around("", "\n\nI hope this helps!")),
    Wrapper("prose around", _around("Sure, this is it:\n", "\nTell me what to change.")),
    Wrapper("Chinese prose around", _around("以下是分析结果：\n", "\n如需调整，请告诉我。")),
    Wrapper("heading", _around("**Answer:**\n\n")),
    Wrapper("reasoning", _around("<think>\nThe user wants JSON. Let me write it.\n</think>\n\n")),
    Wrapper("reasoning and fence", _around("<think>好的，我来写。</think>\n```json\n", "\n```")),
    Wrapper("lone end of reasoning", _around("I am going to answer now.\n</think>\n")),
    Wrapper("answer tag", _around("<answer>", "</answer>")),
    Wrapper("output tag", _around("<output>\n", "\n</output>")),
    Wrapper("tool call", _around("<tool_call>\n", "\n</tool_call>")),
    Wrapper("end of sequence", _around("", "<|im_end|>")),
    Wrapper("byte order mark", _around("\ufeff")),
    Wrapper("blank lines", _around("\n\n  ", "  \n\n")),
)
_BARE = 0.5
"""Share of the texts that nothing is written around."""


def any_wrapper(rng: Random) -> Wrapper:
    """Pick a wrapper; as often as not the one that writes nothing."""
    return NONE if rng.random() < _BARE else rng.choice(WRAPPERS)
