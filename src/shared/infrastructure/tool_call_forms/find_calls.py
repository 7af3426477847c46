"""The calls of a text: those that marks tell of, or else those that the text consists of."""

from __future__ import annotations

import re
from functools import lru_cache

from src.shared.domain.edits import blanked
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.expression import expression, repeated
from src.shared.infrastructure.parsing.state import Span
from src.shared.infrastructure.tool_call_forms import call_objects, marks, words
from src.shared.infrastructure.tool_call_forms.call_objects import ARGUMENTS, ARGUMENTS_MEMBER, NAME_MEMBER, RawCall
from src.shared.infrastructure.tool_call_forms.mentions import Mentions
from src.shared.infrastructure.tool_call_forms.python_calls import read_python_calls
from src.shared.infrastructure.tool_call_forms.reader import Reader
from src.shared.infrastructure.tool_call_forms.typed_calls import Tools, TypedCalls

BEGUN_VALUE = expression(r"\s*+" + repeated(r"(?:```|~~~)\w{0,20}+\s*+", "?") + r"[{\[]")
BEGUN_CALL = expression(
    rf"\s*+(?:print\s?\(\s*+)?(?P<name>\w[\w.\-]{{0,{marks.NAME_LIMIT}}}+)\((?:\)|\s*+\w++\s?=|\s*+\w*+\s?\Z)"
)
_OTHER_MEMBERS = ("type", "index", "tool_calls", "role")
_FIRST_MEMBERS = (*call_objects.NAMES, *ARGUMENTS, *call_objects.IDS, *call_objects.WRAPPED, *_OTHER_MEMBERS)
BEGUN_OBJECT = expression(
    rf"""
    [{{｛] \s{{0,40}}
    (?: (?P<whole> ["'“]? (?: {"|".join(_FIRST_MEMBERS)} ) (?: {call_objects.GAP} | ["'”] \s{{0,40}} \Z ) )
      | ["'“]? (?P<begun> \w{{0,20}} ) \Z )
    """,
    re.VERBOSE,
)
"""An object whose first member is one that calls have, or may become one."""
_LOOK = 40
_APART = expression(rf"(?:(?<!\w)|[<\[|｜]\w{{3,{_LOOK}}}+:?+)\Z")
"""What may stand in front of the name of a tool: anything but a word, or a mark without its last sign."""
_ARGUMENTS_WORD = expression(r"\b(?:arguments|parameters)\b")


def find_calls(raw: str, typed_calls: TypedCalls, *, finished: bool | None) -> list[RawCall]:
    """The calls of a text, in order.

    Raises:
        LLMJsonParseError: there is a mark of a call, and no call that can be read.
    """
    reader = Reader(raw, typed_calls, finished=finished)
    try:
        reader.run()
    except LLMJsonParseError:
        typed_calls.reached = reader.reached
        raise
    if reader.marked is not None and not reader.calls:
        raise words.call_error(words.NO_CALL, raw, reader.marked)
    visible = blanked(raw, sorted([*reader.aside, *(call.span for call in reader.calls)]))
    json = TypedCalls(visible, typed_calls.tools, typed_calls.work)
    other = next((one.start() for one in NAME_MEMBER.finditer(visible) if one["name"] in json.tools.names), None)
    if reader.calls and other is not None and ARGUMENTS_MEMBER.search(visible):
        raise words.call_error(words.BETWEEN, raw, other)
    found = reader.calls or _plain(visible, json)
    if not found or reader.calls:
        _check_end(visible, json)
    if not found:
        _check_shape(visible, json.tools)
    return found


def _check_shape(visible: str, tools: Tools) -> None:
    """Refuse a text in which a tool's name and its arguments stand as in a call, in no notation."""
    mentions = Mentions(visible, tools.names)
    call, rest = _shapes(tools.names, tools.keys)
    for shape in call.finditer(visible):
        is_apart = _APART.search(visible, max(0, shape.start() - _LOOK), shape.start())
        if is_apart and not mentions.is_mentioned(shape):
            raise words.call_error(words.NO_CALL, visible, shape.start())
    for shape in rest.finditer(visible):
        if mentions.end_of(*shape.span(), 0) is None:
            raise words.call_error(words.NO_CALL, visible, shape.start())


