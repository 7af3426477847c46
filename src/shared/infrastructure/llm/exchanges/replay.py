"""A model that answers from a file of recorded exchanges: no account, no network, the same answers every time."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from pathlib import Path

from src.shared.domain.language import Message
from src.shared.domain.llm_errors import LLMConfigurationError, LLMError
from src.shared.domain.ports.llm import LLMReply, LLMRequest
from src.shared.domain.ports.llm_streaming import TextListener
from src.shared.infrastructure.llm.exchanges.exchange import Exchange, digest
from src.shared.infrastructure.llm.exchanges.redaction import redact
from src.shared.infrastructure.llm.exchanges.stored_lines import stored_lines
from src.shared.infrastructure.llm.provider_errors import configuration_error

EXCERPT = 80
"""Most characters of a prompt that an error shows."""
_WHAT = Message("录制文件", "recording")


class ReplayLLM:
    """Answers from a recording, a file of JSON Lines (see `exchange.py`); implements `StreamingLLM`.

    A call is matched by its messages, images among them. The same messages again gets the next reply recorded for it.
    """

    def __init__(self, path: Path | str, *, repeat: bool = False) -> None:
        """Read the whole file.

        Args:
            path: the recording.
            repeat: whether a prompt's replies start over when they are used up; else that is an error.

        Raises:
            LLMConfigurationError: the file cannot be read, or a line is malformed; says which.
        """
        self._path = Path(path)
        self._repeat = repeat
        self._exchanges: defaultdict[str, list[Exchange]] = defaultdict(list)
        self._asked: defaultdict[str, int] = defaultdict(int)
        for exchange in read_exchanges(self._path):
            self._exchanges[exchange.key()].append(exchange)

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Return the next reply recorded for these messages, or raise the error recorded in its place.

        Raises:
            LLMConfigurationError: there is none.
            LLMError: it was recorded.
        """
        return _reply_of(self._next(request))

    async def generate_streaming(self, request: LLMRequest, listener: TextListener) -> LLMReply:
        """`generate`, in the recorded chunks; a reply that was recorded whole comes in pieces of a few characters.

        Raises:
            LLMError: as for `generate`.
        """
        listener.text_begins()
        exchange = self._next(request)
        for piece in exchange.reply.pieces() if exchange.reply else ():
            listener.text_grows(piece)
            await asyncio.sleep(0)  # whoever follows has a turn, as with a model
        return _reply_of(exchange)

    def _next(self, request: LLMRequest) -> Exchange:
        key = digest(request)
        recorded, turn = self._exchanges.get(key, []), self._asked[key]
        if not recorded or (turn >= len(recorded) and not self._repeat):
            raise self._nothing_for(request.prompt, key, len(recorded))
        self._asked[key] += 1
        return recorded[turn % len(recorded)]

    def _nothing_for(self, prompt: str, key: str, recorded: int) -> LLMConfigurationError:
        shown = redact(" ".join(prompt[: 2 * EXCERPT].split()))
        excerpt = shown if len(shown) <= EXCERPT else shown[: EXCERPT - 1] + "…"
        more_zh, more_en = ("更多", "further ") if recorded else ("", "")
        zh = f"录制文件 {self._path} 中没有该提示词的{more_zh}回答：「{excerpt}」；请用 RecordingLLM 对真实模型录制"
        gloss = f"no {more_en}reply recorded for this prompt; record one with RecordingLLM"
        en = f"no {more_en}reply recorded in {self._path} for the prompt “{excerpt}”; record one with RecordingLLM"
        return configuration_error(Message.glossed(zh, en, gloss), path=str(self._path), digest=key, recorded=recorded)


def _reply_of(exchange: Exchange) -> LLMReply:
    """What was recorded: the reply, or the error, which is raised."""
    outcome = exchange.outcome()
    if isinstance(outcome, LLMError):
        raise outcome
    return outcome


def read_exchanges(path: Path) -> list[Exchange]:
    """Read a recording.

    Raises:
        LLMConfigurationError: the file cannot be read, or a line is malformed; says which.
    """
    return stored_lines(path, Exchange, _WHAT, hint="; record one with RecordingLLM")
