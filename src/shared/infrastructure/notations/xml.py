"""XML elements by the expat of the standard library: an element is a field, elements of one name are a list.

Document types, entities of one's own and instructions are refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NoReturn
from xml.parsers import expat

from src.shared.domain.coercion.plan import may_be_several
from src.shared.domain.parse_reasons import TOO_DEEP, Reason
from src.shared.infrastructure.notations.fields import MOST_DEPTH, NotationError, Shape, Wanted, given_twice, unknown

_AROUND = "<a>{}</a>"
"""What is put around the elements: those of the fields may have no root."""
_BLANKS = " \t\r\n"
NO_XML = Reason("it is no well-formed XML here")
DECLARED = Reason("document types, entities and instructions of XML are not read")
_MIXED = Reason("text, elements or attributes stand where the type has something else")
_TWO_LEVELS = Reason("the element may be the value, or stand around it")
_EMPTY = Reason("an empty element may be an empty value, or none")
_ONE_OR_SEVERAL = Reason("may be one value or several; write an array")
_OTHER_ROOT = Reason("the elements are no rows of the type")


@dataclass(slots=True)
class _Element:
    """An element; or an attribute, which begins where its element does."""

    name: str
    at: int
    parts: list[str] = field(default_factory=list)
    inside: list[_Element] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.parts)

    @property
    def names(self) -> set[str]:
        return {one.name for one in self.inside}


def read(text: str, wanted: Wanted) -> Any:  # noqa: ANN401 - an object or an array
    """The object, or the array, that one element is, or several are.

    Raises:
        NotationError: it is no such XML, or an element or an attribute is no field, or has no one reading.
    """
    whole = _AROUND.format(text).encode(errors="surrogatepass")
    try:
        return _answer(_tree(whole), wanted)
    except NotationError as error:
        offset = len(whole[: error.offset].decode(errors="ignore")) - _AROUND.index("{")
        raise NotationError(error.reason, min(max(offset, 0), len(text))) from None


def _tree(text: bytes) -> _Element:
    """The root of the elements, each with the byte at which it begins."""
    parser, open_ = expat.ParserCreate("utf-8"), [_Element("", 0)]

    def start(name: str, attributes: dict[str, str]) -> None:
        at = parser.CurrentByteIndex
        if len(open_) > MOST_DEPTH:
            raise NotationError(TOO_DEEP, at)
        element = _Element(name, at, inside=[_Element(one, at, [value]) for one, value in attributes.items()])
        open_[-1].inside.append(element)
        open_.append(element)

    def end(_: str) -> None:
        element = open_.pop()
        if element.inside and element.text.strip():
            raise NotationError(_MIXED, element.at)

    def comment(_: str) -> None:
        if any(part.strip() for part in open_[-1].parts[-1:]):  # in the middle of a text it would disappear
            raise NotationError(_MIXED, open_[-1].at)

    def refuse(*_: object) -> NoReturn:
        raise NotationError(DECLARED, parser.CurrentByteIndex)

    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CommentHandler = start, end, comment
    parser.CharacterDataHandler = lambda part: open_[-1].parts.append(part)  # noqa: PLW0108 - the last one changes
    parser.ProcessingInstructionHandler = parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text, True)  # noqa: FBT003 - expat has no name for it
    except expat.ExpatError:
        raise NotationError(NO_XML, parser.ErrorByteIndex) from None
    return open_[0].inside[0]


def _answer(root: _Element, wanted: Wanted) -> Any:  # noqa: ANN401 - an object or an array
    """The data of the elements inside the root, or in the one element that stands around the fields."""
    row, arrays = wanted.row, wanted.shape.arrays
    for _ in range(2 + arrays):
        only = root.inside[0] if len(root.inside) == 1 else root
        is_field = only.name in row.names and not only.names & (row.names - row.member(only.name).names)
        if only is root or is_field or not only.inside or (arrays and only.names <= row.names):
            break
        root = only
    if not arrays:
        return _object(root, row, wanted)
    if len(root.names) != 1 or root.names & row.names:
        raise NotationError(_OTHER_ROOT, root.at)
    return [_object(one, row, wanted) for one in root.inside]


def _object(element: _Element, shape: Shape, wanted: Wanted) -> dict[str, Any]:
    if not shape.names or (not element.inside and element.text.strip()):
        raise NotationError(_MIXED, element.at)
    groups: dict[str, list[_Element]] = {}
    for one in element.inside:
        groups.setdefault(one.name, []).append(one)
    data: dict[str, Any] = {}
    for name, some in groups.items():
        inner = shape.member(name)
        if name not in shape.names:
            raise unknown(name, some[0].at)
        if len(some) > 1 and (not inner.arrays or some[0].at == element.at):
            raise given_twice(name, some[1].at)
        data[name] = _list(some, inner, wanted) if inner.arrays else _one(some[0], inner, wanted)
    return data


def _list(some: list[_Element], shape: Shape, wanted: Wanted) -> list[Any]:
    rows = some if len(some) > 1 else _rows_of(some[0], shape)
    return [_one(one, shape.element(at), wanted) for at, one in enumerate(rows)]


def _rows_of(element: _Element, shape: Shape) -> list[_Element]:
    """The rows of a list that is a single element: those in it, or it is the only one itself."""
    fields, text = shape.element(0).names, element.text.strip()
    if shape.types - {"array", "null"}:
        raise NotationError(_TWO_LEVELS, element.at)
    if not element.inside:
        if not text or text[0] == "[" or may_be_several(text):
            raise NotationError(_ONE_OR_SEVERAL if text else _EMPTY, element.at)
        return [element]
    is_row = bool(fields) and element.names <= fields
    is_around = len(element.names) == 1 and element.inside[0].at > element.at
    if is_row and is_around:
        is_around = len(element.inside) > 1 or bool(element.inside[0].inside)
    if is_row is is_around:
        raise NotationError(_TWO_LEVELS, element.at)
    return [element] if is_row else element.inside


def _one(element: _Element, shape: Shape, wanted: Wanted) -> Any:  # noqa: ANN401 - a value of JSON
    text = element.text
    if "null" in shape.types and not (element.inside or text):
        if "string" in shape.types:
            raise NotationError(_EMPTY, element.at)
        return None
    if element.inside or (shape.names and shape.types <= {"object", "null"}):
        return _object(element, shape, wanted)
    is_laid_out = text.lstrip(" \t\r").startswith("\n")
    return wanted.typed(text.strip(_BLANKS) if is_laid_out else text, shape, element.at)
