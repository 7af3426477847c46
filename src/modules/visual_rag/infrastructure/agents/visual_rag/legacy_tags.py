"""The legacy form, and what else stands in a reply beside its JSON: end marks, and observations that the model made up.

The legacy form is `<search>`, `<answer>`, `<tools_call>` and `<bbox>`, outside the reasoning. A tag inside a JSON
string is data. An element ends at the first closing tag of its name; other tags inside it are its text. Attributes are
read over. Where tags do not pair up, where an element ends is a guess: a `TagError`.

Where a model invents what comes after its turn, an observation or somebody else's turn, nothing from there on is its
action: whatever it answers there rests on what no tool has said.

Every expression is linear: repetitions are possessive or bounded, and none reaches beyond the next `<`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel
from pydantic_core import from_json

from src.modules.visual_rag.domain.actions import ON_IMAGE, ActionType
from src.modules.visual_rag.domain.parsed_action import (
    ParsedAction,
    ProblemKind,
    action_named,
    check_action,
    no_action,
    unreadable,
)
from src.shared.domain.expression import match_end, repeated
from src.shared.domain.language import Message, Phrase
from src.shared.infrastructure.parsing.inspection import Reading, Span, inspect

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
    """The tags do not pair up, or do not say which action is meant.

    Attributes:
        result: what a text with such tags gives.
    """

    def __init__(self, kind: ProblemKind, message: Message, offset: int) -> None:
        """`offset`: where the tag stands."""
        self.result = no_action(kind, message, offset=offset)
        super().__init__(message.en)


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


def elements(reading: Reading) -> Iterator[Element]:
    """The elements of a text whose reasoning is dropped, in their order; the last one may be open.

    Raises:
        TagError: the tags do not pair up.
    """
    at = 0
    while tag := _outside_json(reading, _TAG, at):
        if tag["closed"]:
            message = Phrase("</{name}> closes nothing", name=tag["closed"].lower())
            raise TagError(ProblemKind.TAGS, message, tag.start())
        element = _element(reading, tag)
        yield element
        at = element.end


def _outside_json(
    reading: Reading, sought: re.Pattern[str], at: int, reply: Span | None = None
) -> re.Match[str] | None:
    """What is sought, from a place on, that stands in no JSON value and not in the reply.

    None is looked for behind an object that is cut off and has no `"` to count: any string may reach there.
    """
    while found := sought.search(reading.text, at):
        place = found.start()
        covered_to = reading.end_of_value(at, place) or (reply.end if reply and reply.start <= place < reply.end else 0)
        if not covered_to:
            is_unsure = any(reading.text.find('"', start, place) < 0 for start in reading.cut_values(at, place))
            return None if is_unsure else found
        at = covered_to
    return None


def _element(reading: Reading, tag: re.Match[str]) -> Element:
    name = tag["name"].lower()
    if tag["void"]:
        return Element(name, tag.start(), tag.end(), tag.end(), tag.end())
    closing = closing_of(reading, tag.end(), name)
    if closing is None:
        return _open_element(reading.text, tag, name)
    if name != TOOLS_CALL and _OPENING[name].search(reading.text, tag.end(), closing.start()):
        raise TagError(ProblemKind.TAGS, Phrase("<{name}> inside <{name}>", name=name), tag.start())
    return Element(name, tag.start(), tag.end(), closing.start(), closing.end())


def closing_of(reading: Reading, at: int, name: str) -> re.Match[str] | None:
    """The closing tag; one inside a call's JSON is data."""
    while closing := _CLOSING[name].search(reading.text, at):
        values = reading.readable(at, closing.start()) if name == TOOLS_CALL else ()
        around = next((value.end for value in values if value.end > closing.start()), None)
        if around is None:
            return closing
        at = around
    return None


def _open_element(text: str, tag: re.Match[str], name: str) -> Element:
    inner = tag.end()
    if _TAG.search(text, inner):
        raise _never_closed(name, tag.start())
    end = max(inner, len(text.rstrip()))
    half = _HALF_CLOSING[name].search(text, max(inner, end - len(name) - 2), end)
    inner_end = half.start() if half else end
    return Element(name, tag.start(), inner, inner_end, end, is_closed=half is not None)


