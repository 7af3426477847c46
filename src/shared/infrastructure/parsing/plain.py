"""The plain way: reads a text that is one JSON value, with the usual wrapping or none.

The stages would read the same value and leave the same notes. The plain way does not need them, and the reader of
damaged objects only for a value that is damaged; both are imported with the first text that needs them.

A wrapping is removed only if it cannot be anything else: one reasoning block at the start, one fence, prose without
brackets. Every other text is left to the stages `think`, `fence` and `extract`, which would have the same result here.

The shortest of it lets Pydantic read the JSON itself, or without a type the standard decoder. The validation is the
same as in the long way, which writes the decoded data as JSON again (`as_json.py`). A text that is refused here takes
the long way, which makes the error. This way does not notice duplicate keys and numbers without an end. The value is
the same as in the long way (the last key wins), and the trace, which is computed when it is accessed, reports them.

What has to be known of a clean text besides costs more than reading it if it is looked for carelessly. So the type is
asked first, then for a sign that hardly any text has, from the end, and only then an expression.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from pydantic_core import from_json

from src.shared.domain.edits import kinds_of
from src.shared.domain.expression import expression
from src.shared.domain.reading.reading import UNREAD
from src.shared.domain.reading.signs import JSON_BLANKS, MARGIN
from src.shared.domain.strict_json import OddError, as_it_comes, decode_at, is_damage, strict
from src.shared.domain.type_shapes import ROOTS, Root
from src.shared.infrastructure.parsing.as_json import has_long_whole, has_minus_zero, says_more_than_floats
from src.shared.infrastructure.parsing.remarks import goes_on, heading_of, is_taken_back
from src.shared.infrastructure.parsing.rivals import first_rival
from src.shared.infrastructure.parsing.state import BRACKETS, Note, ParseState, Span, Target, changed
from src.shared.infrastructure.parsing.target_type import TargetType

_NO_FIELDS: frozenset[str] = frozenset()
_OBJECTS = ROOTS["object"]
_ESCAPED_LETTER = "\\u00"
"""How a letter of ASCII begins that is written as an escape."""
_OBJECT_FIRST = expression(r"\[\s*+\{")
_FIRST_MEMBER = expression(r'\{\s*+"([^"\\]*+)"')
_FIRST_ROW = expression(r'\[\s*+\{\s*+("[^"\\]*+")\s*+:')
_ROOT_OF: dict[str, Root] = {"{": "object", "｛": "object", "[": "array"}


def validate_directly(raw: str, target: TargetType[Any]) -> Any:  # noqa: ANN401 - of the target's type
    """The validated object if the text is clean JSON for it; UNREAD if the long way must decide."""
    text = raw
    if not (raw[:1] == "{" and raw[-1:] == "}" and target.is_object):
        wrapped = unwrapped(raw, target.own_keys, lists=target.roots != _OBJECTS)
        if wrapped is None or wrapped.in_call:
            return UNREAD
        text = raw[wrapped.start : wrapped.end]
        if _ROOT_OF[text[0]] not in target.roots:
            return UNREAD
    is_answer = target.is_answer
    try:
        value = target.adapter.validator.validate_json(text)  # what the adapter's own method calls
    except Exception:  # noqa: BLE001 - a validator is the caller's code: the long way turns what it raises into an error
        return UNREAD
    try:
        is_seen = is_answer is None or is_answer(value) or not target.may_be_of_template(value)
    except Exception:  # noqa: BLE001 - of what a validator made
        is_seen = False
    is_template = not is_seen and target.is_template(text)
    is_other = is_template or (target.needs_a_look and _wants_the_long_way(text, value, target))
    return UNREAD if is_other else value


def decode_directly(raw: str, roots: frozenset[Root]) -> Any:  # noqa: ANN401 - decoded JSON
    """The data of a text that is clean JSON with one of these roots; UNREAD if the long way must decide."""
    start, end, wrapped = 0, len(raw), None
    if raw[:1] + raw[-1:] not in _WHOLE:
        wrapped = unwrapped(raw, _NO_FIELDS, lists=roots == ROOTS["array"])
        if wrapped is None:
            return UNREAD
        start, end = wrapped.start, wrapped.end
    if _ROOT_OF[raw[start]] not in roots:
        return UNREAD
    try:
        data, data_end = as_it_comes(raw, start)
    except (ValueError, RecursionError, OddError):
        return UNREAD
    is_whole = data_end == end and (wrapped is None or wrapped.may_hold(data, _NO_FIELDS))
    return data if is_whole and not has_long_whole(raw) else UNREAD


def _wants_the_long_way(text: str, value: object, target: TargetType[Any]) -> bool:
    """Whether a valid text may still be refused, or lose the digits of a `Decimal` to a float."""
    loses_digits = target.reads_decimals and says_more_than_floats(text)
    if (
        loses_digits
        or (target.reads_integers and has_long_whole(text))
        or (target.reads_signs and has_minus_zero(text))
    ):
        return True
    if target.rows and _may_run_together(text, target):
        try:
            strict(text, 0)
        except (ValueError, RecursionError, OddError):
            return True
    if target.is_like_schemas and target.may_be_schema(text, value):
        return True
    if not target.may_lack_fields:
        return False
    first = _FIRST_MEMBER.match(text)  # it mostly tells of a single object whether it gave nothing but defaults
    if first and not target.may_be_foreign(first[1], value):
        return False
    return bool(target.foreign_objects(from_json(text), value))


def _may_run_together(text: str, target: TargetType[Any]) -> bool:
    """Whether rows may be run together in a JSON text that satisfies the type; counted, since clean text pays for it.

    They are not where each row begins with its first required key, and that key stands nowhere else.
    """
    if "\\" in text and text.rfind(_ESCAPED_LETTER) >= 0:  # one character is looked for much faster than four
        return True
    if target.rows and target.rows.free and not _begin_alike(text):
        return True
    is_on_one_line = "\n" not in text and "\t" not in text and "\r" not in text
    for key, behind_comma, behind_blank in target.row_starts:
        is_first = is_on_one_line and text.rfind(behind_comma) < 0 and text.rfind(behind_blank) < 0
        if not is_first and _stands_inside(text, key):
            return True
    return False


def _stands_inside(text: str, key: str) -> bool:
    """Whether a key stands anywhere but behind an opening brace, with the same white space everywhere."""
    at = text.rfind(key)
    if at < 0:
        return False
    brace = text.rfind("{", 0, at)
    if brace < 0 or text[brace + 1 : at].strip(JSON_BLANKS):
        return True
    lead = text[brace:at]
    return "\n".join(text.rsplit(lead + key)).rfind(key) >= 0


def _begin_alike(text: str) -> bool:
    """Whether all objects from the first row on begin with the same key, which stands nowhere else."""
    first = _FIRST_ROW.search(text)
    if first is None:
        return True
    objects = text.count("{", first.start())
    return len(text.rsplit(first[1])) == objects + 1 and not _stands_inside(text, first[1])


def plain(state: ParseState) -> ParseState:
    """Decode the value, if it is JSON or can be mended where it stands; else the state as it was."""
    target = state.target
    is_other = target.is_cut_off or target.is_scalar
    wrapped = None if is_other else unwrapped(state.raw, target.own_keys(), lists=target.roots != _OBJECTS)
    if wrapped is None or (wrapped.in_prose and len(target.read_as.notations) > 1):
        return state
    try:
        data, end, edits = decode_at(state.raw, wrapped.start, as_written=target.reads_decimals)
    except ValueError:
        return _mended(state, wrapped)
    except RecursionError:
        return state
    has_control_characters = is_damage(edits)
    if has_control_characters:
        from src.shared.domain.latex import ANY_COMMAND  # noqa: PLC0415 - hardly a text needs it

        if ANY_COMMAND.search(state.raw, wrapped.start, end):  # the reader tells commands from escapes
            return _mended(state, wrapped)
    if end != wrapped.end or not wrapped.may_hold(data, target.own_keys()):
        return state
    notes = wrapped.notes("control_chars" if has_control_characters else "strict")
    return changed(state, text=wrapped.without_reasoning(state.raw), data=data, edits=edits, notes=notes)


def _mended(state: ParseState, wrapped: Wrapped) -> ParseState:
    """The state with the damaged value that the wrapping leaves, if it can be read and is all of it."""
    found = changed(state, text=wrapped.without_reasoning(state.raw)) if wrapped.reasoning else state
    if state.raw[wrapped.start] != "[" or (not wrapped.is_alone and _OBJECT_FIRST.match(state.raw, wrapped.start)):
        value = found.scanner.value_at(wrapped.start)
    elif wrapped.is_alone and not _TAG.search(state.raw) and not _marks(state.raw):
        from src.shared.infrastructure.parsing.answer import bracketed_value, sole_span  # noqa: PLC0415 - the stages need it, too

        value = bracketed_value(found, sole_span(found))
        if value and not state.target.accepts_root(value.data):
            return state
    else:
        return state  # it may be rows, and its brackets hide no mark
    if value is None or value.problem or value.passed_over or value.cut or value.end != wrapped.end:
        return state
    may_be_other = found.scanner.work.refused or state.target.may_be_other_root(found.text, value)
    if may_be_other or not wrapped.may_hold(value.data, state.target.own_keys()):
        return state
    if wrapped.in_prose and not BRACKETS.isdisjoint(kinds_of(value.edits)):
        return state
    return changed(found, data=value.data, edits=value.edits, notes=wrapped.notes("repair"))


def decoded(raw: str, target: Target) -> ParseState:
    """The state with the decoded object: read the plain way if possible, otherwise by the stages.

    Raises:
        LLMJsonParseError: from the stage that could not go on.
    """
    state = plain(ParseState.of(raw, target))
    if state.decoded:
        return state
    from src.shared.infrastructure.parsing.stages import search  # noqa: PLC0415 - loaded with the first text that is not plain

    return search(state)


# --- the usual wrapping ---

_REASONING, _REASONED = "<think>", "</think>"
_FENCE = "```"
_FENCE_START = expression(r"```[ \t]*+(?:json|JSON)?[ \t]*+\r?\n\s*+(?=[{｛\[])")
_MARK_SIGNS = "｜＜◁◀【〈《«‹⟨〔"
_BRACKET_SIGNS = r"{}\[\]｛｝［］"
_BEGUN_MARK = rf"(?<=[{_MARK_SIGNS}])|(?<=`)``|(?<=~)~~|(?<=[(（])/|(?<=&)lt;|(?<=:)::|(?<=<)\|(?:channel|message)"
_MARK_BEGINS = expression(rf"[{_MARK_SIGNS}`~(（&:<](?:{_BEGUN_MARK})")
"""A fence, or what a mark around reasoning may begin with, apart from tags and brackets.

