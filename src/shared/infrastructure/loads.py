"""`loads` and `load`, with the names and arguments of `json` and `json_repair`, for code that is written for those.

A text that is JSON as a whole gives what `json.loads` gives. Any other is read as `decode_llm_json` reads it, and
refused with an error that is a `json.JSONDecodeError` as well.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import IO, Any, Final, TypeAlias, Unpack

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.grade import Grade
from src.shared.domain.language import Phrase
from src.shared.domain.options import DecodeOptions, known_end, takes
from src.shared.domain.parse_reasons import TOO_DEEP
from src.shared.domain.reading.reading import UNREAD
from src.shared.domain.repair import Repair, RepairKind
from src.shared.domain.strict_json import OddError, no_constant, unique_keys
from src.shared.domain.type_shapes import Roots
from src.shared.infrastructure.json_schema.json_schema import JsonSchema
from src.shared.infrastructure.llm_json import parse_llm_json_output_with_trace, read_any_root
from src.shared.infrastructure.parsing.as_json import with_numbers
from src.shared.infrastructure.parsing.parse_errors import not_json, parse_error

Text: TypeAlias = str | bytes | bytearray | None
Hooks: TypeAlias = dict[str, Any]
_LOG_CONTEXT = 20
"""Characters of the text that an entry of the log quotes on either side of a repair."""
_KEY_TWICE = Phrase(
    "of a key that stands twice in a damaged text one member is left, and object_pairs_hook asks for all"
)
_MARKS = ("**", "__", "`", "*", "_")
"""Pairs of Markdown around a whole answer."""
_SIGNS = frozenset("*_`")
_MOST_MARKS = 3
"""Most of these pairs that are taken off, one inside the other."""
_NO_MORE_THAN_JSON: Final[Hooks] = {"object_pairs_hook": unique_keys, "parse_constant": no_constant}
_INSTEAD = {
    "cls": "read with object_hook=, or write json.loads(repair_json(text), cls=...)",
    "stream_stable": "feed an LLMJsonStream while the text is written, or pass salvage=True for one that is cut off",
    "schema_repair_mode": 'write parse_llm_json_output(text, JsonSchema(schema), keep="good").value',
    "json_fd": "write load(fd)",
}
"""What to write in place of an argument that is not taken."""


class LLMJsonDecodeError(LLMJsonParseError, json.JSONDecodeError):
    """The parser's error where a `json.JSONDecodeError`, which is a `ValueError`, is waited for.

    Attributes:
        msg, doc, pos, lineno, colno: those of `json.JSONDecodeError`: the message, the whole text, and the place in it;
            its beginning where the text is refused for no one place.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self, message: str, details: dict[str, Any] | None = None, *, code: str | None = None, doc: str = ""
    ) -> None:
        Exception.__init__(self, message)
        self.message = self.msg = message
        self.code = code or self.default_code
        self.details = dict(details or {})
        place = self.details.get("position") or {"line": 1, "column": 1, "offset": 0}
        self.doc, self.pos, self.lineno, self.colno = doc, place["offset"], place["line"], place["column"]

    @classmethod
    def of(cls, error: LLMJsonParseError, doc: str) -> LLMJsonDecodeError:
        """The same error of a text."""
        same = cls(error.message, error.details, code=error.code, doc=doc)
        same.told = error.told
        return same

    def __reduce__(self) -> tuple[Any, ...]:
        """With all it knows, for another process."""
        return type(self), (self.message, self.details), self.__dict__