END_MARKS = tuple(
    """
    <|im_end|> <|im_start|> <|endoftext|> <|end_of_text|> <|eot_id|> <|eom_id|> <|eot|> <|eos|> <|end|> <|return|>
    <|call|> <|end_of_turn|> <|endofturn|> <|END_OF_TURN_TOKEN|> <|user|> <|observation|> <｜end▁of▁sentence｜>
    <end_of_turn> <end_of_utterance> <eos> </s> [EOS]
    """.split()
)
"""End-of-sequence and end-of-turn tokens of the model families in use, and those that open somebody else's turn.

They are listed: a mark that ends a block of reasoning looks the same, and dropping it would make a draft the answer.
"""

_BACKWARDS = re.compile(repeated("|".join([r"\s++", *(re.escape(mark[::-1]) for mark in END_MARKS)])))


def without_end_marks(text: str) -> str:
    """The text without the marks at its end, and without the white space around them."""
    return text[: len(text) - match_end(_BACKWARDS, text[::-1], 0)]


_BLOCK = "information|observations?|(?:tool|function)_(?:response|result)s?|search_results?"
_ROLE = "user|system|tool|ipython|function|observation|environment"
_OBSERVATION = rf"""
    <(?i:{_BLOCK}){ATTRIBUTES}/?>                          # a block in which a tool's result stands
  | <\|(?:im_start|start_header_id)\|>\s*+(?i:{_ROLE})\b  # a turn in the chat templates of Qwen and of Llama
  | <start_of_turn>\s*+(?i:{_ROLE})\b                     # of Gemma
  | <\|(?:{_ROLE})\|>                                     # of Phi and of GLM
"""
_MARK = re.compile(_OBSERVATION, re.VERBOSE)
_ACTION = rf"<(?i:(?P<action>{'|'.join(NAMES)})){ATTRIBUTES}(?P<void>/?)>"
_INVENTED = re.compile(f"{_ACTION} | {_OBSERVATION}", re.VERBOSE)
_ANOTHER = re.compile(rf"{_OBSERVATION} | </(?i:{_BLOCK})\s*+>", re.VERBOSE)
"""Another observation, or the end of one."""


def start_of_observation(reading: Reading) -> int | None:
    """Where the first invented observation begins, in a text whose reasoning is dropped; None where there is none.

    A mark in a JSON string is data, and one inside an action's element is that action's text.
    """
    if _MARK.search(reading.text) is None:
        return None
    at = 0
    never_closed: set[str] = set()
    while mark := _outside_json(reading, _INVENTED, at, reading.chosen):  # JSON in a string of the reply has no value
        if not mark["action"]:
            return mark.start()
        at = _end_of_element(reading, mark, never_closed)
    return None


def is_mention(text: str, at: int) -> bool:
    """Whether the mark at a place is the only one from there on, and encloses nothing: `the <information> says 42`."""
    return _ANOTHER.search(text, at + 1) is None


def _end_of_element(reading: Reading, opening: re.Match[str], never_closed: set[str]) -> int:
    """Where the element ends; if it is never closed, where its tag ends. Names known to stay open are remembered."""
    name = opening["action"].lower()
    closing = None if opening["void"] or name in never_closed else closing_of(reading, opening.end(), name)
    if closing is None and not opening["void"]:
        never_closed.add(name)
    return closing.end() if closing else opening.end()


class ToolsCall(BaseModel):
    """What `<tools_call>` encloses; arguments that are missing are wrong arguments of the tool that is named."""

    name: Any
    arguments: Any = None


