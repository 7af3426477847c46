"""The co-writing context's composition root."""

from __future__ import annotations

from dependency_injector import containers, providers

from src.modules.cowriting.application import OpenEnvelope
from src.modules.cowriting.infrastructure import EnvelopeOutput
from src.shared.domain.ports.events import EventPort
from src.shared.domain.ports.repair import RepairPort


class CowritingContainer(containers.DeclarativeContainer):
    """What it needs: where events go; and, where a model may be asked for repairs, the repair agent."""

    events: providers.Dependency[EventPort] = providers.Dependency()
    repair_agent: providers.Provider[RepairPort | None] = providers.Object(None)

    open_envelope = providers.Singleton(OpenEnvelope, providers.Singleton(EnvelopeOutput), events, repair_agent)
