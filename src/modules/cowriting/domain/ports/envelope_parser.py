"""The port to the parser of envelopes: layers 1 to 3, no model."""

from __future__ import annotations

from typing import Protocol, TypeVar, overload

from pydantic import BaseModel, JsonValue

from src.modules.cowriting.domain.envelope import Envelope

T = TypeVar("T", bound=BaseModel)


class EnvelopeParserPort(Protocol):
    """Whatever reads envelopes and payloads.

    `finished` is what is known of the end of the text, as for `parse_llm_json_output`.
    `parse_payload` gives the decoded value, or with a type the validated DTO; None if the payload is empty. It raises
    `EnvelopeParseError` for one that cannot be read without a guess, or is none of the type.
    """

    def parse_envelope(self, raw: str, *, finished: bool | None = None) -> Envelope:
        """Read an envelope.

        Raises:
            EnvelopeParseError: `raw` holds no envelope that can be read without a guess.
        """
        ...

    @overload
    def parse_payload(self, payload: Envelope | JsonValue, *, finished: bool | None = None) -> JsonValue: ...

    @overload
    def parse_payload(
        self, payload: Envelope | JsonValue, dto_type: type[T], *, finished: bool | None = None
    ) -> T | None: ...