@takes(DecodeOptions)
def loads(  # noqa: PLR0913 - those of json and json_repair, by keyword
    json_str: Text,
    *,
    skip_json_loads: bool = False,  # noqa: ARG001 - clean text is read by the standard decoder, and costs no more
    logging: bool = False,
    stream_stable: bool = False,
    strict: bool = False,
    schema: Mapping[str, Any] | bool | JsonSchema | None = None,
    schema_repair_mode: str = "standard",
    cls: type[json.JSONDecoder] | None = None,
    object_hook: Callable[[dict[str, Any]], Any] | None = None,
    parse_float: Callable[[str], Any] | None = None,
    parse_int: Callable[[str], Any] | None = None,
    parse_constant: Callable[[str], Any] | None = None,
    object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None,
    root: Roots | None = None,
    **options: Unpack[DecodeOptions],
) -> Any:  # noqa: ANN401 - decoded JSON
    """Decode the JSON value in a model's raw text, with the arguments of `json.loads` and `json_repair.loads`.

    Args:
        json_str: the text; bytes are read as UTF-8, UTF-16 or UTF-32, as `json` reads them. None counts as empty.
        skip_json_loads: taken, and changes nothing.
        logging: also return what was repaired, as a list of `{"text", "context"}`.
        stream_stable: only False.
        strict: refuse a text that takes any repair, a key that stands twice included; a wrapping is still taken off.
        schema: a JSON Schema that the value must satisfy; nothing is converted for it.
        schema_repair_mode: only "standard".
        cls: only None.
        object_hook: as for `json.loads`, as are the other hooks; numbers come as they are written.
        parse_float: as above.
        parse_int: as above.
        parse_constant: as above.
        object_pairs_hook: as above.
        root: as for `decode_llm_json`. None: also a string, a number, a boolean or null that is the whole text.
        options: those of `DecodeOptions`.

    Returns:
        The value; with `logging`, the value and the list.

    Raises:
        LLMJsonDecodeError: the text has no such value, or none that can be read without guessing. It is a
            `json.JSONDecodeError` and an `LLMJsonParseError`.
        TypeError: an argument is not taken, or is of another type; the message says what to write here.

    Example:
        >>> loads("Sure: {'item': 'tea', quantity: 2,}")
        {'item': 'tea', 'quantity': 2}

    .. versionadded:: 0.1.0
    """
    _refuse("stream_stable", is_given=stream_stable)
    _refuse("schema_repair_mode", is_given=schema_repair_mode != "standard")
    _refuse("cls", is_given=cls is not None)
    hooks: Hooks = {
        name: hook
        for name, hook in (
            ("object_hook", object_hook),
            ("parse_float", parse_float),
            ("parse_int", parse_int),
            ("parse_constant", parse_constant),
            ("object_pairs_hook", object_pairs_hook),
        )
        if hook
    }
    text, asked = _text_of(json_str), {**options, **(_STRICT if strict else {})}
    if schema is None or schema is True:
        data, repairs = _loaded(text, hooks, root, asked)
    else:
        beside = [*hooks, *(["root"] if root else []), *(["salvage"] if options.get("salvage") else [])]
        data, repairs = _satisfying(text, _schema_of(schema, beside), asked)
    return (data, [_entry(repair, text) for repair in repairs]) if logging else data


_STRICT: Final[dict[str, Any]] = {"accept": Grade.WRAPPED.value}


def load(fd: IO[str] | IO[bytes], *, chunk_length: int = 0, **options: Any) -> Any:  # noqa: ANN401, ARG001 - all is read at once
    """`loads` of all that a file holds, opened as text or as bytes.

    Args:
        fd: what has a `read`.
        chunk_length: taken, and changes nothing.
        options: the arguments of `loads`.

    Returns:
        As `loads`.

    Raises:
        LLMJsonDecodeError: as `loads`.

    Example:
        >>> from io import BytesIO
        >>> load(BytesIO(b"{'item': 'tea'}"))
        {'item': 'tea'}

    .. versionadded:: 0.1.0
    """
    return loads(fd.read(), **options)


def from_file(filename: str | Path, **options: Any) -> Any:  # noqa: ANN401 - decoded JSON
    """`load` of the file of this name, which is read as UTF-8, UTF-16 or UTF-32.

    Args:
        filename: its path.
        options: the arguments of `load`.

    Returns:
        As `loads`.

    Raises:
        LLMJsonDecodeError: as `loads`.
        OSError: the file cannot be read.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "answer.txt").write_text("{'item': 'tea'}")
        ...     from_file(Path(folder, "answer.txt"))
        {'item': 'tea'}

    .. versionadded:: 0.1.0
    """
    with Path(filename).open("rb") as file:
        return load(file, **options)


_READING = frozenset(
    (
        "skip_json_loads",
        "stream_stable",
        "strict",
        "schema",
        "schema_repair_mode",
        "root",
        *DecodeOptions.__annotations__,
    )
)


def repair_json(
    json_str: Text = "",
    *,
    return_objects: bool = False,
    logging: bool = False,
    json_fd: IO[str] | None = None,
    chunk_length: int = 0,  # noqa: ARG001 - as for `load`
    **options: Any,  # noqa: ANN401 - of two functions
) -> Any:  # noqa: ANN401 - a text or decoded JSON
    """The value that `loads` reads, written as JSON.

    Args:
        json_str: as for `loads`.
        return_objects: return the value itself.
        logging: return the value itself, and what was repaired.
        json_fd: only None.
        chunk_length: taken, and changes nothing.
        options: the arguments of `loads` but its hooks, and those of `json.dumps`.

    Returns:
        A JSON text, or as `loads`.

    Raises:
        LLMJsonDecodeError: as `loads`; there is no empty text for a text without JSON.

    Example:
        >>> repair_json("{'item': 'tea', }")
        '{"item": "tea"}'

    .. versionadded:: 0.1.0
    """
    _refuse("json_fd", is_given=json_fd is not None)
    reading = {name: value for name, value in options.items() if name in _READING}
    found = loads(json_str, logging=logging, **reading)
    writing = {name: value for name, value in options.items() if name not in _READING}
    return found if logging or return_objects else json.dumps(found, **writing)


