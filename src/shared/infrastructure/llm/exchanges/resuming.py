"""A model that goes on where an earlier run stopped: what was answered then is not asked again."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from src.shared.domain.caller import current_caller
from src.shared.domain.event_names import event_name
from src.shared.domain.exceptions import AppException
from src.shared.domain.llm_errors import LLMError
from src.shared.domain.ports.llm import LLMPort, LLMReply, LLMRequest, model_asked
from src.shared.domain.ports.llm_streaming import TextListener, generate_with, tell_whole
from src.shared.infrastructure.llm.exchanges.exchange import digest
from src.shared.infrastructure.llm.exchanges.replay import read_exchanges


@dataclass(frozen=True)
class EarlierRun:
    """A run that stopped, and that another one goes on with.

    Attributes:
        recording: every exchange of it.
        settled: by the label of whoever asked, why there is no answer: the run went on without it, and so does the
            next one. Nothing more is asked on their behalf.

    .. versionadded:: 0.1.0
    """

    recording: Path
    settled: Mapping[str, AppException] = field(default_factory=dict)


class ResumingLLM:
    """Gives the replies of an earlier run, in their order, and asks a model for all others.

    Implements `RecallingLLM` and `StreamingLLM`; an earlier reply is one chunk.

    A request is matched by its messages, images among them. An error of the earlier run is no reply: it is asked again,
    unless whoever asks is settled. A settled one gets the replies as they came, and then its error.

    .. versionadded:: 0.1.0
    """

    def __init__(self, inner: LLMPort, earlier: EarlierRun) -> None:
        """Read the earlier run's recording, once.

        Raises:
            LLMConfigurationError: it cannot be read, or a line is malformed; says which.
        """
        self._inner = inner
        self._settled = {event_name(label): error for label, error in earlier.settled.items()}
        self._replies: defaultdict[str, deque[LLMReply]] = defaultdict(deque)
        for exchange in read_exchanges(earlier.recording):
            if exchange.reply is not None:
                self._replies[exchange.key()].append(exchange.reply.outcome())

    @property
    def model(self) -> str:
        """The name of the model that is asked."""
        return model_asked(self._inner)

    async def generate(self, request: LLMRequest) -> LLMReply:
        """The next reply to these messages: the earlier run's, else the model's.

        Raises:
            LLMError: the model's, or the one that is settled.
        """
        reply = self.recall(request)
        return await self._inner.generate(request) if reply is None else reply

    async def generate_streaming(self, request: LLMRequest, listener: TextListener) -> LLMReply:
        """`generate`, and let somebody follow; see `StreamingLLM.generate_streaming`.

        Raises:
            LLMError: as for `generate`.
        """
        reply = self.recall(request)
        if reply is None:
            return await generate_with(self._inner, request, listener)
        tell_whole(listener, reply)
        return reply

    def recall(self, request: LLMRequest) -> LLMReply | None:
        """The earlier run's next reply to these messages; None where it has no more.

        Raises:
            LLMError: the one that is settled.
        """
        replies, settled = self._replies[digest(request)], self._settled.get(current_caller().context_label)
        if replies:
            return replace(replies.popleft(), is_earlier=True, is_settled=settled is not None)
        if settled is None:
            return None
        error = LLMError(settled.message, settled.details, code=settled.code)
        error.is_earlier = True
        raise error
