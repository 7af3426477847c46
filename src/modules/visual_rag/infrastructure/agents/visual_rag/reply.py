"""What a text holds as an action: an object with the four fields, failing that a legacy tag; and what is none.

The legacy form is `<search>`, `<answer>`, `<tools_call>` and `<bbox>`, outside the reasoning. A tag inside a JSON
string is data. An element ends at the first closing tag of its name; other tags inside it are its text. Attributes are
read over. Where tags do not pair up, where an element ends is a guess: a `TagError`.

Where a model invents what comes after its turn, an observation or somebody else's turn, nothing from there on is its
action: whatever it answers there rests on what no tool has said.

Every expression is linear: repetitions are possessive or bounded, and none reaches beyond the next `<`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
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
from src.shared.domain.parse_reasons import SEVERAL_OBJECTS
from src.shared.infrastructure.parsing.inspection import Reading, Span, inspect

ANSWER, BBOX, SEARCH, TOOLS_CALL = "answer", "bbox", "search", "tools_call"
NAMES = (ANSWER, BBOX, SEARCH, TOOLS_CALL)
_ANY = rf"(?i:{'|'.join(NAMES)})"
_VALUE = r"(?:\"[^\"<]*+\"|'[^'<]*+'|[^\s\"'<>=`]++)"
_ATTRIBUTES = repeated(rf"\s++[A-Za-z_][\w:.\-]*+\s*+=\s*+{_VALUE}") + r"\s*+"
"""What may stand between a tag's name and its end."""
_REST = _ATTRIBUTES + r"(?P<void>/?)>"
_CLOSE = r"<\s{0,20}+/\s{0,20}+"
_TAG = re.compile(rf"<(?P<name>{_ANY}){_REST}|{_CLOSE}(?P<closed>{_ANY})\s*+>")
_OPENING = {name: re.compile(rf"<(?i:{name}){_REST}") for name in NAMES}
_CLOSING = {name: re.compile(rf"{_CLOSE}(?i:{name})\s*+>") for name in NAMES}
_HALF_CLOSING = {
    name: re.compile(rf"</(?i:{'|'.join(name[:length] for length in range(len(name), 0, -1))}|)\Z") for name in NAMES
}

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

_BLOCK = "information|observations?|(?:tool|function)_(?:response|result)s?|search_results?"
_ROLE = "user|system|tool|ipython|function|observation|environment"
_OBSERVATION = rf"""
    <(?i:{_BLOCK}){_ATTRIBUTES}/?>                         # a block in which a tool's result stands
  | <\|(?:im_start|start_header_id)\|>\s*+(?i:{_ROLE})\b  # a turn in the chat templates of Qwen and of Llama
  | <start_of_turn>\s*+(?i:{_ROLE})\b                     # of Gemma
  | <\|(?:{_ROLE})\|>                                     # of Phi and of GLM
"""
_MARK = re.compile(_OBSERVATION, re.VERBOSE)
_INVENTED = re.compile(f"<(?P<action>{_ANY}){_REST} | {_OBSERVATION}", re.VERBOSE)
_ANOTHER = re.compile(rf"{_OBSERVATION} | </(?i:{_BLOCK})\s*+>", re.VERBOSE)
"""Another observation, or the end of one."""

WRAPPERS_LIMIT = 3
"""Most lists and objects, one in the other, that an action may be wrapped in."""
_WRAPPER = re.compile(r"""(?: \{ \s*+ "[^"\\]{1,64}+" \s*+ : | \[ ) \s*+ (?=[\[{])""", re.VERBOSE)
"""Matches `{"response": ` and `[` before an object or a list; not `{"think": "t"`."""
_CLOSES = {"{": "}", "[": "]"}


class ActionReply(BaseModel):
    """The four required fields; what may stand in them depends on the action, and is checked with it."""

    think: Any
    action: Any
    arguments: Any
    answer: Any


class ToolsCall(BaseModel):
    """What `<tools_call>` encloses; arguments that are missing are wrong arguments of the tool that is named."""

    name: Any
    arguments: Any = None


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


