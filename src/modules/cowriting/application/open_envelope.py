"""Use case: open a model's envelope and read its payload; layer 4 where layers 1 to 3 give up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar, overload

from pydantic import BaseModel, JsonValue

from src.modules.cowriting.domain.envelope import Envelope, Layer, Part
from src.modules.cowriting.domain.exceptions import EnvelopeParseError, envelope_error
from src.modules.cowriting.domain.ports.envelope_parser import EnvelopeParserPort
from src.shared.domain.ports.repair import RepairPort
from src.shared.domain.repair_errors import RepairRefusedError

T = TypeVar("T", bound=BaseModel)
Value: TypeAlias = BaseModel | JsonValue
R = TypeVar("R")


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

    async def envelope(self, raw: str) -> Envelope:
        """Read the envelope in a model's raw text.

        Raises:
            EnvelopeParseError: a layer failed; `details["layer"]` says which.
            LLMError: the repair agent's model could not be asked.
        """
        return await self._repaired(raw, Part.ENVELOPE, self.parser.parse_envelope)

    @overload
    async def payload(self, payload: Envelope | JsonValue) -> JsonValue: ...

    @overload
    async def payload(self, payload: Envelope | JsonValue, dto_type: type[T]) -> T | None: ...

    async def payload(
        self, payload: Envelope | JsonValue, dto_type: type[BaseModel] | None = None
    ) -> BaseModel | JsonValue:
        """Read an envelope's payload; None if it is empty.

        Raises:
            EnvelopeParseError: a layer failed; `details["layer"]` says which.
            LLMError: the repair agent's model could not be asked.
        """

        def parse(value: JsonValue) -> Value:
            return self.parser.parse_payload(value) if dto_type is None else self.parser.parse_payload(value, dto_type)

        value = payload.payload if isinstance(payload, Envelope) else payload
        if isinstance(value, str):
            return await self._repaired(value, Part.PAYLOAD, parse)
        return parse(value)

    async def _repaired(self, text: str, part: Part, parse: Callable[[str], R]) -> R:
        """Parse; failing that by a syntax error, have the text repaired and parse what comes back, once."""
        try:
            return parse(text)
        except EnvelopeParseError as error:
            if not self.repair_agent.accepts(text, error):
                raise
            try:
                repaired = await self.repair_agent.repair(text, error)
            except RepairRefusedError as refusal:
                raise envelope_error(refusal, part, Layer.REPAIR_AGENT) from refusal
        return parse(repaired.text)
