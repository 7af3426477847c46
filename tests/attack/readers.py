"""Readers with one fault each, which an attack has to find."""

import json

from pydantic import BaseModel, ValidationError

from tools.attack.reader import Accepted, Crashed, Read, Reading, Refused


def strict(text: str, *, finished: bool | None = None, salvage: bool = False) -> Reading:
    """The standard decoder: it refuses all damage and guesses nothing."""
    del salvage
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return Refused(truncated=finished is False)
    return Accepted(value) if isinstance(value, dict) and finished is not False else Refused(finished is False)


def inventing(text: str, *, finished: bool | None = None, salvage: bool = False) -> Reading:
    """Reads whatever it cannot read as an empty object."""
    reading = strict(text, finished=finished, salvage=salvage)
    return Accepted({}) if isinstance(reading, Refused) else reading


def crashing(text: str, *, finished: bool | None = None, salvage: bool = False) -> Reading:
    """Never reads anything."""
    del text, finished, salvage
    return Crashed("KeyError: 'a'")


def first_object(text: str, *, finished: bool | None = None, salvage: bool = False) -> Reading:
    """Takes the first object that can be decoded, wherever it stands."""
    del finished, salvage
    for start in range(len(text)):
        try:
            value = json.JSONDecoder().raw_decode(text, start)[0] if text[start] == "{" else None
        except ValueError:
            continue
        if isinstance(value, dict):
            return Accepted(value)
    return Refused()


def first_object_as(text: str, dto_type: type[BaseModel], *, finished: bool | None = None) -> Reading:
    """Takes the first object, if it satisfies the type."""
    reading = first_object(text, finished=finished)
    return strict_as(json.dumps(reading.data), dto_type) if isinstance(reading, Accepted) else reading


def strict_as(text: str, dto_type: type[BaseModel], *, finished: bool | None = None) -> Reading:
    """The standard decoder and the type."""
    reading = strict(text, finished=finished)
    try:
        return Accepted(dto_type.model_validate(reading.data)) if isinstance(reading, Accepted) else reading
    except ValidationError:
        return Refused()


def salvaging(data: object, *, truncated: bool) -> Read:
    """A reader that salvages this from every text it is to salvage, and otherwise is strict."""

    def read(text: str, *, finished: bool | None = None, salvage: bool = False) -> Reading:
        return Accepted(data, truncated) if salvage else strict(text, finished=finished)

    return read
