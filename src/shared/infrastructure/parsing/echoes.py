"""Tells what a model wrote back of its prompt from an answer: a template, the description of the type, the instruction.

An object with fields of the type is a template if every value in it is a placeholder or blank and one is unmistakable:
`<rating>`, `{{rating}}`, `your rating here`, the choices of the field, or its description. What is milder, such as
`Your rating`, may be a value, and counts for nothing. The name of a type and dots count where two fields have such.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from enum import Enum
from functools import cached_property
from operator import attrgetter
from typing import Any, Literal, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from src.shared.domain.answer_type import AnswerType
from src.shared.domain.edits import blanked
from src.shared.domain.expression import expression, repeated
from src.shared.domain.work import Work
from src.shared.infrastructure.parsing.expected import Expected, expected_of

PLACEHOLDER_LIMIT = 300
"""Most characters of a placeholder."""
_ELLIPSES = frozenset({"...", "…", "……"})
_TYPES = {
    **dict.fromkeys(("string", "str"), "string"),
    **dict.fromkeys(("number", "integer", "int", "float", "decimal"), "number"),
    **dict.fromkeys(("boolean", "bool", "true"), "boolean"),
    **dict.fromkeys(("array", "list"), "array"),
    "object": "object",
    "null": "null",
}
"""How a template writes each type of JSON."""
_TYPE = expression(rf"(?is)(?P<type>true(?=\s?[|/])|(?!true)(?:{'|'.join(_TYPES)}))\b(?P<remark>.*+)")
_REMARK = expression(r"(?is)\s?(?:[|/]\s?null|[(（,:].{0,200}(?:[|/\d]|\bor\b|optional|required))")
"""What stands behind the type of a text: `string (BUY, HOLD or SELL)`; not `string (a cord)`, nor `String theory`."""
_BRACKETED = expression(r"(?P<sign>(?:[<＜{\[【]|\$\{)[<{\[]?+)(?P<inside>[^<>＜＞{}\[\]【】=]++)[>＞}\]】]{1,2}+")
UNMISTAKABLE = expression(
    r"""
      [<{\[] [ ] (?: (?:your|the|an?|insert|enter) [ ] ){0,3} ~ (?:[ ]here)?  # <rating>, [Your rating], {{rating}}
    | [<{\[] [ ] (?:your|insert|enter) [ ] .++                                # <your reasoning>, [Insert text]
    | [<{] [ ] (?:the|an?) [ ] [^,] .*+                                       # <the overall impression>, not <a, b>
    | < [ ] [^~]*+ ~ .*+                                                      # <short explanation of the rating>
    | < [ ] [^|]++ \| [ ] \w .*+                                              # <short|long>
    | your [ ] (?!~) \S++ [ ] here                                            # your analysis here
    | insert [ ] (?:\S++ [ ]){1,3} here                                       # Insert the text here
    | (?: (?:your|some) [ ] | (?:insert|enter) [ ] (?:(?:your|the|an?) [ ])? )? ~ [ ] (?:goe [ ])? here
    """,
    re.VERBOSE,
)
"""A placeholder by its words without plurals: `~` is the field's own name, `{` two braces, `[` other brackets."""
_SEPARATOR = expression(r"\s*+(?:\||/|,|\bor\b)\s*+")
_WORD = expression(r"[A-Z]?[a-z]++|[A-Z]++(?![a-z])|[^\W\d_a-zA-Z]++|[|,]")
_ABOUT_TYPES = frozenset("type kind format dtype schema".split())
"""Words in the name of a field whose value may be the name of a type."""
_ABOUT_MARKUP = frozenset("html xml template placeholder".split())
"""The same of one whose value may be in brackets."""
_TELLING_WORDS, _TELLING_SIGNS = 3, 4
"""A description of fewer words, or signs where words are not parted, may be the answer as well."""


# --- at first sight ---

_SIGNS = frozenset("<＜{[【$ \t\n\r")
_PREFIX = 3
_CHOICE = expression(r"[/|]| or ")
_NUMBERS = (bool, int, float)
_PLAIN = frozenset({str, *_NUMBERS, type(None)})
_MOST_STEPS = 2
"""Most fields inside each other on the way to the one that tells."""
_MOST_LAYERS = 100
"""Most objects and lists inside each other: a validator may have put a value into itself."""


def _starts(texts: Iterable[str]) -> frozenset[str]:
    """How texts, or the words of names, begin, in small letters and in capitals."""
    first = [one[:_PREFIX] for text in texts for one in (text.lstrip(), text.replace("_", " ") + " ")]
    return frozenset(form for one in first for form in (one, one.lower(), one.capitalize(), one.upper()))


_OF_TEXTS = _starts(("", *_ELLIPSES, "string", "your", "some", "insert", "enter"))
_OF_ALL = _OF_TEXTS | _starts(_TYPES)


def _first_leaf(value: Any) -> object:  # noqa: ANN401 - any value
    """The first that is not blank of the values that were given."""
    for _ in range(_MOST_LAYERS):
        if type(value) in _PLAIN:
            return value
        if given := getattr(value, "__pydantic_fields_set__", None):
            value = next((one for name, one in value.__dict__.items() if one and name in given), None)
        elif isinstance(value, dict):
            value = next(filter(None, value.values()), None)
        elif isinstance(value, (list, tuple)):
            value = value[0] if value else None
        else:
            return value
    return None


def sight_of(dto_type: object, fields: Mapping[str, FieldInfo]) -> Callable[[Any], object] | None:
    """What tells by one field whether a value is an answer, of a list by its ends; it is false where it cannot tell.

    Args:
        dto_type: the type.
        fields: those of the model that it is, or that its elements are.

    Returns:
        None where no template satisfies the type; else a function, which may raise anything at what a validator made.
    """
    look = None if fields and all(one.annotation in _NUMBERS for one in fields.values()) else _look_at(fields)
    if look is None or get_origin(dto_type) is not list:
        return look
    return lambda value: not value or (look(value[0]) and look(value[-1]))


def _look_at(fields: Mapping[str, FieldInfo], way: str = "") -> Callable[[Any], object] | None:
    """The same of a model: a number tells soonest, then a text, then what is inside of a model."""
    looks: dict[int, Callable[[Any], object]] = {3: lambda _: False}
    for name, field in fields.items():
        kind: Any = field.annotation
        is_class = isinstance(kind, type)
        if not field.is_required():
            continue
        if get_origin(kind) is Literal or (is_class and issubclass(kind, Enum)):
            return None
        if kind in (int, float):
            looks.setdefault(0, attrgetter(way + name))
        elif kind is str and field.validation_alias in (field.alias, None):
            looks.setdefault(1, _look_at_text(attrgetter(way + name), (name, field.alias, field.description)))
        elif is_class and issubclass(kind, BaseModel) and way.count(".") < _MOST_STEPS:
            inside = _look_at(kind.model_fields, f"{way}{name}.")
            if inside is None:
                return None
            looks.setdefault(2, inside)
    return looks[min(looks)]


def _look_at_text(text_of: Callable[[Any], str], own: Iterable[str | None]) -> Callable[[Any], bool]:
    starts = _OF_TEXTS | _starts(filter(None, own))
    letters = _SIGNS.union(one[:1] for one in starts)

    def is_answer(value: object) -> bool:
        text = text_of(value)
        return text[:1] not in letters or not (text[:1] in _SIGNS or text[:_PREFIX] in starts)

    return is_answer


class Templates:
    """What is known of the templates of one type; it has none where its keys are free."""

    def __init__(self, dto_type: AnswerType[Any], *, has_fields: bool) -> None:
        self._given = dto_type
        self._has_fields = has_fields

    @cached_property
    def _said(self) -> frozenset[str]:
        return frozenset(_texts_in(expected_of(self._given).root))

    @cached_property
    def _starts(self) -> frozenset[str]:
        """How placeholders for its values begin, but for choices."""
        return _OF_ALL | _starts(self._said)

    def may_be_one(self, value: Any) -> bool:  # noqa: ANN401 - any value
        """Whether the first value in data, or in what was made of them, may be a placeholder."""
        first = _first_leaf(value)
        if isinstance(first, str):
            is_choice = "enum" in self._said and len(first) <= PLACEHOLDER_LIMIT and _CHOICE.search(first)
            return first[:1] in _SIGNS or first[:_PREFIX] in self._starts or bool(is_choice)
        return not (first and isinstance(first, (int, float)))

    def is_one(self, data: object) -> bool:
        """Whether data are a template of the type that was handed back, and not an answer."""
        return self._has_fields and self.may_be_one(data) and _is_template(data, expected_of(self._given))

    @cached_property
    def _prompted(self) -> tuple[str, ...]:
        """What a prompt says of the type: the requirement of JSON, its shape, and the description in that."""
        from src.shared.domain.prompt import requirement_of  # noqa: PLC0415 - for texts that are refused
        from src.shared.domain.type_description import describe_type  # noqa: PLC0415 - as above

        return (*requirement_of(self._given), describe_type(self._given))

    def echoes_in(self, text: str, work: Work) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Where a text repeats what a prompt says of the type, and where templates stand in the first of the rest."""
        prompted, expected = list[tuple[int, int]](), expected_of(self._given)
        if not (self._has_fields and expected.names):
            return [], []
        for part in self._prompted:  # each may hold the next
            at = text.find(part)
            if at >= 0:
                prompted.append((at, at + len(part)))
                text = blanked(text, prompted[-1:])
        return prompted, [*_templates_in(text[:ECHO_LIMIT], expected, work)]


def _texts_in(schema: object) -> Iterator[str]:
    """The keys of a schema, and its texts but for those in lists."""
    waiting = [schema]
    for one in waiting:
        if isinstance(one, dict):
            yield from one
            waiting += one.values()
        elif isinstance(one, list):
            waiting += [inner for inner in one if isinstance(inner, dict)]
        elif isinstance(one, str):
            yield one


# --- in data ---


def _is_template(data: object, expected: Expected) -> bool:
    """Whether no value in data of a type is an answer's, and some can only be placeholders."""
    is_marked, mild = False, set[tuple[str, ...]]()
    waiting: list[tuple[tuple[str, ...], Any, Expected]] = [((), data, expected)]
    while waiting:
        path, one, said = waiting.pop()
        if isinstance(one, dict) and one:
            if not said.names.issuperset(one):
                return False
            waiting += [((*path, key), inner, said.named(key)) for key, inner in one.items()]
        elif isinstance(one, list) and one:
            waiting += [(path, inner, said.element(at)) for at, inner in enumerate(one)]
        elif text := one.strip() if isinstance(one, str) else one:  # else it is blank
            name = path[-1] if path else ""
            if not isinstance(text, str) or not _may_stand_for_value(text, said):
                return False
            if _is_unmistakable(name, text, said):
                is_marked = is_marked or _ABOUT_MARKUP.isdisjoint(_words_of(name))
            elif text.strip("[<{}>]") in _ELLIPSES or _is_type(text, said):
                mild |= {path} if _ABOUT_TYPES.isdisjoint(_words_of(name)) else set()
            elif not (_BRACKETED.fullmatch(text) or _is_unmistakable(name, f"{text} here", said)):
                return False
    return is_marked or len(mild) > 1


def _may_stand_for_value(text: str, said: Expected) -> bool:
    """Whether a text may be a placeholder: the type says something of the value, and does not name the text as one."""
    is_said = any({"type", "enum", "const"} & schema.keys() for schema in said.said)
    named = (
        (schema.get("default"), schema.get("const"), *schema.get("enum", ()), *schema.get("examples", ()))
        for schema in said.said
    )
    return len(text) <= PLACEHOLDER_LIMIT and is_said and not any(text in values for values in named)


def _is_unmistakable(name: str, text: str, said: Expected) -> bool:
    """Whether a text can only stand for the value of a field."""
    bracketed = _BRACKETED.fullmatch(text)
    inside = bracketed["inside"].strip() if bracketed else text
    if _is_choice(inside, said) or _is_description(inside, said):
        return True
    own, words = " ".join(_words_of(name)), " ".join(_words_of(inside))
    if own:
        words = f" {words} ".replace(f" {own} ", " ~ ").strip()
    if not bracketed:
        return UNMISTAKABLE.fullmatch(words) is not None
    opener = bracketed["sign"]
    sign = "<" if opener[0] in "<＜" else "{" if opener in ("{{", "${") else "["
    return _is_type(inside, said) or UNMISTAKABLE.fullmatch(f"{sign} {words}") is not None


def _is_type(text: str, said: Expected) -> bool:
    """Whether a text is how a template writes the type of the field: `string`, `number | null`."""
    found = _TYPE.fullmatch(text)
    if found is None or _TYPES[found["type"].lower()] not in said.types:
        return False
    return not found["remark"] or "string" not in said.types or _REMARK.match(found["remark"]) is not None


def _is_choice(text: str, said: Expected) -> bool:
    """Whether a text is all the choices that the field has."""
    choices = {str(one) for schema in said.said for one in schema.get("enum", ()) if isinstance(one, str)}
    parts = {part.strip("\"'") for part in _SEPARATOR.split(text)}
    return len(choices) > 1 and parts - {"null"} == choices


def _is_description(text: str, said: Expected) -> bool:
    """Whether a text is the field's description word for word."""
    is_telling = len(text.split()) >= _TELLING_WORDS or (not text.isascii() and len(text) >= _TELLING_SIGNS)
    return is_telling and any(_bare(text) == _bare(str(schema.get("description", ""))) for schema in said.said)


def _words_of(name: str) -> list[str]:
    """The words of a name, in small letters and without the ending of a plural."""
    return [word.lower().removesuffix("s") or word.lower() for word in _WORD.findall(name)]


def _bare(text: str) -> str:
    return " ".join(text.rstrip(".。 ").casefold().split())


# --- in a text that is no JSON ---

_QUOTED = '"' + repeated(r'[^"\\\n]|\\.') + '"'
_MUSTACHE = r'\{\{[^{}"\n]{1,100}+\}\}'
_ATOM = rf'(?:{_QUOTED}|<[^<>"\n]{{1,200}}+>|{_MUSTACHE}|\.\.\.|…|-?\d[\d.]*+|[A-Za-z]++)'
_ATOMS = _ATOM + repeated(rf"[ \t]*+\|[ \t]*+{_ATOM}")
_PIECE = expression(rf"(?P<atoms>{_ATOMS})|//[^\n]*+")
_BRACE = expression(rf"{_QUOTED}|{_MUSTACHE}|//[^\n]*+|[{{}}]")
ECHO_LIMIT = 20_000
"""Characters of a text in which templates are looked for."""
_TRIES = 8
"""Most brackets at which a template is looked for."""


def _templates_in(text: str, expected: Expected, work: Work) -> Iterator[tuple[int, int]]:
    """The templates of a type, damaged as an answer may be, or with placeholders that are no JSON."""
    from src.shared.domain.reading.scanner import ScanOptions, ValueScanner  # noqa: PLC0415 - with all of the reader

    scanner, end = ValueScanner(text, ScanOptions(), work), 0
    for _ in range(_TRIES):
        start = text.find("{", end)
        if start < 0:
            return
        stop, end = _end_of_object(text, start), start + 1
        found, value = list[tuple[object, int]](), scanner.value_at(start)
        if value and value.problem is None:
            found.append((value.data, value.end))
        with suppress(ValueError, RecursionError):
            found.append((json.loads(_PIECE.sub(_as_json, text[start:stop])), stop))
        end = max((stop for _, stop in found), default=end)
        if echo := next((stop for data, stop in found if _is_template(data, expected)), None):
            yield start, echo


def _end_of_object(text: str, start: int) -> int:
    """The end of an object; its beginning where it has none."""
    depth = 0
    for sign in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(sign[0], 0)
        if depth == 0:
            return sign.end()
    return start


def _as_json(piece: re.Match[str]) -> str:
    """A value as JSON: what is none of JSON's own is a string, and a comment is nothing."""
    atoms = piece["atoms"]
    if not atoms:
        return ""
    try:
        json.loads(atoms)
    except ValueError:
        return json.dumps(atoms.replace('"', ""))
    return str(atoms)