def _refuse(name: str, *, is_given: bool) -> None:
    if is_given:
        message = f"{name} is not taken here; {_INSTEAD[name]}"
        raise TypeError(message)


def _schema_of(schema: object, beside: list[str]) -> JsonSchema:
    """The schema of a call, which goes without some other arguments."""
    if beside:
        message = f"schema and {beside[0]} cannot be used together; leave one of them out"
        raise TypeError(message)
    if isinstance(schema, JsonSchema):
        return schema
    if isinstance(schema, Mapping):
        return JsonSchema(schema)
    message = "schema must be a JSON Schema as a mapping; for a type write parse_llm_json_output(text, Type)"
    raise TypeError(message)


def _text_of(given: object) -> str:
    """The text of an argument.

    Raises:
        LLMJsonDecodeError: the bytes are no text.
        TypeError: it is neither text nor bytes.
    """
    if isinstance(given, bytes | bytearray):
        encoding = json.detect_encoding(given)
        try:
            return given.decode(encoding, "surrogatepass")
        except UnicodeDecodeError as error:
            why = Phrase("byte {place} cannot be read as {encoding}", place=error.start, encoding=error.encoding)
            raise LLMJsonDecodeError.of(parse_error(why, "strict", "", json_error=error.reason), "") from error
    if given is None or isinstance(given, str):
        return given or ""
    message = f"json_str must be str, bytes or bytearray, not {type(given).__name__}; a file is read by load"
    raise TypeError(message)


def _loaded(text: str, hooks: Hooks, root: Roots | None, options: dict[str, Any]) -> tuple[Any, tuple[Repair, ...]]:
    """The value of a text, and what was repaired."""
    asks_nothing = root is None and known_end(options.get("finished")) is not False and not options.get("normalizers")
    data, whole = _whole(text, options) if asks_nothing else (UNREAD, text)
    if data is not UNREAD:
        return json.loads(whole, **hooks) if hooks else data, ()
    try:
        state = read_any_root(text, options, root, as_written=bool(hooks))
        if not hooks:
            return state.data, state.repairs
        if "object_pairs_hook" in hooks and RepairKind.DUPLICATE_KEY in state.repair_kinds:
            raise parse_error(_KEY_TWICE, "root", text, json_error="a key stands twice")
        written = _written(state.data)
    except LLMJsonParseError as error:
        raise LLMJsonDecodeError.of(error, text) from error
    return json.loads(written, **hooks), state.repairs


def _whole(text: str, options: Mapping[str, Any]) -> tuple[Any, str]:
    """The value of a text that is JSON as a whole, or one plain value in marks of Markdown, and its JSON."""
    hooks = _NO_MORE_THAN_JSON if "accept" in options else {}
    with suppress(ValueError, RecursionError, OddError):
        return json.loads(text, **hooks), text
    inside = text.strip()
    if inside[:1] in _SIGNS and inside[:3] != "```":
        for _ in range(_MOST_MARKS):
            mark = next((one for one in _MARKS if _is_around(one, inside)), "")
            inside = inside[len(mark) : len(inside) - len(mark)]
        with suppress(ValueError, RecursionError, OddError):
            data = json.loads(inside, **hooks)
            return (UNREAD, text) if isinstance(data, dict | list) else (data, inside)
    return UNREAD, text


def _is_around(mark: str, text: str) -> bool:
    return len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark)


def _satisfying(text: str, wanted: JsonSchema, options: dict[str, Any]) -> tuple[Any, tuple[Repair, ...]]:
    """The value of a text that satisfies a schema, and what was repaired."""
    try:
        parsed = parse_llm_json_output_with_trace(text, wanted, **options)
    except LLMJsonParseError as error:
        raise LLMJsonDecodeError.of(error, text) from error
    return parsed.value, parsed.decoded.repairs


def _written(data: object) -> str:
    """The data as JSON, with the digits that its numbers were written with."""
    mark = f'"{token_hex(16)}'  # no text holds it
    try:
        text = json.dumps(with_numbers(data, lambda number: mark[1:] + number.written))
    except RecursionError:
        raise not_json(TOO_DEEP, "root", "") from None
    first, *pieces = text.split(mark)
    return first + "".join(piece.replace('"', "", 1) for piece in pieces)


def _entry(repair: Repair, text: str) -> dict[str, str]:
    """An entry of the log as `json_repair` has it."""
    start, end = max(0, repair.offset - _LOG_CONTEXT), repair.offset + len(repair.found) + _LOG_CONTEXT
    place = f"line {repair.line}, column {repair.column}"
    return {"text": f"{repair.kind} at {place}: {repair.found!r} read as {repair.put!r}", "context": text[start:end]}
