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

_AROUND = "<a>", "</a>"
"""What is put around the elements: those of the fields may have no root."""
_BLANKS = " \t\r\n"
NO_XML = Reason("it is no well-formed XML here")
DECLARED = Reason("document types, entities and instructions of XML are not read")
_MIXED = Reason("text stands beside elements, or where the type has an object")
_TWO_LEVELS = Reason("the element may be the value, or stand around it")
_NO_FIELDS = Reason("elements or attributes stand inside an element where the type has no object")
_EMPTY = Reason("an empty element may be an empty value, or none")
_ONE_OR_SEVERAL = Reason("may be one value or several; write an array")
_OTHER_ROOT = Reason("the elements are no rows of the type")


@dataclass(slots=True)
class _Element:
    name: str
    attributes: dict[str, str]
    at: int
    inside: list[_Element] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

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
    before, behind = _AROUND
    try:
        whole = f"{before}{text}{behind}".encode()
        return _answer(_tree(whole), wanted)
    except UnicodeEncodeError as error:
        raise NotationError(NO_XML, error.start) from None
    except NotationError as error:
        offset = len(whole[: error.offset].decode(errors="ignore")) - len(before)
        raise NotationError(error.reason, min(max(offset, 0), len(text))) from None


def _tree(text: bytes) -> _Element:
    """The root of the elements, each with the byte at which it begins."""
    open_ = [_Element("", {}, 0)]
    parser = expat.ParserCreate("utf-8")

    def start(name: str, attributes: dict[str, str]) -> None:
        element = _Element(name, attributes, parser.CurrentByteIndex)
        if len(open_) > MOST_DEPTH:
            raise NotationError(TOO_DEEP, element.at)
        open_[-1].inside.append(element)
        open_.append(element)

    def end(_: str) -> None:
        element = open_.pop()
        if element.inside and element.text.strip():
            raise NotationError(_MIXED, element.at)

    def data(part: str) -> None:
        open_[-1].parts.append(part)

    def comment(_: str) -> None:
        if any(part.strip() for part in open_[-1].parts[-1:]):  # in the middle of a text it would disappear
            raise NotationError(_MIXED, open_[-1].at)

    def refuse(*_: object) -> NoReturn:
        raise NotationError(DECLARED, parser.CurrentByteIndex)

    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CommentHandler = start, end, comment
    parser.CharacterDataHandler = data
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
        only = root.inside[0] if len(root.inside) == 1 and not root.attributes else root
        is_field = only.name in row.names and not only.names & (row.names - row.member(only.name).names)
        is_row = arrays and only.names and only.names <= row.names
        if only is root or is_field or is_row or not (only.inside or only.attributes):
            break
        root = only
    if not arrays:
        return _object(root, row, wanted)
    if root.attributes or len(root.names) != 1 or root.names & row.names:
        raise NotationError(_OTHER_ROOT, root.at)
    return [_object(one, row, wanted) for one in root.inside]


def _object(element: _Element, shape: Shape, wanted: Wanted) -> dict[str, Any]:
    if not shape.names or (not element.inside and element.text.strip()):
        raise NotationError(_MIXED if shape.names else _NO_FIELDS, element.at)
    groups: dict[str, list[_Element]] = {}
    attributes = [_Element(name, {}, element.at, parts=[text]) for name, text in element.attributes.items()]
    for one in (*element.inside, *attributes):
        groups.setdefault(one.name, []).append(one)
    data: dict[str, Any] = {}
    for name, some in groups.items():
        inner, is_one = shape.member(name), len(some) == 1
        if name not in shape.names:
            raise unknown(name, some[0].at)
        if name in element.attributes and not is_one:
            raise given_twice(name, element.at)
        if inner.arrays and not is_one:
            data[name] = _rows(some, inner, wanted)
        elif not is_one:
            raise given_twice(name, some[1].at)
        else:
            data[name] = (_single if inner.arrays else _one)(some[0], inner, wanted)
    return data


def _rows(some: list[_Element], shape: Shape, wanted: Wanted) -> list[Any]:
    return [_one(one, shape.element(at), wanted) for at, one in enumerate(some)]


def _single(element: _Element, shape: Shape, wanted: Wanted) -> list[Any]:
    """The list of a single element: the elements in it are the rows, or it is the only row itself."""
    fields = shape.element(0).names
    if shape.types - {"array", "null"}:
        raise NotationError(_TWO_LEVELS, element.at)
    if not element.inside and not element.attributes:
        text = element.text.strip()
        if fields or not text or text[0] == "[" or may_be_several(text):
            raise NotationError(_EMPTY if not text else _MIXED if fields else _ONE_OR_SEVERAL, element.at)
        return _rows([element], shape, wanted)
    is_row = bool(fields) and (element.names | element.attributes.keys()) <= fields
    is_around = len(element.names) == 1 and not element.attributes
    if is_row and is_around:
        is_around = len(element.inside) > 1 or bool(element.inside[0].inside)
    if is_row is is_around:
        raise NotationError(_TWO_LEVELS, element.at)
    return _rows([element] if is_row else element.inside, shape, wanted)


def _one(element: _Element, shape: Shape, wanted: Wanted) -> Any:  # noqa: ANN401 - a value of JSON
    text = element.text
    if "null" in shape.types and not (element.inside or element.attributes or text):
        if "string" in shape.types:
            raise NotationError(_EMPTY, element.at)
        return None
    if element.inside or element.attributes or (shape.names and shape.types <= {"object", "null"}):
        return _object(element, shape, wanted)
    is_laid_out = "\n" in text[: len(text) - len(text.lstrip(_BLANKS))]
    return wanted.typed(text.strip(_BLANKS) if is_laid_out else text, shape, element.at)
