"""The use case with the real parsers: without a model, or with the repair agent of a scripted one."""

from dataclasses import dataclass, field

import pytest
from pydantic import BaseModel

from src.modules.cowriting.application import OpenEnvelope
from src.modules.cowriting.domain import EnvelopeParseError
from src.modules.cowriting.infrastructure import EnvelopeOutput, parse_envelope
from src.shared.domain.ports.events import Event, OutputParsed
from src.shared.infrastructure.agents.agent_output import plain_output
from tests.shared.application.repair_agent.asking import Asked


class Draft(BaseModel):
    """What most of the payloads are."""

    title: str
    words: int


DRAFT = plain_output(Draft)


@dataclass
class Published:
    """An event port that remembers the parses."""

    events: list[OutputParsed] = field(default_factory=list)

    def publish(self, event: Event) -> None:
        if isinstance(event, OutputParsed):
            self.events.append(event)


def opening(agent: Asked | None = None, events: Published | None = None) -> OpenEnvelope:
    """The use case; without an agent no model is asked."""
    return OpenEnvelope(EnvelopeOutput(), events or Published(), agent.agent if agent else None)


async def refusal_of_envelope(
    raw: str, agent: Asked | None = None, *, finished: bool | None = None
) -> EnvelopeParseError:
    """Open an envelope that must be refused, and return the error; without a model the function refuses it alike."""
    with pytest.raises(EnvelopeParseError) as caught:
        await opening(agent).envelope(raw, finished=finished)
    if agent is None:
        with pytest.raises(EnvelopeParseError) as alone:
            parse_envelope(raw, finished=finished)
        assert (alone.value.message, alone.value.details) == (caught.value.message, caught.value.details)
    return caught.value
