"""Where the legacy tags of a text are: one walk over what is left of it when the reasoning is dropped.

A tag inside a JSON string is data. An element ends at the first closing tag of its name; other tags inside it are
its text. Attributes are read over. Where tags do not pair up, where an element ends is a guess: a `TagError`.

Every expression is linear: repetitions are possessive or bounded, and none reaches beyond the next `<`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from src.modules.visual_rag.domain.problems import ActionProblem, nested, never_closed, stray_closing
from src.shared.domain.possessive import repeated
from src.shared.infrastructure.parsing.inspection import Inspection

ANSWER, BBOX, SEARCH, TOOLS_CALL = "answer", "bbox", "search", "tools_call"
NAMES = (ANSWER, BBOX, SEARCH, TOOLS_CALL)
_ANY = rf"(?i:{'|'.join(NAMES)})"
_VALUE = r"(?:\"[^\"<]*+\"|'[^'<]*+'|[^\s\"'<>=`]++)"
ATTRIBUTES = repeated(rf"\s++[A-Za-z_][\w:.\-]*+\s*+=\s*+{_VALUE}") + r"\s*+"
"""What may stand between a tag's name and its end."""
_REST = ATTRIBUTES + r"(?P<void>/?)>"
_CLOSE = r"<\s{0,20}+/\s{0,20}+"
_TAG = re.compile(rf"<(?P<name>{_ANY}){_REST}|{_CLOSE}(?P<closed>{_ANY})\s*+>")
_OPENING = {name: re.compile(rf"<(?i:{name}){_REST}") for name in NAMES}
_CLOSING = {name: re.compile(rf"{_CLOSE}(?i:{name})\s*+>") for name in NAMES}
_HALF_CLOSING = {
    name: re.compile(rf"</(?i:{'|'.join(name[:length] for length in range(len(name), 0, -1))}|)\Z") for name in NAMES
}


class TagError(Exception):
    """The tags do not pair up, or do not say which action is meant."""

    def __init__(self, problem: ActionProblem) -> None:
        super().__init__(problem.message)
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Element:
    """A tag with what it encloses.

    Attributes:
        name: one of NAMES.
        start: offset of the opening tag.
        inner: offset after the opening tag.
        inner_end: offset of the closing tag.
        end: offset after the closing tag.
        is_closed: whether a closing tag, or the beginning of one, says that nothing of it is missing.
    """

    name: str
    start: int
    inner: int
    inner_end: int
    end: int
    is_closed: bool = True


def elements(reading: Inspection) -> Iterator[Element]:
    """The elements of a text whose reasoning is dropped, in their order; the last one may be open.

    None is looked for behind an object that is cut off in a string which may go on to there.

    Raises:
        TagError: the tags do not pair up.
    """
    at = 0
    while tag := _TAG.search(reading.text, at):
        covered_to = reading.end_of_value(at, tag.start())
        if covered_to:
            at = covered_to
        elif may_be_in_a_cut_string(reading, at, tag.start()):
            return
        elif tag["closed"]:
            raise TagError(stray_closing(tag["closed"].lower(), tag.start()))
        else:
            element = _element(reading, tag)
            yield element
            at = element.end


def may_be_in_a_cut_string(reading: Inspection, at: int, place: int) -> bool:
    """Whether an object that is cut off and has no `"` to count opens before a place: any string may reach it."""
    return any(reading.text.find('"', start, place) < 0 for start in reading.cut_values(at, place))


def _element(reading: Inspection, tag: re.Match[str]) -> Element:
    name = tag["name"].lower()
    if tag["void"]:
        return Element(name, tag.start(), tag.end(), tag.end(), tag.end())
    closing = closing_of(reading, tag.end(), name)
    if closing is None:
        return _open_element(reading.text, tag, name)
    if name != TOOLS_CALL and _OPENING[name].search(reading.text, tag.end(), closing.start()):
        raise TagError(nested(name, tag.start()))
    return Element(name, tag.start(), tag.end(), closing.start(), closing.end())


def closing_of(reading: Inspection, at: int, name: str) -> re.Match[str] | None:
    """The closing tag; one inside a call's JSON is data."""
    while closing := _CLOSING[name].search(reading.text, at):
        values = reading.values(at, closing.start()) if name == TOOLS_CALL else ()
        around = next((value.end for value in values if value.end > closing.start()), None)
        if around is None:
            return closing
        at = around
    return None


def _open_element(text: str, tag: re.Match[str], name: str) -> Element:
    inner = tag.end()
    if _TAG.search(text, inner):
        raise TagError(never_closed(name, tag.start()))
    end = max(inner, len(text.rstrip()))
    half = _HALF_CLOSING[name].search(text, max(inner, end - len(name) - 2), end)
    inner_end = half.start() if half else end
    return Element(name, tag.start(), inner, inner_end, end, is_closed=half is not None)
