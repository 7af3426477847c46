"""`loads` and `load`, with the names and arguments of `json` and `json_repair`, for code that is written for those.

A text that is JSON as a whole gives what `json.loads` gives. Any other is read as `decode_llm_json` reads it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.language import Phrase
from src.shared.domain.options import DecodeOptions, known_end, takes
from src.shared.domain.parse_reasons import TOO_DEEP
from src.shared.domain.reading.reading import UNREAD
from src.shared.domain.repair import Repair, RepairKind
from src.shared.domain.strict_json import OddError, json_as_written, no_constant, unique_keys
from src.shared.domain.type_shapes import Roots
from src.shared.infrastructure.llm_json import read_any_root
from src.shared.infrastructure.parsing.parse_errors import not_json, parse_error

Text: TypeAlias = str | bytes | bytearray | None
_AROUND = 20
"""Characters of the text that an entry of the log quotes on either side of a repair."""
_KEY_TWICE = Phrase(
    "of a key that stands twice in a damaged text one member is left, and object_pairs_hook asks for all"
)
_MARKS = ("**", "__", "`", "*", "_")
"""Pairs of Markdown around a whole answer."""
_MOST_MARKS = 3
"""So many are taken off, one inside the other."""
_HOOKS = ("object_hook", "object_pairs_hook", "parse_float", "parse_int", "parse_constant")
_NOTHING_ELSE: Final[dict[str, Any]] = {"object_pairs_hook": unique_keys, "parse_constant": no_constant}
_OTHERS = {
    "skip_json_loads": "",
    "chunk_length": "",
    "cls": "read with object_hook=, or write json.loads(repair_json(text), cls=...)",
    "stream_stable": "feed an LLMJsonStream while the text is written, or pass salvage=True for one that is cut off",
    "schema": "write parse_llm_json_output(text, JsonSchema(schema)), or a Pydantic model in place of the schema",
    "schema_repair_mode": 'write parse_llm_json_output(text, JsonSchema(schema), keep="good").value',
    "json_fd": "write load(fd)",
}
"""What to write in place of an argument that is taken only where it asks for nothing; two change nothing at all."""
_READING = {*DecodeOptions.__annotations__, "strict", "root", *_OTHERS} - {"cls"}
"""Those of `loads` that `repair_json` takes; `cls` is one of `json.dumps`."""


class LLMJsonDecodeError(LLMJsonParseError, json.JSONDecodeError):
    """The parser's error where a `json.JSONDecodeError`, which is a `ValueError`, is waited for.

    `msg`, `doc`, `pos`, `lineno` and `colno` are those of `json`; without one place, that of the beginning.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self, message: str, details: dict[str, Any] | None = None, *, code: str | None = None, doc: str = ""
    ) -> None:
        Exception.__init__(self, message)
        self.message = self.msg = message
        self.code, self.details, self.doc = code or self.default_code, dict(details or {}), doc
        place = self.details.get("position") or {"line": 1, "column": 1, "offset": 0}
        self.pos, self.lineno, self.colno = place["offset"], place["line"], place["column"]

    __reduce__ = Exception.__reduce__  # with all it knows; that of `json` knows only three things


@takes(DecodeOptions)
def loads(
    json_str: Text,
    *,
    logging: bool = False,
    strict: bool = False,
    root: Roots | None = None,
    **options: Any,  # noqa: ANN401 - each is checked
) -> Any:  # noqa: ANN401 - decoded JSON
    """Decode the JSON value in a model's raw text, with the arguments of `json.loads` and `json_repair.loads`.

    Args:
        json_str: the text; bytes are read as UTF-8, UTF-16 or UTF-32, as `json` reads them. None counts as empty.
        logging: also return what was repaired, as a list of `{"text", "context"}`.
        strict: refuse a text that takes any repair, a key that stands twice included; a wrapping is still taken off.
        root: as for `decode_llm_json`. None: also a string, a number, a boolean or null that is the whole text.
        options: those of `DecodeOptions`, and the hooks of `json.loads`: `object_hook`, `object_pairs_hook`,
            `parse_float`, `parse_int`, `parse_constant`. `skip_json_loads` changes nothing.

    Returns:
        The value; with `logging`, the value and the list.

    Raises:
        LLMJsonDecodeError: the text has no such value, or none that can be read without guessing.
        TypeError: an argument is not taken, or is of another type; the message says what to write.

    Example:
        >>> loads("Sure: {'item': 'tea', quantity: 2,}")
        {'item': 'tea', 'quantity': 2}

    .. versionadded:: 0.1.0
    """
    hooks = {name: hook for name in _HOOKS if (hook := options.pop(name, None))}
    for name in [name for name in options if name not in DecodeOptions.__annotations__]:
        value, advice = options.pop(name), _OTHERS.get(name)
        if advice is None:
            message = f"loads() got an unexpected keyword argument {name!r}"
            raise TypeError(message)
        if advice and value not in (None, False, "standard"):
            message = f"{name} is not taken here; {advice}"
            raise TypeError(message)
    text = ""
    try:
        text = _text_of(json_str)
        data, repairs, written = _read(text, root, hooks, options | ({"accept": "wrapped"} if strict else {}))
    except LLMJsonParseError as error:
        same = LLMJsonDecodeError(error.message, error.details, code=error.code, doc=text)
        same.told = error.told
        raise same from error
    data = data if written is None else json.loads(written, **hooks)
    return (data, [_entry(repair, text) for repair in repairs]) if logging else data


