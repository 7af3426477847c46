"""The models of one application: which adapter is made for each, and what stands around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from src.shared.domain.ports.llm import LLMPort, LLMReply, LLMRequest
from src.shared.infrastructure.events.otel_setting import OtelScope, otel_scope
from src.shared.infrastructure.llm.exchange import RecordingLLM
from src.shared.infrastructure.llm.provider import ModelAddress, Provider
from src.shared.infrastructure.llm.replay import ReplayLLM
from src.shared.infrastructure.llm.traced import TracedLLM

if TYPE_CHECKING:
    from src.shared.infrastructure.llm.connections import Limiter
    from src.shared.infrastructure.llm.native_llm import NativeLLM
    from src.shared.infrastructure.llm.openai_compatible import OpenAICompatibleLLM
    from src.shared.infrastructure.llm.settings import LLMSettings


class ModelFactory:
    """Makes models; what only a provider needs is imported with the first of them.

    Args:
        open_things: closes what was made.
        settings: fields of `LLMSettings` that win over the environment.
        replay: a recording that answers for every model.
        record: recordings to add to.
        otel: what goes to OpenTelemetry; None leaves it to `LLM_OTEL`.
    """

    def __init__(
        self,
        open_things: AsyncExitStack,
        settings: Mapping[str, Any] | None,
        replay: Path | None,
        record: Sequence[Path] | None,
        otel: str | None,
    ) -> None:
        self._open_things = open_things
        self._given = dict(settings or {})
        self._replay = replay
        self._record = record or ()
        self._otel = otel
        self._limiter: Limiter | None = None  # one for all: they are at the same provider

    def first(self) -> LLMPort:
        """A recording where there is one, else the provider's model; traced and recorded wherever asked for.

        Raises:
            LLMConfigurationError: there is not enough to reach a model, or a recording cannot be used.
        """
        return self._recorded(ReplayLLM(self._replay), []) if self._replay else self._connected({})

    def other(self, name: str | None) -> LLMPort | None:
        """Another model at the same provider; None without a name, and where a recording answers.

        Raises:
            LLMConfigurationError: as above.
        """
        return self._connected({"model": name}) if name and not self._replay else None

    def _connected(self, also: Mapping[str, Any]) -> LLMPort:
        from src.shared.infrastructure.llm.connections import Limiter  # noqa: PLC0415 - what it needs is an extra
        from src.shared.infrastructure.llm.settings import LLMSettings  # noqa: PLC0415 - as above

        settings = LLMSettings(**{**self._given, **also})
        self._limiter = self._limiter or Limiter(settings.max_concurrency, settings.requests_per_minute)
        llm = connect(settings, self._limiter)
        self._open_things.push_async_callback(llm.aclose)
        return self._recorded(self._traced(llm, settings), settings.secrets())

    def _traced(self, llm: LLMPort, settings: LLMSettings) -> LLMPort:
        if otel_scope(self._otel) is not OtelScope.ON:
            return llm
        spoken, is_streaming = settings.provider, settings.stream
        return TracedLLM(llm, ModelAddress.of(settings.address, settings.model, spoken, is_streaming=is_streaming))

    def _recorded(self, llm: LLMPort, secrets: Sequence[str]) -> LLMPort:
        for file in self._record:
            llm = RecordingLLM(llm, file, secrets=secrets)
        return llm


class DeferredLLM:
    """A model that needs settings and a package, made only when it is asked.

    Args:
        make: gives the model, every time the same; raises an LLMError where the settings do not suffice for one.
    """

    def __init__(self, make: Callable[[], LLMPort]) -> None:
        self._make = make

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Ask once and wait for the whole answer; see `LLMPort.generate`.

        Raises:
            LLMError: the model's, or that of its settings.
        """
        return await self._make().generate(request)


def connect(settings: LLMSettings, limiter: Limiter | None = None) -> OpenAICompatibleLLM | NativeLLM:
    """Make the adapter that the settings name; only its packages are imported.

    Args:
        settings: whom to ask, and how.
        limiter: shared with other models at the same provider; by default one by the settings.

    Raises:
        LLMConfigurationError: its packages are not installed, or it does not take the settings.
    """
    if settings.provider is Provider.OPENAI_COMPATIBLE:
        from src.shared.infrastructure.llm.openai_compatible import OpenAICompatibleLLM  # noqa: PLC0415 - as it says

        return OpenAICompatibleLLM(settings, limiter)
    from src.shared.infrastructure.llm.native_llm import NativeLLM  # noqa: PLC0415 - as it says

    return NativeLLM(settings, limiter)
