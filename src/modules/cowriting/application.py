"""Use case: open a model's envelope and read its payload; layer 4 where layers 1 to 3 give up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from src.modules.cowriting.domain import (
    Envelope,
    EnvelopeParseError,
    Part,
    Payload,
    envelope_error,
    repair_refused,
    to_read,
)
from src.shared.domain.caller import Caller
from src.shared.domain.exceptions import AppException, error_of
from src.shared.domain.options import Finished, known_end
from src.shared.domain.ports.events import EventPort, parsed_event
from src.shared.domain.ports.output import OutputPort, ParsedText
from src.shared.domain.ports.repair import RepairedText, RepairPort
from src.shared.domain.repair_errors import RepairRefusedError

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class PartReading(Generic[T_co]):
    """One text on its way through the layers.

    Attributes:
        part: which text it is.
        text: the text; of a payload that is no text its JSON; empty where the payload is empty.
        finished: what was known of its end.
        parsed: the value and how it was read; None where it was not.
        unread: why layers 1 to 3 did not read the text; None where they did.
        repaired: the repair that layer 4 accepted; None where it was not asked, or gave none.
        error: what `result` raises: `unread`, the refused repair, the repaired text's own error, or the provider's.
    """

    part: Part
    text: str
    finished: bool | None
    parsed: ParsedText[T_co] | None = None
    unread: EnvelopeParseError | None = None
    repaired: RepairedText | None = None
    error: AppException | None = None

    def result(self) -> T_co:
        """The value.

        Raises:
            EnvelopeParseError: a layer failed; `details["layer"]` says which.
            LLMError: the repair agent's model could not be asked.
        """
        if self.parsed is not None:
            return self.parsed.value
        raise error_of(self.error)


T = TypeVar("T")


@dataclass(frozen=True)
class OpenEnvelope:
    """Reads envelopes and payloads; the repair agent is asked about each text once at most.

    Every text that is read or refused is one `OutputParsed`, labelled `信封` or `payload`, and what the repair agent
    made of it is another one; an empty payload is none.

    Attributes:
        output: the parser of envelopes: layers 1 to 3.
        events: told of each text.
        repair_agent: layer 4; None where no model is to be asked.

    Source: seed 004, 触发机制 and 工作流程.
    """

    output: OutputPort[Envelope]
    events: EventPort
    repair_agent: RepairPort | None = None

    async def envelope(self, raw: str, *, finished: Finished = None) -> Envelope:
        """Read the envelope in a model's raw text.

        Args:
            raw: the text as the model gave it.
            finished: whether the model stopped by itself (True) or was cut off (False); None where nobody knows.

        Raises:
            EnvelopeParseError: a layer failed; `details["layer"]` says which.
            LLMError: the repair agent's model could not be asked.
        """
        return (await self.read_envelope(raw, finished=finished)).result()

    async def payload(
        self, payload: Envelope | Payload, output: OutputPort[T], *, finished: Finished = None
    ) -> T | None:
        """Read an envelope's payload; None if it is empty: null, or a text that is blank or says `null`.

        Args:
            payload: an envelope, or its payload: a text, damaged or fenced as it may be, or the value itself.
            output: what the payload is parsed into, and by what.
            finished: as for `envelope`. An envelope's payload is whole unless this is False: the envelope goes on
                behind it.

        Raises:
            EnvelopeParseError: a layer failed; `details["layer"]` says which.
            LLMError: the repair agent's model could not be asked.
        """
        return (await self.read_payload(payload, output, finished=finished)).result()

    async def read_envelope(self, raw: str, *, finished: Finished = None) -> PartReading[Envelope]:
        """`envelope`, with what each layer did; an error is in the reading, and nothing is raised."""
        return await self._read(PartReading(Part.ENVELOPE, raw, known_end(finished)), self.output)

    async def read_payload(
        self, payload: Envelope | Payload, output: OutputPort[T], *, finished: Finished = None
    ) -> PartReading[T | None]:
        """`payload`, with what each layer did; an error is in the reading, and nothing is raised."""
        finished = known_end(finished)
        found = to_read(payload, finished=finished)
        if found is None:
            return PartReading(Part.PAYLOAD, "", finished, ParsedText(None))
        return await self._read(PartReading(Part.PAYLOAD, *found), output)

    async def _read(self, reading: PartReading[T], output: OutputPort[T]) -> PartReading[T]:
        """Layers 1 to 3; failing that layer 4: have the text repaired, once, and parse what comes back."""
        reading = self._parsed(reading, output)
        agent, text, unread = self.repair_agent, reading.text, reading.unread
        if agent is None or unread is None or not agent.accepts(text, unread):
            return reading
        try:
            caller = Caller(reading.part.label)
            repaired = await agent.repair(text, unread, finished=reading.finished, caller=caller)
        except RepairRefusedError as refusal:
            return replace(reading, error=repair_refused(unread, refusal))
        except AppException as failure:
            return replace(reading, error=failure)
        return self._parsed(replace(reading, repaired=repaired), output)

    def _parsed(self, reading: PartReading[T], output: OutputPort[T]) -> PartReading[T]:
        """The reading with what its text, or the repaired one, is parsed into, which the events are told of."""
        repaired = reading.repaired
        text, finished = (repaired.text, True) if repaired else (reading.text, reading.finished)  # its end is shown
        result: ParsedText[T] | EnvelopeParseError
        try:
            result = output.read(text, finished=finished)
        except AppException as failure:
            result = envelope_error(reading.part, failure)
            reading = replace(reading, unread=reading.unread or result, error=result)
        else:
            reading = replace(reading, parsed=result, error=None)
        reply, attempt = (repaired.reply, 2) if repaired else (None, 1)
        by_agent = repaired is not None
        self.events.publish(
            parsed_event(reading.part.label, text, result, reply=reply, attempt=attempt, by_repair_agent=by_agent)
        )
        return reading
