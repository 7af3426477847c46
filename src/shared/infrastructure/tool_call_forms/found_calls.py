"""The calls of a text: those that marks tell of, or else those that the text consists of."""

from __future__ import annotations

import re

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.parsing.reader.budget import Work
from src.shared.infrastructure.parsing.reader.edits import Edit, EditedText
from src.shared.infrastructure.parsing.state import Target
from src.shared.infrastructure.tool_call_forms.envelopes import Json
from src.shared.infrastructure.tool_call_forms.marks import NAME_LIMIT, ends_in_a_mark
from src.shared.infrastructure.tool_call_forms.raw_call import RawCall
from src.shared.infrastructure.tool_call_forms.walk import Walk
from src.shared.infrastructure.tool_call_forms.words import CUT, NO_CALL, call_error

_GAP = r"[\"'“”]?\s{0,40}[:：]\s{0,40}"
NAME_MEMBER = re.compile(rf"(?:\b(?:tool_)?name){_GAP}[\"'“](?P<name>[^\"'“”]{{1,{NAME_LIMIT}}}+)")
ARGUMENTS_MEMBER = re.compile(rf"\b(?:arguments|parameters|args|input){_GAP}")
BEGUN_VALUE = re.compile(r"\s*+(?:(?:```|~~~)\w{0,20}+\s*+)?+[{\[]")


def found_calls(raw: str, names: frozenset[str], json: Json, work: Work, *, finished: bool | None) -> list[RawCall]:
    """The calls of a text, in order.

    Raises:
        LLMJsonParseError: there is a mark of a call, and no call that can be read.
    """
    walk = Walk(raw, names, Target().scanner(raw, work), json, finished=finished)
    walk.run()
    if walk.calls:
        return walk.calls
    if walk.has_marks:
        raise call_error(NO_CALL, raw, 0)
    if finished is None and ends_in_a_mark(raw, names):
        raise call_error(CUT, raw, len(raw), truncated=True)
    blanks = [Edit(start, end - start, " " * (end - start)) for start, end in walk.aside]
    visible = EditedText(raw, 0, len(raw), blanks).text
    return _plain(visible, names, walk, json.of(visible), finished=finished)


def _plain(visible: str, names: frozenset[str], walk: Walk, json: Json, *, finished: bool | None) -> list[RawCall]:
    """The calls that a text without marks consists of."""
    named = {found["name"] for found in NAME_MEMBER.finditer(visible)}
    is_told = bool(named) and ARGUMENTS_MEMBER.search(visible) is not None
    if not is_told and not BEGUN_VALUE.match(visible):
        return []
    try:
        found = walk.bodies.envelopes(json, 0, len(visible), finished=finished)
    except LLMJsonParseError as error:
        if error.details.get("truncated") or (is_told and named & names):
            raise
        return []
    return found if is_told else []
