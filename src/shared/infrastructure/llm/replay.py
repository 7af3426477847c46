"""A model that answers from a file of recorded exchanges: no account, no network, the same answers every time."""

from __future__ import annotations

import asyncio
import codecs
from collections import defaultdict
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from src.shared.domain.language import Message, Phrase
from src.shared.domain.llm_errors import LLMConfigurationError, LLMError
from src.shared.domain.one_line import shorten
from src.shared.domain.ports.llm import LLMReply, LLMRequest
from src.shared.infrastructure.llm.exchange import Exchange, redact
from src.shared.infrastructure.llm.provider_errors import configuration_error

Line = TypeVar("Line", bound=BaseModel)


def stored_lines(path: Path, line_type: type[Line], what: Message, *, hint: str = "") -> list[Line]:
    """Read a file of JSON Lines; empty lines do not count.

    Args:
        path: the file.
        line_type: what a line is.
        what: what the file is called.
        hint: what to do where it cannot be read, in English, behind a semicolon.

    Raises:
        LLMConfigurationError: the file cannot be read, or a line is malformed; says which.
    """
    try:
        lines = path.read_bytes().removeprefix(codecs.BOM_UTF8).split(b"\n")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        problem = Phrase(
            "cannot read the {what} {path}: {reason}{hint}", what=what, path=path, reason=reason, hint=hint
        )
        raise configuration_error(problem, path=str(path), reason=reason) from error
    return [_line(path, number, line, line_type, what) for number, line in enumerate(lines, 1) if line.strip()]


def _line(path: Path, number: int, line: bytes, line_type: type[Line], what: Message) -> Line:
    try:
        return line_type.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        reason = ": ".join(filter(None, [".".join(map(str, first["loc"])), first["msg"]]))
    problem = Phrase(
        "line {number} of the {what} {path} is malformed: {reason}; correct or delete it",
        number=number,
        what=what,
        path=path,
        reason=reason,
    )
    raise configuration_error(problem, path=str(path), line=number, reason=reason)


EXCERPT = 80
"""Most characters of a prompt that an error shows."""
_WHAT = Phrase("file|recording")


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
        self._exchanges: defaultdict[str, list[Exchange]] = defaultdict(list)
        self._asked: defaultdict[str, int] = defaultdict(int)
        for exchange in read_exchanges(self._path):
            self._exchanges[exchange.key()].append(exchange)

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Return the next reply recorded for these messages, or raise the error recorded in its place.

        Who follows is given the recorded chunks; a reply that was recorded whole comes in pieces of a few characters.

        Raises:
            LLMConfigurationError: there is none.
            LLMError: it was recorded.
        """
        exchange = self._next(request)
        if request.progress:
            request.progress.begin()
            for piece in exchange.reply.pieces() if exchange.reply else ():
                request.progress.add(piece)
                await asyncio.sleep(0)  # whoever follows has a turn, as with a model
        outcome = exchange.outcome()
        if isinstance(outcome, LLMError):
            raise outcome
        return outcome

    def _next(self, request: LLMRequest) -> Exchange:
        key = Exchange.of(request).key()
        recorded, turn = self._exchanges.get(key, []), self._asked[key]
        if not recorded or (turn >= len(recorded) and not self._repeat):
            raise self._nothing_for(request.prompt, key, len(recorded))
        self._asked[key] += 1
        return recorded[turn % len(recorded)]

    def _nothing_for(self, prompt: str, key: str, recorded: int) -> LLMConfigurationError:
        excerpt = shorten(redact(" ".join(prompt[: 2 * EXCERPT].split())), EXCERPT)
        return configuration_error(
            Phrase(
                "no {further}reply recorded in {path} for the prompt “{excerpt}”; record one with RecordingLLM",
                further=Phrase("further ") if recorded else "",
                path=self._path,
                excerpt=excerpt,
            ),
            path=str(self._path),
            digest=key,
            recorded=recorded,
        )


def read_exchanges(path: Path) -> list[Exchange]:
    """Read a recording.

    Raises:
        LLMConfigurationError: the file cannot be read, or a line is malformed; says which.
    """
    return stored_lines(path, Exchange, _WHAT, hint="; record one with RecordingLLM")
