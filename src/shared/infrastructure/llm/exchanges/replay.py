"""A model that answers from a file of recorded exchanges: no account, no network, the same answers every time."""

from __future__ import annotations

import codecs
from collections import defaultdict
from pathlib import Path

from pydantic import ValidationError

from src.shared.domain.language import Message
from src.shared.domain.llm_errors import LLMConfigurationError, LLMError
from src.shared.domain.ports.llm import LLMReply, LLMRequest
from src.shared.infrastructure.llm.exchanges.exchange import Exchange, digest
from src.shared.infrastructure.llm.exchanges.redaction import redact
from src.shared.infrastructure.llm.provider_errors import configuration_error

EXCERPT = 80
"""Most characters of a prompt that an error shows."""


class ReplayLLM:
    """Answers from a recording, a file of JSON Lines (see `exchange.py`); implements `LLMPort`.

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
        self._outcomes: defaultdict[str, list[LLMReply | LLMError]] = defaultdict(list)
        self._asked: defaultdict[str, int] = defaultdict(int)
        for exchange in read_exchanges(self._path):
            self._outcomes[exchange.key()].append(exchange.outcome())

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Return the next reply recorded for these messages, or raise the error recorded in its place.

        Raises:
            LLMConfigurationError: there is none.
            LLMError: it was recorded.
        """
        key = digest(request)
        recorded, turn = self._outcomes.get(key, []), self._asked[key]
        if not recorded or (turn >= len(recorded) and not self._repeat):
            raise self._nothing_for(request.prompt, key, len(recorded))
        self._asked[key] += 1
        outcome = recorded[turn % len(recorded)]
        if isinstance(outcome, LLMError):
            raise type(outcome)(outcome.message, outcome.details, code=outcome.code)
        return outcome

    def _nothing_for(self, prompt: str, key: str, recorded: int) -> LLMConfigurationError:
        shown = redact(" ".join(prompt[: 2 * EXCERPT].split()))
        excerpt = shown if len(shown) <= EXCERPT else shown[: EXCERPT - 1] + "…"
        more_zh, more_en = ("更多", "further ") if recorded else ("", "")
        zh = f"录制文件 {self._path} 中没有该提示词的{more_zh}回答：「{excerpt}」；请用 RecordingLLM 对真实模型录制"
        gloss = f"no {more_en}reply recorded for this prompt; record one with RecordingLLM"
        en = f"no {more_en}reply recorded in {self._path} for the prompt “{excerpt}”; record one with RecordingLLM"
        return configuration_error(Message.glossed(zh, en, gloss), path=str(self._path), digest=key, recorded=recorded)


def read_exchanges(path: Path) -> list[Exchange]:
    """Read a recording.

    Raises:
        LLMConfigurationError: the file cannot be read, or a line is malformed; says which.
    """
    try:
        lines = path.read_bytes().removeprefix(codecs.BOM_UTF8).split(b"\n")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        problem = Message.glossed(
            f"无法读取录制文件 {path}：{reason}",
            f"cannot read the recording {path}: {reason}; record one with RecordingLLM",
            "cannot read the recording; record one with RecordingLLM",
        )
        raise configuration_error(problem, path=str(path), reason=reason) from error
    return [_exchange(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _exchange(path: Path, number: int, line: bytes) -> Exchange:
    try:
        return Exchange.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        reason = ": ".join(filter(None, [".".join(map(str, first["loc"])), first["msg"]]))
    problem = Message.glossed(
        f"录制文件 {path} 第 {number} 行有误：{reason}；请修正或删除该行",
        f"line {number} of the recording {path} is malformed: {reason}; correct or delete it",
        f"line {number} of the recording is malformed; correct or delete it",
    )
    raise configuration_error(problem, path=str(path), line=number, reason=reason)