Each of these begins with one set of characters, so that a search skips all others fast.
"""
_NOT_PROSE = expression(rf"[{_BRACKET_SIGNS}{_MARK_SIGNS}`~(（&:<](?:(?<=[{_BRACKET_SIGNS}])|{_BEGUN_MARK})")
_TAG = expression(r"[<>|✿=](?:(?<=[<>|✿])|(?<=\bto=))")
_KEY_BEFORE = expression(rf"[\"'”’`]\s{{0,{MARGIN}}}[:：]\Z")
_ANNOUNCES = frozenset(("", ":", "：", "\n", ">"))
"""What stands in front of an object that is announced: the last sign, or nothing."""
_QUOTE_ON_LINE = expression('[^\n"“”]*+["“”]')
_OBJECT = ("{}", "｛}", "{｝", "｛｝")
_WHOLE = frozenset((*_OBJECT, "[]"))
KEPT = 20_000
"""Characters of a text, at most, that is kept to be asked about again: a long one is not held in memory."""
EDGE = 100
"""Characters in which the first one that is not white space must come, and the last, for the short way."""


class Wrapped(NamedTuple):
    """Where the only object of a text is, as far as its brackets tell, and the text around it.

    Attributes:
        start: offset of its opening bracket.
        end: offset after its closing bracket.
        reasoning: the block that was left out in front of it.
        fenced: the content of its fence.
        in_prose: whether other text stands beside it, and no fence between them.
        in_call: whether marks of a call stand beside it.
    """

    start: int
    end: int
    reasoning: Span | None = None
    fenced: Span | None = None
    in_prose: bool = False
    in_call: bool = False

    @property
    def is_alone(self) -> bool:
        """Whether nothing stands beside it."""
        return not (self.in_prose or self.fenced or self.reasoning)

    def may_hold(self, data: object, fields: frozenset[str]) -> bool:
        """Whether data are what is asked for: a call is none, but where it is all there is."""
        if not self.in_call:
            return True
        from src.shared.infrastructure.parsing.leaked_calls import is_wanted_call  # noqa: PLC0415 - hardly a text needs it

        return is_wanted_call(data, fields)

    def without_reasoning(self, raw: str) -> str:
        """The text as the stage `think` leaves it: blanks in place of the reasoning."""
        return " " * self.reasoning.end + raw[self.reasoning.end :] if self.reasoning else raw

    def notes(self, stage: str) -> tuple[Note, ...]:
        """What the stages would note up to the one that decodes the object."""
        span = Span(self.start, self.end)
        dropped = (Note("think", "dropped", self.reasoning),) if self.reasoning else ()
        fence = (Note("fence", "recognised", self.fenced),) if self.fenced else ()
        is_damaged = stage == "repair"
        found = (Note("extract", "recognised", span),) if is_damaged or self.in_prose else ()
        return (*dropped, *fence, *found, Note("extract" if found and not is_damaged else stage, "chosen", span))


def unwrapped(raw: str, fields: frozenset[str], *, lists: bool = False) -> Wrapped | None:
    """The only object of a text; None if it takes a search to find it.

    `fields` are the names the type knows at its root: lines that begin with them are no prose. Where `lists` count,
    too, prose may hold some: then only a text is seen that is an object or a list unchanged.
    """
    if raw[:1] + raw[-1:] in _WHOLE:
        return Wrapped(0, len(raw))
    start, end = _edges(raw, 0)
    pair = raw[start : start + 1] + raw[end - 1 : end]
    if pair in _WHOLE:
        return Wrapped(start, end)
    if lists:
        return None
    return (_kept_wrapping if len(raw) <= KEPT else _in_wrapping)(raw, start, end, fields)


def _in_wrapping(raw: str, start: int, end: int, fields: frozenset[str]) -> Wrapped | None:
    """The object behind reasoning, in a fence, or in prose."""
    begin, reasoning = 0, None
    if raw.startswith(_REASONING, start):
        reasoning = _reasoning(raw, start)
        if reasoning is None:
            return None
        begin = reasoning.end
        start, _ = _edges(raw, begin)
        if raw[start : start + 1] + raw[end - 1 : end] in _OBJECT:
            return Wrapped(start, end, reasoning)
    brace, fence = raw.find("{", begin), raw.find(_FENCE, begin)
    if brace < 0:
        return None
    found = _fenced(raw, begin, fence, fields) if fence >= 0 else None
    if not found and not 0 <= fence < brace:
        found = _between_prose(raw, begin, brace, fields)
    return found._replace(reasoning=reasoning) if found else None


_kept_wrapping = lru_cache(maxsize=1)(_in_wrapping)
"""The same; a text that is not read directly is asked about again."""


def _edges(raw: str, at: int) -> tuple[int, int]:
    """Where white space ends from a place on, and where it begins at the end; of either, less than `EDGE` is seen."""
    lead, rest = raw[at : at + EDGE - 1], raw[1 - EDGE :]
    return at + len(lead) - len(lead.lstrip(JSON_BLANKS)), len(raw) - len(rest) + len(rest.rstrip(JSON_BLANKS))


def _reasoning(raw: str, start: int) -> Span | None:
    """The block of reasoning that opens the text, if it holds no other mark around reasoning."""
    end = raw.find(_REASONED, start) + len(_REASONED)
    if end < len(_REASONED):
        return None
    return Span(start, end) if _marks(raw[start:end]) == 2 else None  # noqa: PLR2004 - the two tags


def _marks(text: str) -> int:
    """How many marks around reasoning there are in a part of the text."""
    from src.shared.domain.reasoning import reasoning_marks  # noqa: PLC0415 - only a text with tags needs it

    return sum(1 for _ in reasoning_marks(text))


def _fenced(raw: str, begin: int, fence: int, fields: frozenset[str]) -> Wrapped | None:
    """What is in the only fence, if it is an object and there is prose around it, or nothing."""
    opening = _FENCE_START.match(raw, fence)
    close = raw.rfind(_FENCE)
    if opening is None or not opening.end() < close:
        return None
    start = opening.end()
    end = start + len(raw[start:close].rstrip(JSON_BLANKS))
    if raw[start] + raw[end - 1] not in _WHOLE or '"' in raw[close:].partition("\n")[0]:
        return None
    inside, beside = Span(start, close), (raw[begin:fence], raw[close + len(_FENCE) :])
    if not _is_prose(raw, begin, inside, beside, fields, in_fence=True) or _in_call(beside, raw[start:close]):
        return None
    return Wrapped(start, end, fenced=inside)


def _between_prose(raw: str, begin: int, start: int, fields: frozenset[str]) -> Wrapped | None:
    """What is between the first brace and the last, if prose announces it and prose follows, or nothing.

    A bracket in front of the brace opens a list of objects.
    """
    closer, lead = "}", raw[max(begin, start - EDGE) : start]
    if lead.rstrip(JSON_BLANKS).endswith("["):
        closer, start = "]", start - len(lead) + lead.rindex("[")
        lead = raw[max(begin, start - EDGE) : start]
    end = raw.rfind(closer) + 1
    said = lead.rstrip(" \t")
    is_announced = said[-1:] in _ANNOUNCES and len(lead) - len(said) <= MARGIN and not _KEY_BEFORE.search(lead.rstrip())
    if end <= start or not is_announced or _QUOTE_ON_LINE.match(raw, end):
        return None
    beside = raw[begin:start], raw[end:]
    goes_on = beside[1].lstrip()[:1]
    has_edge = "".join(beside).strip(JSON_BLANKS) and (not lead.isspace() or start - EDGE <= begin)
    is_apart = not goes_on or goes_on.isalpha() or goes_on == "<"
    if not has_edge or not is_apart or not _is_prose(raw, begin, Span(start, end), beside, fields):
        return None
    in_call = _in_call(beside, raw[start:end])
    if in_call:
        from src.shared.infrastructure.parsing.leaked_calls import wraps_object  # noqa: PLC0415 - as above

        if not wraps_object(beside):
            return None
    return Wrapped(start, end, in_prose=True, in_call=in_call)


def _is_prose(
    raw: str, begin: int, inside: Span, beside: tuple[str, str], fields: frozenset[str], *, in_fence: bool = False
) -> bool:
    """Whether the text on both sides of an object is prose, and does not say that the object is not the answer."""
    parts = [part for part in beside if part and not part.isspace()]
    if not parts:
        return True
    if any(map(_NOT_PROSE.search, parts)) and not (in_fence and _opens_nothing(beside)):
        return False
    if any(_TAG.search(part) and _marks(part) for part in parts):
        return False
    lead = raw[begin : inside.start]
    left = [Span(begin, inside.start), Span(inside.end, len(raw))]
    is_said = heading_of(lead, len(lead)) or is_taken_back(raw, inside.end) or goes_on(raw, inside.end)
    return not is_said and first_rival(raw, left, fields) is None


def _opens_nothing(beside: tuple[str, str]) -> bool:
    """Whether the brackets around a fence are those of formulas and code: no value, no mark and no call opens there."""
    if any(map(_MARK_BEGINS.search, beside)):
        return False
    from src.shared.domain.reading.openings import OBJECTS  # noqa: PLC0415 - hardly a text needs it
    from src.shared.domain.reasoning import draft_marks  # noqa: PLC0415 - as above
    from src.shared.infrastructure.parsing.leaked_calls import bare_lists, has_mark  # noqa: PLC0415 - as above

    return OBJECTS.search(" ".join(beside), 0) < 0 and not any(
        has_mark(part) or bare_lists(part) or next(draft_marks(part), None) for part in beside
    )


def _in_call(beside: tuple[str, str], inside: str) -> bool:
    """Whether the object may be a call, or a part of one, for what stands around it."""
    if not any(map(_TAG.search, beside)):
        return False
    from src.shared.infrastructure.parsing.leaked_calls import may_be_call  # noqa: PLC0415 - as above

    return may_be_call(beside, inside)
