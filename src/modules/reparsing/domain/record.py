"""A stored output of a model: a row of an input, and the fields of it that a run looks at."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import NamedTuple, TypeAlias

from src.shared.domain.language import Message, Phrase
from src.shared.domain.one_line import one_line
from src.shared.domain.strict_json import RepeatedKeyError, unique_keys

NAME_LIMIT = 200
"""Most characters that are kept of an agent's or a model's name, and most that are shown of any."""
_FIELDS_SHOWN = 8
_FIELD_LIMIT = 40

Fields: TypeAlias = Mapping[str, object]


class Row(NamedTuple):
    """A row as its input has it.

    Attributes:
        place: where it stands, such as `answers.jsonl:17`; no two rows of a run have the same.
        content: a line of JSON as bytes; the fields by name, texts as `str` or as bytes of UTF-8; or what is wrong with
            the row, where the input itself could not be read there.
        size: bytes it takes, about.
        position: how much of the source's `total` is read with it.
    """

    place: str
    content: bytes | Fields | Message
    size: int = 1
    position: int = 0


@dataclass(frozen=True, slots=True)
class FieldNames:
    """Which field of a row holds what. A name with dots leads into objects and lists: `choices.0.message.content`."""

    text: str = "text"
    id: str = "id"
    agent: str = "agent"
    finish_reason: str = "finish_reason"
    model: str = "model"
    time: str = "time"

    def by_option(self) -> dict[str, str]:
        """The same by the options that name them, such as `finish-field`."""
        return {f"{name.partition('_')[0]}-field": field for name, field in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class Record:
    """What a run looks at in a row.

    Attributes:
        place: as in `Row`.
        id: its own, or its place where it has none. Rows with the same id stay rows of their own.
        text: what the model wrote; None where the field holds null, which counts as empty.
        agent: who wrote it, or None.
        finish_reason: why the model stopped, as the provider spelled it, or None.
        model: the model's name, or None.
        hour: when it was written, as `2026-11-23T09` in UTC, or None.
        problem: why no text can be read in the row; None where there is one.
    """

    place: str
    id: str
    text: str | None = None
    agent: str | None = None
    finish_reason: str | None = None
    model: str | None = None
    hour: str | None = None
    problem: Message | None = None


def record_of(row: Row, names: FieldNames) -> Record:
    """The record in a row; one that is only a text has no other fields."""
    place, fields = row.place, fields_of(row)
    if isinstance(fields, str):
        return Record(place, place, fields)
    if isinstance(fields, Message):
        return Record(place, place, problem=fields)
    key, text = name_of(_found(fields, names.id)) or place, _text(fields, names.text)
    if isinstance(text, Message):
        return Record(place, key, problem=text)
    return Record(
        place=place,
        id=key,
        text=text,
        agent=name_of(_found(fields, names.agent)),
        finish_reason=name_of(_found(fields, names.finish_reason)),
        model=name_of(_found(fields, names.model)),
        hour=hour_of(_found(fields, names.time)),
    )


def fields_of(row: Row) -> Fields | str | Message:
    """The fields of a row, a text alone, or what is wrong with it."""
    content = _decoded(row.content) if isinstance(row.content, bytes) else row.content
    if isinstance(content, Mapping | str | Message):
        return content
    return Phrase("the row is neither an object nor a text but a {kind}", kind=type(content).__name__)


_DECODER = json.JSONDecoder(object_pairs_hook=unique_keys)


def _decoded(line: bytes) -> object:
    try:
        return _DECODER.decode(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return _not_utf8(error)
    except RepeatedKeyError as error:
        return Phrase("the row has two fields of one name: {key!r}", key=one_line(error.key, _FIELD_LIMIT))
    except json.JSONDecodeError as error:
        return Phrase("not a line of JSON: column {colno}: {msg}", colno=error.colno, msg=error.msg)
    except (RecursionError, ValueError) as error:  # nested too deeply; an integer with too many digits
        return Phrase("a line of JSON that cannot be read: {error}", error=error)


def _text(fields: Fields, name: str) -> str | Message | None:
    value = _found(fields, name)
    if value is _MISSING:
        return Phrase(
            "there is no field {name!r}: the row has {fields}; name the field with --text-field",
            name=name,
            fields=list_fields(fields),
        )
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError as error:
            return _not_utf8(error)
    if value is None or isinstance(value, str):
        return value
    return Phrase("the field {name!r} holds no text but a {kind}", name=name, kind=type(value).__name__)


def _not_utf8(error: UnicodeDecodeError) -> Message:
    byte = f"0x{error.object[error.start]:02x}"
    return Phrase("not UTF-8: byte {byte} at offset {start}", byte=byte, start=error.start)


def list_fields(fields: Collection[str]) -> str | Message:
    """The first names of some fields, for an error."""
    names = [one_line(str(field), _FIELD_LIMIT) for field in list(fields)[:_FIELDS_SHOWN]]
    return ", ".join(names) + (", …" if len(fields) > _FIELDS_SHOWN else "") if names else Phrase("none")


_MISSING = object()


def has_field(fields: Fields, name: str) -> bool:
    """Whether a row has a field of that name, or something along its dots."""
    return _found(fields, name) is not _MISSING


def _found(fields: Fields, name: str) -> object:
    """The value under a name, or along its dots where there is no such field."""
    if name in fields:
        return fields[name]
    if "." not in name:
        return _MISSING
    found: object = fields
    for step in name.split("."):
        if isinstance(found, Mapping) and step in found:
            found = found[step]
        elif isinstance(found, list) and step.isdecimal() and int(step[:6]) < len(found):
            found = found[int(step[:6])]
        else:
            return _MISSING
    return found


def name_of(value: object) -> str | None:
    """A name or a number as a name; None for what is neither, and for an empty one."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", errors="replace")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if value.bit_length() < NAME_LIMIT else None
    return value or None if isinstance(value, str) else None


_FIRST_HOUR = "1970-01-01T00"
_MILLISECONDS = 100_000_000_000
"""What is larger counts milliseconds: as seconds it would be behind the year 5000."""


def hour_of(value: object) -> str | None:
    """The hour of a time in UTC: of an ISO 8601 text, a `datetime`, or seconds or milliseconds since 1970.

    A time without an offset counts as UTC. None for what is no time, and for a year before 1970 or behind 9999.
    """
    try:
        if isinstance(value, str | bytes):
            text = value.decode("ascii") if isinstance(value, bytes) else value
            value = datetime.fromisoformat(text.strip())
        elif isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
            value = datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS else value, tz=UTC)
        if not isinstance(value, datetime):
            return None
        moment = value.replace(tzinfo=UTC) if value.tzinfo is None else value
        hour = moment.astimezone(UTC).isoformat()[: len("2026-11-23T09")]
    except (ValueError, OverflowError, OSError):
        return None
    return hour if hour >= _FIRST_HOUR else None
