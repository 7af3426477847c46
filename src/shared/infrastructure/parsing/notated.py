"""Finds an answer in another notation than JSON, where the caller allows that and the text holds no JSON for the type.

JSON comes first, and what the parser makes of it is final: a text in which an object of the type may stand, whole or
damaged, is never read otherwise. An answer in another notation has to be apart from the rest: in the only fence, in one
root element, as the only table, or as the whole text. Its end has to be shown, as everywhere: by the fence, the closing
tag, the text behind it, or by `finished`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple, cast

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.expression import expression, match_end, repeated
from src.shared.domain.language import Phrase
from src.shared.domain.options import all_notations
from src.shared.domain.parse_reasons import ONLY_ASIDE, RETRACTED, RIVAL, TWO_READINGS, Reason
from src.shared.domain.reading.reading import ELISION
from src.shared.domain.type_shapes import Path, TypeParts
from src.shared.domain.work import STEP
from src.shared.infrastructure.notations import labelled, markdown, xml, yaml
from src.shared.infrastructure.notations.fields import NotationError, Wanted, folded
from src.shared.infrastructure.notations.markdown import DELIMITERS, tables
from src.shared.infrastructure.notations.xml import DECLARED, NO_XML
from src.shared.infrastructure.parsing.parse_errors import not_json
from src.shared.infrastructure.parsing.remarks import Heading, goes_on, heading_of, is_taken_back
from src.shared.infrastructure.parsing.rivals import first_rival
from src.shared.infrastructure.parsing.state import NOTATED, ParseState, Span, changed
from src.shared.infrastructure.parsing.target_type import TargetType

MOST_CHARACTERS = 1_000_000
MOST_YAML = 200_000
"""Most characters of an answer in another notation; the parser of YAML takes up to a second for as many."""
_STAGES = frozenset({"fence", "control_chars", "strict", "extract", "repair"})
"""What JSON is looked for in: only where these find none the text may be something else."""
_FENCE = expression(r"^ {0,3}(?P<signs>```++|~~~++)[ \t]*+(?P<tag>[^\s`]*+)[^\n]*+$", re.MULTILINE)
_NO_LANGUAGE = frozenset({"", "text", "txt"})
"""Tags of fences that say nothing of what is in them."""
_TAG = expression(r"<(?P<name>[^\W\d][\w.\-]{0,99}+)(?=[\s/>])")
_DECLARATION = expression(r"<!(?!--)|<\?(?!xml\s)", re.IGNORECASE)
_OTHER_ANSWER = expression(rf"{DELIMITERS.pattern}|{_FENCE.pattern}|^[ \t]*+[|]", re.MULTILINE)
"""A table, a fence or a row beside an answer."""
_BLANK_OR_COMMENT = repeated(r"[ \t]*+(?:#[^\n]*+)?\r?\n")
_RULE = "\n---"
"""What ends the front matter of a page, and what parts an answer from nothing."""
_MARGIN = 20
_TO_COMMA = repeated(r"[^,\n]*+,", "+")
_BEGINS_JSON = expression(
    rf"^[ \t]*+[{{\[｛［]|^[ \t]*+[\"“][^\"“”\n]{{1,100}}+[\"”][ \t]*+[:：](?={_TO_COMMA}[ \t\r]*+$)", re.MULTILINE
)
"""A bracket that begins a line, or a key between quotes in one that ends with a comma."""
_SEVERAL_BLOCKS = Reason("several fenced blocks, or one that is not closed: none is marked as the answer")
_OTHER_BLOCK = Reason("the fenced block says that it is something else")
_SEVERAL_TABLES = Reason("several tables, none marked as the answer")
_TOO_LONG = Reason("the answer is too long for this notation; ask for JSON")
_WITHOUT_END = Reason(
    "nothing shows that the answer has come to its end; pass finished=True if the model stopped by itself"
)


class _Region(NamedTuple):
    """A part of a text that may be the answer, it with the marks around it, and whether these show its end."""

    start: int
    end: int
    outer: Span
    shows_end: bool


def with_notations(steps: Iterator[ParseState]) -> Iterator[ParseState]:
    """The states in which JSON is looked for, and where there is none for the type, that of another notation.

    Raises:
        LLMJsonParseError: of JSON, where it stands in the text; else it says what was tried, and why it is no answer.
    """
    last, error = next(steps), None
    yield last
    try:
        for last in steps:
            yield last
    except LLMJsonParseError as refused:
        error = refused
    found = _found(last, error) if error or not last.target.is_known(last.data) else None
    if found:
        yield found
    elif error:
        raise error


def _found(state: ParseState, error: LLMJsonParseError | None) -> ParseState | None:
    """The state with the answer in another notation; None where JSON is final, or what was decoded before."""
    target, text = state.target, state.text
    if target.salvage or target.finished is False or state.scanner.work.refused or not target.own_keys():
        return None
    if (error and error.details["stage"] not in _STAGES) or (target.normalizers and ("{" in text or "｛" in text)):
        return None  # a hook may rename the keys of an object
    dto_type = cast("TargetType[Any]", target.dto_type)
    wanted = _wanted_of(dto_type, as_written=target.reads_decimals)
    if wanted is None or _BEGINS_JSON.search(text) or _marks_of(target.own_keys())[0].search(text):
        return None
    asked, refusals = all_notations(target.read_as.notations)[1:], list[tuple[str, NotationError]]()
    readings = list[ParseState]()
    for notation in asked:
        try:
            region = _region(text, notation, wanted)
            readings += [_read(state, notation, region, wanted)] if region else []
        except NotationError as refused:
            refusals.append((notation, refused))
    if not readings:
        if error:
            raise _refused(state, error, asked, refusals) from error
        return None
    readings = [one for one in readings if readings[1:] and one.target.fits(one.data)] or readings[:1]
    if len({json.dumps(one.data, default=str, sort_keys=True) for one in readings}) > 1:
        raise state.refused(TWO_READINGS, "extract", (readings[1].chosen or Span(0, 0)).start)
    return readings[0]


def _refused(
    state: ParseState, error: LLMJsonParseError, asked: Sequence[str], refusals: list[tuple[str, NotationError]]
) -> LLMJsonParseError:
    """The error that says what was tried, and why the notation that came furthest is none."""
    why, place = Reason("no answer stands in any of them"), error.details.get("position")
    tried = Phrase.joined("{one}, {other}", asked)
    if refusals:
        notation, refused = max(refusals, key=lambda one: (one[1].offset, one[0] in ("xml", "markdown")))
        tried, why, place = Phrase("{name}", name=notation), refused.reason, state.lines.position(refused.offset)
    reason = Reason("no JSON for the type, and read as {tried}: {why}", tried=tried, why=why)
    return not_json(reason, "extract", state.raw, position=place, notations=list(asked))


def _region(text: str, notation: str, wanted: Wanted) -> _Region | None:
    """Where an answer in a notation stands; None where nothing in the text looks like it.

    Raises:
        NotationError: it may stand in several places, or is not apart from the rest.
    """
    is_element = notation == "xml" and text.lstrip()[:1] == "<" and text.rstrip()[-1:] == ">"
    fences = [] if is_element else list(islice(_FENCE.finditer(text), 3))
    start, stop, outer = 0, len(text), None
    if fences:
        first, last = fences[0], fences[-1]
        if len(fences) != 2 or last["tag"] or not last["signs"].startswith(first["signs"]):  # noqa: PLR2004 - lines of one
            raise NotationError(_SEVERAL_BLOCKS, last.start())
        if first["tag"].lower() not in _NOTATIONS[notation].tags:
            raise NotationError(_OTHER_BLOCK, first.start())
        start, stop, outer = first.end(), last.start(), Span(first.start(), last.end())
    stop = start + len(text[start:stop].rstrip())
    stop -= len(_RULE) * text.endswith(_RULE, start, stop)
    start, find = min(match_end(_NOTATIONS[notation].before, text, start), stop), _NOTATIONS[notation].find
    found = find(text, start, stop, wanted) if find else (start, stop, False)
    if found is None:
        return None
    begin, end, shows_end = found
    if outer and (text[start:begin] + text[end:stop]).strip():
        raise NotationError(RIVAL, begin)
    return _Region(begin, end, outer or Span(begin, end), shows_end or outer is not None)


def _table(text: str, start: int, stop: int, _: Wanted) -> tuple[int, int, bool] | None:
    """Where the only table stands, and whether text behind it shows its end.

    Raises:
        NotationError: there are several.
    """
    found = list(islice(tables(text[:stop], start), 2))
    if len(found) > 1:
        raise NotationError(_SEVERAL_TABLES, found[1][0])
    return (*found[0], bool(text[found[0][1] :].strip())) if found else None


def _element(text: str, start: int, stop: int, wanted: Wanted) -> tuple[int, int, bool] | None:
    """Where the elements stand, and whether one root stands around all of them.

    Raises:
        NotationError: something is declared in front of them, or the last one is not closed.
    """
    tag = _TAG.search(text, start, stop)
    declared = _DECLARATION.search(text, start, tag.start() if tag else start)
    if declared:
        raise NotationError(DECLARED, declared.start())
    if tag is None:
        return None
    closing, is_field = f"</{tag['name']}", tag["name"] in wanted.row.names
    close = text.rfind(closing, tag.end(), stop)
    last = text.rfind(">", tag.end() - 1, stop) if is_field or close < 0 else text.find(">", close, stop)
    if last < 0:
        raise NotationError(NO_XML, tag.start())
    return tag.start(), last + 1, not is_field and text.find(closing, tag.end(), stop) == close >= 0


class _Notation(NamedTuple):
    """How a notation is read.

    Attributes:
        read: reads the part of a text that is the answer.
        before: what may stand in front of it, and belongs to it.
        tags: those of the fences that it may stand in.
        find: where it stands in a part of a text, and whether its marks show its end; None where it is all of it.
        most: most characters of an answer.
    """

    read: Callable[[str, Wanted], Any]
    before: re.Pattern[str]
    tags: frozenset[str]
    find: Callable[[str, int, int, Wanted], tuple[int, int, bool] | None] | None = None
    most: int = MOST_CHARACTERS


_YAML_HEAD = expression(_BLANK_OR_COMMENT + repeated(rf"---[ \t]*+\r?\n{_BLANK_OR_COMMENT}", "?"))
_XML_HEAD = expression(r"\s*+" + repeated(r"<\?xml\s[^<>]{1,200}\?>", "?"))
_LABELLED_HEAD = expression(r"\s*+" + repeated(r"---[ \t]*+\r?\n\s*+", "?"))
_NOTATIONS = {
    "yaml": _Notation(yaml.read, _YAML_HEAD, _NO_LANGUAGE | {"yaml", "yml"}, most=MOST_YAML),
    "xml": _Notation(xml.read, _XML_HEAD, _NO_LANGUAGE | {"xml"}, _element),
    "labelled": _Notation(labelled.read, _LABELLED_HEAD, _NO_LANGUAGE | {"md", "markdown"}),
    "markdown": _Notation(markdown.read, expression(r"\s*+"), _NO_LANGUAGE | {"md", "markdown"}, _table),
}


def _read(state: ParseState, notation: str, region: _Region, wanted: Wanted) -> ParseState:
    """The state with the data of a region, and notes of how they were read.

    Raises:
        NotationError: it is too long, or its reader refuses it.
    """
    raw = state.raw if notation == "xml" else state.text  # a field may be called as a mark of reasoning is
    text, work = raw[region.start : region.end], state.scanner.work
    if len(text) > _NOTATIONS[notation].most:
        raise NotationError(_TOO_LONG, region.start)
    work.spend(max(0, min(STEP * len(text), work.left)))
    try:
        data = _NOTATIONS[notation].read(text, replace(wanted, has_foreign=region.outer.start < region.start))
    except NotationError as refused:
        raise NotationError(refused.reason, region.start + refused.offset) from None
    _check_beside(state, region, wanted, is_xml=notation == "xml")
    dto_type = cast("TargetType[Any]", state.target.dto_type)
    target = state.target if notation == "yaml" else replace(state.target, dto_type=dto_type.coercing())
    found = changed(state, data=data, edits=(), text="", target=target)
    for action in ("recognised", NOTATED[notation], "chosen"):
        found = found.noting("extract", action, Span(region.start, region.end))
    return found


def _check_beside(state: ParseState, region: _Region, wanted: Wanted, *, is_xml: bool) -> None:
    """Account for the text around an answer.

    Raises:
        NotationError: another one may stand there, or words that take this one back, or it may go on.
    """
    text, fields, (start, end, outer, shows_end) = state.text, state.target.own_keys(), region
    left = [Span(0, outer.start), Span(outer.end, len(text))]
    rivals = [first_rival(text, left, fields)]
    for mark in (_marks_of(fields.union(wanted.labels))[1], _OTHER_ANSWER):
        rivals += [at + found.start() for at, to in left if (found := mark.search(text[at:to]))]  # a part begins a line
    for note in state.notes:  # reasoning that was dropped
        tag = _TAG.match(state.raw, note.span.start)
        is_inside = start < note.span.start < end
        if note.action == "dropped" and (not is_xml if is_inside else tag and tag["name"] in fields):
            rivals.append(note.span.start)
    ends = (end, outer.end)
    for reason, places in (
        (RIVAL, [place for place in rivals if place is not None]),
        (ONLY_ASIDE, [at for at in {start, outer.start} if heading_of(text, at) in (Heading.SHOWN, Heading.CALLED)]),
        (RETRACTED, [at for at in ends if is_taken_back(text, at)]),
        (ELISION, [at for at in ends if goes_on(text, at)]),
        (_WITHOUT_END, [] if shows_end or state.target.finished else [end]),
    ):
        if places:
            raise NotationError(reason, places[0])


@lru_cache(maxsize=64)
def _marks_of(names: frozenset[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A field as the first key of an object in JSON; and one that begins a line with a colon, or is a tag."""
    fields = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    key = expression(rf"[{{｛]\s{{0,{_MARGIN}}}+[\"'“”‘]?(?:{fields})[\"'“”’]?\s{{0,{_MARGIN}}}+[:：=]")
    line = rf"^[ \t>*\-•|\d._`]{{0,{_MARGIN}}}+(?:{fields})[*_`]{{0,3}}+[ \t]{{0,{_MARGIN}}}+[:：]"
    return key, expression(rf"{line}|</?(?:{fields})(?=[\s/>])", re.MULTILINE | re.IGNORECASE)


def _wanted_of(dto_type: TargetType[Any], *, as_written: bool) -> Wanted | None:
    """What an answer is read for; None where the type is read from both an object and an array."""
    expected = dto_type.expected
    if expected.objects is expected.arrays:
        return None
    row, path = (expected.element(0), (0,)) if expected.arrays else (expected, Path())
    called = {(name, name) for name in row.names} | {*row.titles()}
    for names in TypeParts(dto_type.adapter.core_schema).fields(path):
        called |= {(key, name) for key in names & row.names for name in names}
    labels, bare = dict[str, set[str]](), dict[str, set[str]]()
    for key, name in called:
        labels.setdefault(name, set()).add(key)
        bare.setdefault(folded(name), set()).add(key)
    return Wanted(expected, row, labels, bare, as_written)
