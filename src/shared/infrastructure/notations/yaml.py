"""YAML 1.2 from the events of ruamel.yaml: nothing is constructed, and the type says what a plain scalar is.

`no` and `on` are texts, a date stays one, and what YAML 1.1 and 1.2 read differently (`010`, `1_000`, `1:30`) is no
number. Tags, anchors, aliases, merge keys, directives and a second document are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from src.shared.domain.expression import expression, repeated
from src.shared.domain.parse_reasons import TOO_DEEP, Reason
from src.shared.infrastructure.extras import needs_package
from src.shared.infrastructure.notations.fields import (
    JSON_NUMBER,
    MOST_DEPTH,
    NotationError,
    Shape,
    Wanted,
    given_twice,
    unknown,
)

_NULL = frozenset(["", "~", "null", "Null", "NULL"])
_BOOLEANS = {word: word[0] in "tT" for word in ("true", "True", "TRUE", "false", "False", "FALSE")}
_EXPONENT = repeated("[eE][-+]?[0-9_]++", "?")
_ODD_NUMBER = expression(
    rf"[-+]?(?:0[xob][0-9a-fA-F_]++|[0-9][0-9_]*+{repeated(':[0-5]?[0-9]')}{repeated(r'[.][0-9_]*+', '?')}{_EXPONENT}"
    rf"|\.[0-9_]++{_EXPONENT}|\.(?i:inf|nan))"
)
"""What is a number in some version of YAML, and in another one a text, or another number."""
_NO_YAML = Reason("it is no YAML here")
_NOT_PLAIN = Reason("tags, anchors, aliases, merge keys, directives and second documents of YAML are not read")
_OTHER_ROOT = Reason("this is no mapping or list of the type")
_BAD_KEY = Reason("a key of YAML has to be a text")
_ODD = Reason("this is another number, or none, in another version of YAML; write it as JSON does")
_SPECIAL = ("anchor", "tag", "version", "tags")


def read(text: str, wanted: Wanted) -> Any:  # noqa: ANN401 - an object or an array
    """The mapping, or the list, that a text is.

    Raises:
        NotationError: it is none, or not plain YAML, or a key is given twice, or is no field.
        ModuleNotFoundError: ruamel.yaml is not installed; it names the extra.
    """
    events = _events(text)
    first = next(events, None)
    data = None if first is None else _value(first, events, wanted.shape, wanted, 0)
    if not isinstance(data, list if wanted.shape.arrays else dict):
        raise NotationError(_OTHER_ROOT)
    next(events, None)  # the rest is no YAML, or another document
    return data


def _events(text: str) -> Iterator[Any]:
    """The events of the nodes of a text.

    Raises:
        NotationError: there are others.
    """
    with needs_package("yaml"):
        from ruamel.yaml import YAML  # noqa: PLC0415 - an extra, for who asks for it
        from ruamel.yaml.error import MarkedYAMLError, YAMLError  # noqa: PLC0415 - as above
    documents = 0
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            kind = type(event).__name__
            documents += kind == "DocumentStartEvent"
            if documents > 1 or kind == "AliasEvent" or any(getattr(event, name, None) for name in _SPECIAL):
                raise NotationError(_NOT_PLAIN, event.start_mark.index)
            if kind.startswith(("Mapping", "Sequence", "Scalar")):
                yield event
    except YAMLError as error:
        mark = error.problem_mark if isinstance(error, MarkedYAMLError) else None
        raise NotationError(_NO_YAML, mark.index if mark else 0) from None


def _value(event: Any, events: Iterator[Any], shape: Shape, wanted: Wanted, depth: int) -> Any:  # noqa: ANN401 - events
    """The value that begins with an event; the others of it are taken."""
    at = event.start_mark.index
    if hasattr(event, "value"):
        return _plain(event.value, shape, wanted, at) if event.style is None else event.value
    if depth > MOST_DEPTH:
        raise NotationError(TOO_DEEP, at)
    items: list[Any] = []
    members: dict[str, Any] = {}
    is_list = type(event).__name__ == "SequenceStartEvent"
    while type(inner := next(events)).__name__ not in ("SequenceEndEvent", "MappingEndEvent"):
        if is_list:
            items.append(_value(inner, events, shape.element(len(items)), wanted, depth + 1))
            continue
        key, place = getattr(inner, "value", None), inner.start_mark.index
        if key is None or key == "<<":
            raise NotationError(_NOT_PLAIN if key else _BAD_KEY, place)
        if key in members:
            raise given_twice(key, place)
        if depth == wanted.shape.arrays and not wanted.has_foreign and key not in shape.names:
            raise unknown(key, place)
        members[key] = _value(next(events), events, shape.member(key), wanted, depth + 1)
    return items if is_list else members


def _plain(text: str, shape: Shape, wanted: Wanted, at: int) -> Any:  # noqa: ANN401 - a value of JSON
    """What a scalar without quotes is: null, or what the type takes of a boolean, a number and a text."""
    kinds = shape.types
    if text in _NULL:
        return None
    if text in _BOOLEANS:
        return text if "string" in kinds and "boolean" not in kinds else _BOOLEANS[text]
    if JSON_NUMBER.fullmatch(text):
        is_text = shape.is_decimal or ("string" in kinds and "number" not in kinds)
        return text if is_text else wanted.decoded(text, at)
    if "number" in kinds and _ODD_NUMBER.fullmatch(text):
        raise NotationError(_ODD, at)
    return text
