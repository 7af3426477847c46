"""The port to the parser of envelopes: layers 1 to 3, no model."""

from __future__ import annotations

from typing import Protocol, TypeVar, overload

from pydantic import BaseModel, JsonValue

from src.modules.cowriting.domain.envelope import Envelope

T = TypeVar("T", bound=BaseModel)


class EnvelopeParserPort(Protocol):
    """Whatever reads envelopes and payloads.

    `parse_payload` gives the decoded value, or with a type the validated DTO; None if the payload is empty. It raises
    `EnvelopeParseError` for one that cannot be read without a guess, or is none of the type.
    """

    def parse_envelope(self, raw: str) -> Envelope:
        """Read an envelope.

        Raises:
            EnvelopeParseError: `raw` holds no envelope that can be read without a guess.
        """
        ...

    @overload
    def parse_payload(self, payload: Envelope | JsonValue) -> JsonValue: ...

    @overload
    def parse_payload(self, payload: Envelope | JsonValue, dto_type: type[T]) -> T | None: ...