@lru_cache(maxsize=64)
def _shapes(names: frozenset[str], keys: frozenset[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The name of a tool and the beginning of arguments behind nothing but signs or tags, and what is left of a call.

    The first is for `Mentions.is_mentioned`; the second is the end of a call in tags of its names, or a label with it.
    """
    known, parameters = marks.any_word(names), marks.any_word(keys)
    python = r"(?P<python>\(\s{0,9}(?:\w{1,60}\s?=\s{0,9})?[\"'\[{\d])"
    signs = r"(?P<quoted>[\"']?)[\"'>\[\]|｜:=,\s]{0,9}"
    member = r"\{\s{0,9}(?:[\"'][\w\- ]{1,60}[\"']\s{0,9}:|--\w|\w{1,60}\s?:\s?[\"'\[{\d])"
    arguments = rf"(?i:(?:action |tool )?(?:{'|'.join(ARGUMENTS)}))"
    tags = repeated(r"\s{0,9}(?:</?[\w:]{1,40}+>?|/?[\w:]{1,40}+>)", "{1,3}")
    fields = rf"[\"']?[ ]?\r?\n[ ]{{0,9}}{arguments}:[ ]?\r?\n[ ]{{1,9}}\w{{1,60}}:"
    label = r"^[ \t*]{0,9}(?i:action|行动|动作)[ \d*]{0,6}[:：][ \t*]{0,9}[`\"']?"
    labelled = rf"{label}(?:{known})[`\"']?[ \t*]{{0,9}}(?:\[|$)"
    return (
        expression(
            rf"(?:{known})(?::\d{{1,9}}(?=\s?\{{))?"
            rf"(?:{python}|{signs}(?:{arguments}[\"'>\[\]|｜:=,\s]{{0,9}})?{member}|{tags}\s{{0,9}}{member}|{fields})"
        ),
        expression(rf"</(?:{parameters})>\s*+</(?:{known})>|{labelled}", re.MULTILINE),
    )


def _check_end(visible: str, json: TypedCalls) -> None:
    """Refuse a text that ends in a call that was cut off, in front of its mark's end or of its arguments."""
    found = BEGUN_OBJECT.finditer(visible)
    begun = [
        one.start() for one in found if one["whole"] or any(name.startswith(one["begun"]) for name in _FIRST_MEMBERS)
    ]
    few = call_objects.MAX_CALLS
    first_and_last = [*begun[:few], *begun[few:][-few:]]
    if marks.ends_in_a_mark(visible, json.tools.names) or any(map(json.is_cut, first_and_last)):
        raise words.call_error(words.CUT, visible, len(visible), truncated=True)


def _lines(visible: str, names: frozenset[str]) -> list[RawCall]:
    """The calls of which each begins with the name of a tool on a line of its own, and goes on with an object."""
    mentions = Mentions(visible, names)
    found = [one for one in marks.named_marks(names).lines.finditer(visible) if mentions.end_of(*one.span(), 0) is None]
    if not found and visible.endswith("\n") and visible.strip() in names:
        raise words.call_error(words.CUT, visible, len(visible), truncated=True)
    ends = [one.start() for one in found[1:]] + [len(visible)]
    return [
        RawCall(one["name"], Span(one.start("name"), end), visible[one.end() : end], one.end(), row=marks.LINE)
        for one, end in zip(found, ends, strict=False)
    ]


def _plain(visible: str, json: TypedCalls) -> list[RawCall]:
    """The calls that a text without marks consists of."""
    names = json.tools.names
    if lines := _lines(visible, names):
        return lines
    begun = BEGUN_CALL.match(visible)
    if begun and json.tools.plain(begun["name"]) in names:
        calls, end = read_python_calls(visible, 0)
        rest = visible[end:].strip().strip("`~")
        if rest and not rest.strip("])}`~"):
            raise words.call_error(words.NOT_LITERAL, visible, end)
        if rest and any(name.startswith(rest) for name in names):
            raise words.call_error(words.CUT, visible, len(visible), truncated=True)
        return [] if rest else calls
    named = {found["name"] for found in NAME_MEMBER.finditer(visible)}
    is_told = bool(named) and ARGUMENTS_MEMBER.search(visible) is not None
    begun_value = BEGUN_VALUE.match(visible)
    is_likely = begun_value and any(name in visible for name in names) and _ARGUMENTS_WORD.search(visible)
    if not is_told and not is_likely:
        if begun_value and json.is_cut(begun_value.end() - 1):
            raise words.call_error(words.CUT, visible, len(visible), truncated=True)
        return []
    try:
        return json.envelopes(0, len(visible), finished=None)
    except LLMJsonParseError as error:
        if error.details.get("truncated") or is_likely or (is_told and named & names):
            raise
        return []
