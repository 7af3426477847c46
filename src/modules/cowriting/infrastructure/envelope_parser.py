"""Envelopes and payloads by the unified parser: layers 1 to 3. Pure: no model, no clock, no network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TypeAlias, TypeVar, overload

from pydantic import BaseModel, JsonValue

from src.modules.cowriting.domain.envelope import Envelope, Layer, Part
from src.modules.cowriting.domain.exceptions import envelope_error
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import SEVERAL_OBJECTS
from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output

T = TypeVar("T", bound=BaseModel)
Value: TypeAlias = BaseModel | JsonValue

_LAYER_OF_STAGE = {
    "empty": Layer.EXTRACT,
    "think": Layer.EXTRACT,
    "extract": Layer.EXTRACT,
    "repair": Layer.NORMALIZE,
    "root": Layer.PARSE,
    "validate": Layer.PARSE,
}
"""The parser's stages that can fail → the layer of seed 004 they belong to."""


class EnvelopeParser:
    """`EnvelopeParserPort` by the functions of this module."""

    def parse_envelope(self, raw: str, *, finished: bool | None = None) -> Envelope:
        """As the function of this name."""
        return parse_envelope(raw, finished=finished)

    @overload
    def parse_payload(self, payload: Envelope | JsonValue, *, finished: bool | None = None) -> JsonValue: ...

    @overload
    def parse_payload(
        self, payload: Envelope | JsonValue, dto_type: type[T], *, finished: bool | None = None
    ) -> T | None: ...

    def parse_payload(
        self, payload: Envelope | JsonValue, dto_type: type[BaseModel] | None = None, *, finished: bool | None = None
    ) -> Value:
        """As the function of this name."""
        return _payload(payload, dto_type, finished=finished)


def parse_envelope(raw: str, *, finished: bool | None = None) -> Envelope:
    """Read the envelope in a model's raw text.

    Args:
        raw: the text as the model gave it.
        finished: as for `parse_llm_json_output`.

    Raises:
        EnvelopeParseError: there is none that can be read without a guess; `details["layer"]` says how far it got.
    """
    with _named(Part.ENVELOPE):
        return parse_llm_json_output(raw, Envelope, context_label="信封", finished=finished)


@overload
def parse_payload(payload: Envelope | JsonValue, *, finished: bool | None = None) -> JsonValue: ...


@overload
def parse_payload(payload: Envelope | JsonValue, dto_type: type[T], *, finished: bool | None = None) -> T | None: ...


def parse_payload(
    payload: Envelope | JsonValue, dto_type: type[BaseModel] | None = None, *, finished: bool | None = None
) -> Value:
    """Read a payload: of an envelope, or as it stands.

    A text is decoded, damaged or fenced as it may be; a value that is decoded already is taken as it is. Without a
    type, a text that is strict JSON may also be a list or a scalar, as for the specification's `JSON.parse`; a damaged
    text must be an object.

    Args:
        payload: an envelope, or its payload.
        dto_type: what the payload must be; None leaves it as decoded.
        finished: as for `parse_llm_json_output`. An envelope's payload is whole unless this is False: the envelope
            goes on behind it.

    Returns:
        The object, or the validated DTO; None for an empty payload: null, or a text that is blank or says `null`.

    Raises:
        EnvelopeParseError: it cannot be read without a guess, or is none of `dto_type`.
    """
    return _payload(payload, dto_type, finished=finished)


def _payload(payload: Envelope | JsonValue, dto_type: type[BaseModel] | None, *, finished: bool | None) -> Value:
    if isinstance(payload, Envelope):
        return _payload(payload.payload, dto_type, finished=finished is not False)
    if payload is None or (isinstance(payload, str) and payload.strip() in {"", "null"}):
        return None
    with _named(Part.PAYLOAD):
        if dto_type is not None:
            text, end = (payload, finished) if isinstance(payload, str) else (json.dumps(payload), True)
            return parse_llm_json_output(text, dto_type, context_label="payload", finished=end)
        return _decoded(payload, finished=finished) if isinstance(payload, str) else payload


def _decoded(text: str, *, finished: bool | None) -> JsonValue:
    if finished is not False and text.lstrip()[:1] in _NO_OBJECT_STARTS:
        with suppress(ValueError, RecursionError):
            value: JsonValue = json.loads(text, parse_constant=_refuse)
            if not (isinstance(value, str) and "{" in value):
                return value  # a string with a brace in it may be an object written as a string
    decoded: JsonValue = decode_llm_json(text, finished=finished).data
    return decoded


_NO_OBJECT_STARTS = frozenset('["-0123456789tfn')


def _refuse(name: str) -> float:
    raise ValueError(name)


@contextmanager
def _named(part: Part) -> Iterator[None]:
    """Raise the parser's error as the context's own, with the part and the layer."""
    try:
        yield
    except LLMJsonParseError as error:
        several = error.details.get("json_error") == SEVERAL_OBJECTS.en
        layer = Layer.EXTRACT if several else _LAYER_OF_STAGE[error.details["stage"]]
        raise envelope_error(error, part, layer) from error
