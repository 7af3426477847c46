"""Use case: open a model's envelope and read its payload; layer 4 where layers 1 to 3 give up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar, overload

from pydantic import BaseModel, JsonValue

from src.modules.cowriting.domain.envelope import Envelope, Layer, Part
from src.modules.cowriting.domain.exceptions import EnvelopeParseError, envelope_error
from src.modules.cowriting.domain.ports.envelope_parser import EnvelopeParserPort
from src.shared.domain.ports.repair import RepairPort
from src.shared.domain.repair_errors import RepairRefusedError

T = TypeVar("T", bound=BaseModel)
Value: TypeAlias = BaseModel | JsonValue
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class _Parse(Protocol[R_co]):
    def __call__(self, text: str, /, *, finished: bool | None) -> R_co: ...


@dataclass(frozen=True)
class OpenEnvelope:
    """Reads envelopes and payloads; the repair agent is asked about each text once at most.

    Attributes:
        parser: layers 1 to 3.
        repair_agent: layer 4.

    Source: seed 004, 触发机制 and 工作流程.
    """

    parser: EnvelopeParserPort
    repair_agent: RepairPort

    async def envelope(self, raw: str, *, finished: bool | None = None) -> Envelope:
        """Read the envelope in a model's raw text.

        Args:
            raw: the text as the model gave it.
            finished: whether the model stopped by itself (True) or was cut off (False); None where nobody knows.

        Raises:
            EnvelopeParseError: a layer failed; `details["layer"]` says which.
            LLMError: the repair agent's model could not be asked.
        """
        return await self._repaired(raw, Part.ENVELOPE, self.parser.parse_envelope, finished=finished)

    @overload
    async def payload(self, payload: Envelope | JsonValue, *, finished: bool | None = None) -> JsonValue: ...

    @overload
    async def payload(
        self, payload: Envelope | JsonValue, dto_type: type[T], *, finished: bool | None = None
    ) -> T | None: ...

    async def payload(
        self, payload: Envelope | JsonValue, dto_type: type[BaseModel] | None = None, *, finished: bool | None = None
    ) -> BaseModel | JsonValue:
        """Read an envelope's payload; None if it is empty.

        Args:
            payload: an envelope, or its payload.
            dto_type: what the payload must be; None leaves it as decoded.
            finished: as for `envelope`. An envelope's payload is whole unless this is False.

        Raises:
            EnvelopeParseError: a layer failed; `details["layer"]` says which.
            LLMError: the repair agent's model could not be asked.
        """

        def parse(value: JsonValue, *, finished: bool | None) -> Value:
            if dto_type is None:
                return self.parser.parse_payload(value, finished=finished)
            return self.parser.parse_payload(value, dto_type, finished=finished)

        value: JsonValue = payload.payload if isinstance(payload, Envelope) else payload
        whole = finished is not False if isinstance(payload, Envelope) else finished
        if isinstance(value, str):
            return await self._repaired(value, Part.PAYLOAD, parse, finished=whole)
        return parse(value, finished=whole)

    async def _repaired(self, text: str, part: Part, parse: _Parse[R], *, finished: bool | None) -> R:
        """Parse; failing that by a syntax error, have the text repaired and parse what comes back, once."""
        try:
            return parse(text, finished=finished)
        except EnvelopeParseError as error:
            if not self.repair_agent.accepts(text, error):
                raise
            try:
                repaired = await self.repair_agent.repair(text, error, finished=finished)
            except RepairRefusedError as refusal:
                raise envelope_error(refusal, part, Layer.REPAIR_AGENT) from refusal
        return parse(repaired.text, finished=True)  # strict JSON: its end is shown
