"""The marks by which models write the call of a tool as text, and those by which they end it.

Where each comes from: the chat templates of the models, and the parsers of servers that read them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from src.shared.domain.expression import expression
from src.shared.domain.possessive import repeated

NAME_LIMIT = 200
"""Most characters of the name of a tool, or of a parameter, in a mark."""
_NAME = rf"[^\s<>{{}}\[\]()\"'`|｜=]{{1,{NAME_LIMIT}}}+"
_CHANNEL_PART = r"[^<]{0,200}+"
_WRAPPERS = (
    *("<tool_call>", "<tool_calls>", "<function_call>"),  # Hermes, Qwen, GLM; MiniMax M1, Jamba, Hunyuan; Granite 20B
    *("<|tool_call|>", "<|tool_call_start|>"),  # Granite 3, Phi-4; LFM2
    *("[TOOL_CALLS]", "<|START_ACTION|>"),  # Mistral; Command
    *("<|python_tag|>", "<|python_start|>"),  # Llama 3; Llama 4
    *("<|action_start|><|plugin|>", "<|action_start|> <|plugin|>"),  # InternLM
    *("<seed:tool_call>", "<minimax:tool_call>", "<function_calls>"),  # Seed-OSS; MiniMax M2; Olmo 3 and others
    "<｜DSML｜function_calls>",  # DeepSeek 3.2
)
"""They open one call or several, in any of the forms."""
_ENDS = (
    *("</tool_call>", "</tool_calls>", "</function_call>", "<|/tool_call|>", "<|tool_call_end|>", "<|END_ACTION|>"),
    *("<|python_end|>", "<|action_end|>", "</seed:tool_call>", "</minimax:tool_call>", "</function_calls>"),
    *("</｜DSML｜function_calls>", "</function>", "</invoke>", "</｜DSML｜invoke>", "<｜tool▁call▁end｜>"),
)
"""They end a call, or what wraps it."""
_INNER = (
    *("<parameter=", "<parameter name=", "</parameter>", "<arg_key>", "<arg_value>", "</arg_value>"),
    *("<｜tool▁sep｜>", "<|tool_call_argument_begin|>", "<｜DSML｜parameter"),
)
"""They stand inside a call; outside of one, the mark that opened it is damaged."""
_TURN_ENDS = (
    *("<|call|>", "<|eom_id|>", "<|eot_id|>", "<|im_end|>", "</s>", "<|end|>", "<|return|>", "<|endoftext|>"),
    *("<｜end▁of▁sentence｜>", "<end_of_turn>", "<|user|>", "<|observation|>", "<|END_OF_TURN_TOKEN|>"),
)
"""They end all that a model says; outside a call they are text."""
_SECTIONS = ("<｜tool▁calls▁begin｜>", "<|tool_calls_section_begin|>")
_SECTION_ENDS = ("<｜tool▁calls▁end｜>", "<|tool_calls_section_end|>")
_BEGINS = ("<｜tool▁call▁begin｜>", "<|tool_call_begin|>")
_BEGUN = (
    *_WRAPPERS,
    *_SECTIONS,
    *_BEGINS,
    "<function=",
    "<invoke name=",
    "<｜DSML｜invoke name=",
    "<|channel|>",
    "<|start|>",
    *("```tool_code\n", "```tool_calls\n", "~~~tool_code\n", "~~~tool_calls\n"),
    "functools[",
)
_LEAST_BEGUN = 4
"""Fewest characters of a mark that was cut off by which it is known again in a line: `[TOO` is one, `<to` may be
anything. On a line of its own one sign is enough; a word has to be there whole in a line, and so far on its own."""


def _any_of(marks: Iterable[str]) -> str:
    return "|".join(re.escape(mark) for mark in marks)


MARK = expression(
    rf"""
    (?: (?P<wrapper> {_any_of(_WRAPPERS)} | functools (?=\[) )
    | (?P<fence> (?: ``` | ~~~ ) tool_(?:code|calls?) \s )  # Gemma
    | (?P<function> <function= {repeated(f"(?P<function_name>{_NAME}) >", "?")} )  # Llama 3.1, Qwen3-Coder
    | (?P<invoke> < (?:｜DSML｜)? invoke [ ] name= {repeated(f'" (?P<invoke_name>{_NAME}) " >', "?")} )  # MiniMax M2
    | (?P<section> {_any_of(_SECTIONS)} )
    | (?P<section_end> {_any_of(_SECTION_ENDS)} )
    | (?P<begin> {_any_of(_BEGINS)} )  # DeepSeek, Kimi
    | (?P<channel> <\|(?:start|channel)\|> {_CHANNEL_PART} (?: <\|(?:channel|constrain)\|> {_CHANNEL_PART} ){{0,3}}
        (?P<message> <\|message\|> )? )  # harmony
    | (?P<inner> {_any_of(_INNER)} | \[ARGS\] \s? (?=\{{) | \bto=functions\. )
    | (?P<end> {_any_of(_ENDS)} )
    | (?P<turn_end> {_any_of(_TURN_ENDS)} )
    )
    """,
    re.VERBOSE,
)
"""Any mark; the name of the group that matched says which kind it is."""
_SIGN = expression(r"<|\[(?=[A-Z])|(?:```|~~~)(?=tool_)")
"""What a mark begins with, but for those that begin with a word."""
_WORDS = ("functools[", "to=functions.")


def marks_of(text: str) -> Iterator[re.Match[str]]:
    """The marks of a text, in their order."""
    if any(word in text for word in _WORDS):
        yield from MARK.finditer(text)
        return
    sign = _SIGN.search(text)
    while sign is not None:
        mark = MARK.match(text, sign.start())
        if mark is not None:
            yield mark
        sign = _SIGN.search(text, mark.end() if mark else sign.end())


RECIPIENT = expression(rf"\bto=(?P<name>[^\s<]{{1,{NAME_LIMIT}}}+)")
"""In a header of harmony: to whom the message goes."""
ASIDE = expression(r"<\|channel\|>\s*+analysis\b")
"""A header of harmony by which a message is reasoning."""
MESSAGE_END = expression(r"<\|(?:end|return|call|start|channel)\|>")
DEEPSEEK_HEADER = expression(
    rf"(?:function<｜tool▁sep｜>(?P<name>{_NAME})[ ]*+\n|(?P<short>{_NAME})<｜tool▁sep｜>)",
)
KIMI_HEADER = expression(rf"\s*+(?P<id>{_NAME})\s*+<\|tool_call_argument_begin\|>")
_INDEX = expression(r":\d{1,9}\Z")
NAMED = expression(
    rf"\s*+(?P<name>{_NAME})(?:\[CALL_ID\](?P<id>[^\s\[\]{{}}]{{1,{NAME_LIMIT}}}+))?(?:\[ARGS\])?\s*+(?=\{{)"
)
"""A name, and then its arguments as an object: Mistral since its eleventh tokenizer."""
LISTED = expression(rf"\s*+(?P<name>{_NAME})\s*+(?=<arg_key>|</tool_call>)")
"""A name, and then its parameters in pairs of tags: GLM since 4.5."""
PYTHONIC = expression(rf"\s*+\[?\s*+(?:print\s?\()?{_NAME}\(")
"""A call as Python writes it."""


@lru_cache(maxsize=64)
def bare_call(names: frozenset[str]) -> re.Pattern[str]:
    """What finds a list of calls as Python writes it, that begins with one of these names."""
    return expression(rf"\[\s{{0,3}}(?:{_any_of(sorted(names)) or '(?!)'})\(")


def ends_in_a_mark(text: str, names: Iterable[str]) -> bool:
    """Whether a text ends with the first characters of a mark that begins a call."""
    marks = (*_BEGUN, *(f"[{name}(" for name in names))
    tail = text[-max(map(len, marks)) :]
    line = text.rstrip(" \t").rpartition("\n")[2].lstrip()
    return any(
        tail.endswith(mark[:size]) and size >= _least_begun(mark, alone=line == mark[:size])
        for mark in marks
        for size in range(1, len(mark))
    )


def _least_begun(mark: str, *, alone: bool) -> int:
    if mark[0].isalpha():
        return _LEAST_BEGUN if alone else len(mark) - 1
    return 1 if alone and mark[0] in "<[" else _LEAST_BEGUN


def plain_name(name: str) -> str:
    """A name without the namespace and the number that harmony and Kimi put around it: `functions.search:0`."""
    return _INDEX.sub("", name.removeprefix("functions."))