@dataclass(frozen=True, slots=True)
class Reply:
    """How a text was read as an object with the four fields.

    Attributes:
        reading: where there is no object, how far it came; its text is without reasoning.
        is_ambiguous: whether there are several objects, and nothing says which one is meant.
    """

    reading: Reading
    is_ambiguous: bool = False

    @property
    def is_final(self) -> bool:
        """Whether tags cannot be the action either: the text ends in reasoning, or several objects are there."""
        error = self.reading.error
        return error is None or self.is_ambiguous or error.details["stage"] == "think"

    def action(self, last_image: str | None, *, needs_closing: bool = False) -> ParsedAction:
        """The action of the object, else of the tag that is meant, else why there is none.

        Args:
            last_image: as for `parse_action`.
            needs_closing: whether the tag must be closed although the text is whole: the model wrote on behind it.
        """
        reading, tag = self.reading, None
        if not self.is_final:
            try:
                tag = _read_tags(reading, last_image, needs_closing=needs_closing)
            except TagError as error:
                return error.result
        if reading.error:
            return tag or unreadable(reading.error, is_ambiguous=self.is_ambiguous)
        data, (start, end) = reading.data, reading.chosen or (0, len(reading.raw))
        parsed = check_action(data["action"], data["arguments"], data["answer"])
        stages = tuple(dict.fromkeys(note.stage for note in reading.notes)) if parsed.action else ()
        own = reading.raw[start:end]
        return replace(parsed, raw_json=own, repairs=reading.repairs, stages=stages, kept=own)


def find_reply(text: str, *, finished: bool | None, after: Reading | None = None) -> Reply:
    """Find the object with the four fields; whatever tags stand beside it, they do not compete with it.

    Where the text has no such object, one inside a list or another object's only member is taken. `after` is an earlier
    reading of a text of which this is a part.
    """
    first = Reply(inspect(text, ActionReply, finished=finished, after=after))
    if first.is_final:
        return first
    beside = _blank_out(first.reading, _tags(first.reading))
    inside = beside if beside.error is None else _blank_out(beside, _wrappers(beside))
    if inside.error is None:
        return Reply(inside)
    return Reply(first.reading, is_ambiguous=_names_several(first.reading) and _names_several(beside))


def _blank_out(before: Reading, spans: Iterable[Span]) -> Reading:
    """The reading of the text with blanks in place of some of it; the same one where that is nothing."""
    text = _cut_out(before.raw, spans, 0, len(before.raw), " ")
    return before if text == before.raw else inspect(text, ActionReply, finished=before.target.finished, after=before)


def _cut_out(raw: str, spans: Iterable[Span], start: int, end: int, filler: str = "") -> str:
    """What stands between two offsets, without some of it or with a filler in its place."""
    parts: list[str] = []
    for span in spans:
        if start <= span.start < end:
            parts += [raw[start : span.start], filler * (span.end - span.start)]
            start = span.end
    return "".join([*parts, raw[start:end]])


def _names_several(reading: Reading) -> bool:
    return reading.error is not None and reading.error.details.get("json_error") == SEVERAL_OBJECTS.en


def _tags(reading: Reading) -> Iterator[Span]:
    """The elements that a tag may be an action by."""
    with suppress(TagError):
        for element in elements(reading):
            yield Span(element.start, element.end)


def _wrappers(reading: Reading) -> Iterator[Span]:
    """The brackets around what a list or an object's only member holds."""
    raw = reading.raw
    for start, end in reading.readable(0, len(raw)):
        inner, inner_end = start, end
        for _ in range(WRAPPERS_LIMIT):
            opening = _WRAPPER.match(raw, inner, inner_end)
            if opening is None or raw[inner_end - 1] != _CLOSES[raw[inner]]:
                break
            inner, inner_end = opening.end(), len(raw[: inner_end - 1].rstrip())
        yield Span(start, inner)
        yield Span(inner_end, end)


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
    name, start, inner = tag["name"].lower(), tag.start(), tag.end()
    if tag["void"]:
        return Element(name, start, inner, inner, inner)
    text, closing = reading.text, _closing_of(reading, inner, name)
    if closing:
        if name != TOOLS_CALL and _OPENING[name].search(text, inner, closing.start()):
            raise TagError(ProblemKind.TAGS, Phrase("<{name}> inside <{name}>", name=name), start)
        return Element(name, start, inner, closing.start(), closing.end())
    if _TAG.search(text, inner):
        raise _never_closed(name, start)
    end = max(inner, len(text.rstrip()))
    half = _HALF_CLOSING[name].search(text, max(inner, end - len(name) - 2), end)
    return Element(name, start, inner, half.start() if half else end, end, is_closed=half is not None)