def load(fd: IO[str] | IO[bytes], **options: Any) -> Any:  # noqa: ANN401 - as `loads`
    """`loads` of all that a file holds, opened as text or as bytes.

    Returns:
        As `loads`.

    Example:
        >>> from io import BytesIO
        >>> load(BytesIO(b"{'item': 'tea'}"))
        {'item': 'tea'}

    .. versionadded:: 0.1.0
    """
    return loads(fd.read(), **options)


def from_file(filename: str | Path, **options: Any) -> Any:  # noqa: ANN401 - as `loads`
    """`loads` of the file of this name.

    Returns:
        As `loads`.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "answer.txt").write_text("{'item': 'tea'}")
        ...     from_file(Path(folder, "answer.txt"))
        {'item': 'tea'}

    .. versionadded:: 0.1.0
    """
    return loads(Path(filename).read_bytes(), **options)


def repair_json(json_str: Text = "", *, return_objects: bool = False, logging: bool = False, **options: Any) -> Any:  # noqa: ANN401 - a text, or as `loads`
    """The value that `loads` reads, written as JSON with the arguments of `json.dumps`; never an empty text.

    Returns:
        A JSON text; with `return_objects` or `logging`, what `loads` returns.

    Example:
        >>> repair_json("{'item': 'tea', }")
        '{"item": "tea"}'

    .. versionadded:: 0.1.0
    """
    found = loads(json_str, logging=logging, **{name: options.pop(name) for name in _READING & options.keys()})
    return found if logging or return_objects else json.dumps(found, **options)


def _text_of(given: object) -> str:
    if isinstance(given, bytes | bytearray):
        try:
            return given.decode(json.detect_encoding(given), "surrogatepass")
        except UnicodeDecodeError as error:
            why = Phrase("byte {place} cannot be read as {encoding}", place=error.start, encoding=error.encoding)
            raise parse_error(why, "strict", "", json_error=error.reason) from error
    if given is None or isinstance(given, str):
        return given or ""
    message = f"json_str must be str, bytes or bytearray, not {type(given).__name__}; a file is read by load"
    raise TypeError(message)


def _read(
    text: str, root: Roots | None, hooks: Mapping[str, Any], options: dict[str, Any]
) -> tuple[Any, tuple[Repair, ...], str | None]:
    """The value of a text, what was repaired, and where hooks are to be called the JSON to call them with."""
    if root is None and known_end(options.get("finished")) is not False and not options.get("normalizers"):
        data, whole = _whole(text, _NOTHING_ELSE if "accept" in options else {})
        if data is not UNREAD:
            return data, (), whole if hooks else None
    state = read_any_root(text, options, root, as_written=bool(hooks))
    if "object_pairs_hook" in hooks and RepairKind.DUPLICATE_KEY in state.repair_kinds:
        raise parse_error(_KEY_TWICE, "root", text, json_error="a key stands twice")
    span = state.chosen if isinstance(state.data, int | float) else None
    try:
        written = (text[slice(*span)] if span else json_as_written(state.data)) if hooks else None
    except RecursionError:
        raise not_json(TOO_DEEP, "root", text) from None
    return state.data, state.repairs, written


def _whole(text: str, hooks: Mapping[str, Any]) -> tuple[Any, str]:
    """The value of a text that is JSON as a whole, or one plain value in marks of Markdown, and its JSON."""
    inside = text.removeprefix("\ufeff")
    for taken_off in range(_MOST_MARKS + 1):
        with suppress(ValueError, RecursionError, OddError):
            data = json.loads(inside, **hooks)
            return (UNREAD, text) if taken_off and isinstance(data, dict | list) else (data, inside)
        inside = inside.strip()
        marks = () if inside.startswith("```") else _MARKS
        around = (one for one in marks if inside.startswith(one) and inside.endswith(one))
        mark = next((one for one in around if len(inside) > 2 * len(one)), None)
        if mark is None:
            break
        inside = inside[len(mark) : len(inside) - len(mark)]
    return UNREAD, text


def _entry(repair: Repair, text: str) -> dict[str, str]:
    """An entry of the log as `json_repair` has it."""
    start, end = max(0, repair.offset - _AROUND), repair.offset + len(repair.found) + _AROUND
    place = f"line {repair.line}, column {repair.column}"
    return {"text": f"{repair.kind} at {place}: {repair.found!r} read as {repair.put!r}", "context": text[start:end]}
