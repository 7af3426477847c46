"""The composition root: which adapter stands behind which port.

Everything is made on first use, and what only some callers need is imported then: the provider's client,
the envelopes. A command sets `config`; whoever brings a model of their own overrides its provider:
`app.model.override(...)`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AsyncExitStack
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from src.shared.application.repair_agent.agent import RepairAgent
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.budget import Budget
from src.shared.domain.llm_errors import LLMConfigurationError
from src.shared.domain.ports.events import EventPort
from src.shared.domain.ports.llm import LLMPort
from src.shared.domain.repair_rate import RepairRates
from src.shared.infrastructure.agents.agent_output import plain_output
from src.shared.infrastructure.events.fan_out import FanOut
from src.shared.infrastructure.events.log import LogEvents, LogRepairRates
from src.shared.infrastructure.events.otel_setting import OtelScope, otel_scope
from src.shared.infrastructure.events.store_setting import is_store_set
from src.shared.infrastructure.extras import needs_package
from src.shared.infrastructure.llm.models import DeferredLLM, ModelFactory
from src.shared.infrastructure.parsing.inspection import read_object

with needs_package("llm"):
    from dependency_injector import containers, providers

if TYPE_CHECKING:
    from src.modules.cowriting.application import OpenEnvelope
    from src.shared.domain.ports.repair import RepairPort

ASKING_VARIABLES = ("LLM_BUDGET_", "LLM_PRICE_", "LLM_FALLBACK_", "LLM_REPAIR_")
"""How the variables begin that say what an answer may cost and who else is asked."""


def _events(log: LogEvents, rates: RepairRates, otel: str | None) -> FanOut:
    """Everybody who is told what happens; OpenTelemetry and the store of outcomes where asked for."""
    events: list[EventPort] = [log, rates]
    if otel_scope(otel) is not OtelScope.OFF:
        from src.shared.infrastructure.events.otel import OtelEvents  # noqa: PLC0415 - as above

        events.append(OtelEvents())
    if is_store_set():
        from src.modules.monitoring.container import record_outcomes  # noqa: PLC0415 - as above

        events.append(record_outcomes().events)
    return FanOut(*events)


def _asking_settings() -> Any:  # noqa: ANN401 - `AskingSettings`, or the like of it
    """What the environment says of asking; nothing without the package that reads it, unless something is said."""
    try:
        from src.shared.infrastructure.llm.settings import AskingSettings  # noqa: PLC0415 - as above
    except LLMConfigurationError:
        if any(name.startswith(ASKING_VARIABLES) for name in os.environ):
            raise
        return SimpleNamespace(budget=Budget, fallback_model=None, repair_model=None)
    return AskingSettings()


def _repair_model(models: ModelFactory, name: str | None, model: Callable[[], LLMPort]) -> LLMPort:
    """The model for repairs of the settings, else the first."""
    return models.other(name) or model()


def _open_envelope(events: EventPort, repair_agent: RepairPort | None) -> OpenEnvelope:
    from src.modules.cowriting.application import OpenEnvelope  # noqa: PLC0415 - as above
    from src.modules.cowriting.infrastructure import EnvelopeOutput  # noqa: PLC0415 - as above

    return OpenEnvelope(EnvelopeOutput(), events, repair_agent)


class Application(containers.DeclarativeContainer):
    """The model, who is told what happens, asking for typed answers, and the applications of it.

    `config.settings`: fields of `LLMSettings` that win over the environment. `config.replay`: a recording to answer
    from. `config.record`: recordings to add to. `config.repair`: who
    mends the syntax of a last answer or of an envelope, `agent` or `none`. `config.otel`: what goes to OpenTelemetry,
    an `OtelScope`; None leaves it to `LLM_OTEL`. `await app.open_things().aclose()` closes what was opened.
    """

    config = providers.Configuration(default={"repair": "agent"})

    open_things: providers.Singleton[AsyncExitStack[bool | None]] = providers.Singleton(AsyncExitStack)
    models = providers.Singleton(ModelFactory, open_things, config.settings, config.replay, config.record, config.otel)
    asking_settings = providers.Singleton(_asking_settings)
    model = providers.Singleton(ModelFactory.first, models)
    fallback = providers.Singleton(ModelFactory.other, models, asking_settings.provided.fallback_model)
    repair_model = providers.Singleton(_repair_model, models, asking_settings.provided.repair_model, model.provider)

    repair_rates = providers.Singleton(RepairRates, providers.Singleton(LogRepairRates))
    events = providers.Singleton(_events, providers.Singleton(LogEvents), repair_rates, config.otel)

    repair_agent = providers.Singleton(
        RepairAgent, providers.Singleton(DeferredLLM, repair_model.provider), events, providers.Object(read_object)
    )
    repair = providers.Selector(config.repair, agent=repair_agent, none=providers.Object(None))
    budget = asking_settings.provided.budget.call()
    typed_llm = providers.Singleton(
        TypedLLM,
        model,
        output_of=providers.Object(plain_output),
        events=events,
        repair=repair,
        fallback=fallback,
        budget=budget,
    )

    open_envelope = providers.Singleton(_open_envelope, events, repair)