def _closing_of(reading: Reading, at: int, name: str) -> re.Match[str] | None:
    """The closing tag; one inside a call's JSON is data."""
    while closing := _CLOSING[name].search(reading.text, at):
        values = reading.readable(at, closing.start()) if name == TOOLS_CALL else ()
        around = next((value.end for value in values if value.end > closing.start()), None)
        if around is None:
            return closing
        at = around
    return None


def _never_closed(name: str, offset: int) -> TagError:
    return TagError(ProblemKind.TAGS, Phrase("<{name}> is never closed", name=name), offset)


def _read_tags(reading: Reading, last_image: str | None, *, needs_closing: bool) -> ParsedAction | None:
    """The action of the element that is meant; None if the text without its reasoning has no such tag.

    Raises:
        TagError: the tags do not pair up, or several different ones could be the action.
    """
    last = {(one.name, *reading.text[one.inner : one.inner_end].split()): one for one in elements(reading)}
    found = sorted(last.values(), key=lambda one: one.start)  # of equal elements the last one
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
    whole = Span(element.start, element.end)
    outside = [span for span in reading.reasoning if not whole.start <= span.start < whole.end]
    kept = "\n".join(reading.raw[start:end].strip() for start, end in sorted([*outside, whole]))
    return replace(_action(reading, element, last_image), superseded=len(found) - 1, kept=kept)


def _is_last_word(found: list[Element], reading: Reading) -> bool:
    """Whether the last element is what the model came to, and those before it lie behind.

    So it is in a recorded trajectory: after a search the model reasoned on, and the text ends with the last action.
    An answer ends a run; nothing can follow it.
    """
    earlier, last = found[-2], found[-1]
    reasoned_on = any(earlier.end <= start and end <= last.start for start, end in reading.reasoning)
    return reasoned_on and last.end == len(reading.raw) and all(one.name != ANSWER for one in found[:-1])


def _cut_off(name: str) -> Message:
    return Phrase("the text ends inside {name}; part of it may be missing", name=name)


def _action(reading: Reading, element: Element, last_image: str | None) -> ParsedAction:
    """The action by what an element encloses, without the reasoning in it; `&` and `<` stand for themselves."""
    name = element.name
    text = _cut_out(reading.raw, reading.reasoning, element.inner, element.inner_end).strip()
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


def _called(text: str, *, is_whole: bool) -> ParsedAction:
    """A crop or an OCR, from the JSON of a call."""
    reading = inspect(text, ToolsCall, finished=is_whole or None)
    if reading.error:
        return unreadable(reading.error)
    tool = action_named(reading.data["name"])
    if tool not in ON_IMAGE:
        return no_action(ProblemKind.UNKNOWN_ACTION, Phrase("the name in <tools_call> must be crop or ocr"))
    return replace(check_action(tool, reading.data.get("arguments")), repairs=reading.repairs)


def strip_end_marks(text: str) -> str:
    """The text without the marks at its end, and without the white space around them."""
    return text[: len(text) - match_end(_BACKWARDS, text[::-1], 0)]


def find_observation(reading: Reading) -> int | None:
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
        name, at = mark["action"].lower(), mark.end()
        if not mark["void"] and name not in never_closed:
            closing = _closing_of(reading, at, name)
            if closing is None:
                never_closed.add(name)
            else:
                at = closing.end()
    return None


def is_mention(text: str, at: int) -> bool:
    """Whether the mark at a place is the only one from there on, and encloses nothing: `the <information> says 42`."""
    return _ANOTHER.search(text, at + 1) is None