def read_tags(reading: Reading, last_image: str | None, *, needs_closing: bool = False) -> ParsedAction | None:
    """The action of the element that is meant; None if the text without its reasoning has no such tag.

    Args:
        reading: of the model's text.
        last_image: as for `parse_action`.
        needs_closing: whether the element must be closed although the text is whole: the model wrote on behind it.

    Raises:
        TagError: the tags do not pair up, or several different ones could be the action.
    """
    found = _without_repetitions(reading, list(elements(reading)))
    if not found:
        return None
    element = found[-1]
    cut = next(reading.cut_values(element.end, len(reading.text)), None)
    if cut is not None:  # what the object would have been that the text breaks off in is not the tag's to replace
        raise TagError(ProblemKind.TRUNCATED, _cut_off("JSON"), cut)
    if len(found) > 1 and not _is_last_word(found, reading):
        message = Phrase("several different action tags; write exactly one")
        raise TagError(ProblemKind.SEVERAL, message, found[0].start)
    if needs_closing and not element.is_closed:
        raise _never_closed(element.name, element.start)
    parsed = _action(reading, element, last_image)
    return replace(parsed, superseded=len(found) - 1, kept=_with_reasoning(reading, element))


def _cut_off(name: str) -> Message:
    return Phrase("the text ends inside {name}; part of it may be missing", name=name)


def _never_closed(name: str, offset: int) -> TagError:
    return TagError(ProblemKind.TAGS, Phrase("<{name}> is never closed", name=name), offset)


def _action(reading: Reading, element: Element, last_image: str | None) -> ParsedAction:
    name, text = element.name, _text(reading, element)
    is_whole = bool(reading.target.finished) or element.is_closed
    if name == TOOLS_CALL:
        return _called(text, is_whole=is_whole)
    if not is_whole and not (name == BBOX and text.endswith("]")):  # a list that is closed is whole
        action = ActionType.CROP if name == BBOX else None
        return no_action(ProblemKind.TRUNCATED, _cut_off(name), action=action, offset=element.start)
    if name != BBOX:
        return check_action(name, {"query": text}, text)
    if last_image is None:
        message = Phrase("no image has been shown yet that could be cropped: search first")
        return no_action(ProblemKind.ARGUMENTS, message, action=ActionType.CROP)
    region = None
    with suppress(ValueError):
        region = from_json(text)
    return check_action(ActionType.CROP, {"image_id": last_image, "region": region})


def _text(reading: Reading, element: Element) -> str:
    """What an element encloses, without the reasoning in it; `&` and `<` stand for themselves."""
    raw, at, parts = reading.raw, element.inner, []
    for start, end in reading.reasoning:
        if element.inner <= start < element.inner_end:
            parts.append(raw[at:start])
            at = end
    return "".join([*parts, raw[at : element.inner_end]]).strip()


def _called(text: str, *, is_whole: bool) -> ParsedAction:
    """A crop or an OCR, from the JSON of a call."""
    reading = inspect(text, ToolsCall, finished=is_whole or None)
    if reading.error:
        return unreadable(reading.error)
    tool = action_named(reading.data["name"])
    if tool not in ON_IMAGE:
        return no_action(ProblemKind.UNKNOWN_ACTION, Phrase("the name in <tools_call> must be crop or ocr"))
    return replace(check_action(tool, reading.data.get("arguments")), repairs=reading.repairs)


def _with_reasoning(reading: Reading, element: Element) -> str:
    """The reasoning and an element, their texts unchanged, a line each."""
    whole = Span(element.start, element.end)
    outside = [span for span in reading.reasoning if not whole.start <= span.start < whole.end]
    return "\n".join(reading.raw[start:end].strip() for start, end in sorted([*outside, whole]))


def _without_repetitions(reading: Reading, found: list[Element]) -> list[Element]:
    """Of equal elements the last one, in the order of the text."""
    last = {(one.name, *reading.text[one.inner : one.inner_end].split()): one.start for one in found}
    places = set(last.values())
    return [one for one in found if one.start in places]


def _is_last_word(found: list[Element], reading: Reading) -> bool:
    """Whether the last element is what the model came to, and those before it lie behind.

    So it is in a recorded trajectory: after a search the model reasoned on, and the text ends with the last action.
    An answer ends a run; nothing can follow it.
    """
    earlier, last = found[-2], found[-1]
    reasoned_on = any(earlier.end <= start and end <= last.start for start, end in reading.reasoning)
    return reasoned_on and last.end == len(reading.raw) and all(one.name != ANSWER for one in found[:-1])
