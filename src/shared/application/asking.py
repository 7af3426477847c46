"""The attempts at one answer: ask, parse, re-ask; at the end perhaps the repair agent."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from src.shared.application.outcome import Attempt, Outcome, Stop
from src.shared.application.requests import ask
from src.shared.domain.answer_errors import AnswerTruncatedError, why_cut
from src.shared.domain.budget import Budget
from src.shared.domain.caller import Caller
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Message
from src.shared.domain.llm_errors import LLMError, LLMTimeoutError
from src.shared.domain.parse_events import parsed_event
from src.shared.domain.ports.events import EventPort
from src.shared.domain.ports.llm import LLMPort, LLMReply, LLMRequest, OutputSchema
from src.shared.domain.ports.output import OutputPort, ParsedText
from src.shared.domain.ports.repair import RepairPort
from src.shared.domain.repair_errors import RepairRefusedError

T = TypeVar("T")

_REASK = Message("上一次的回答无法使用", "your previous answer could not be used")
_MORE_TOKENS = 2


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked.

    Attributes:
        request: what goes to the model first. Its `max_tokens` is doubled after an answer that reached it.
        prompt_id: identifies the prompt in events; empty if none was given.
    """

    request: LLMRequest
    prompt_id: str = ""

    @classmethod
    def of(cls, prompt: str, system_message: str | None = None, *, prompt_id: str = "", **options: Any) -> Question:  # noqa: ANN401 - fields of a request
        """A question of one user's message; `options` are fields of `LLMRequest`."""
        return cls(LLMRequest.of(prompt, system_message, **options), prompt_id)

    @property
    def prompt(self) -> str:
        """The text of the last message."""
        return self.request.prompt

    def asking_for(self, schema: OutputSchema, prompt: str) -> Question:
        """The same question in other words, for an answer of a type."""
        return replace(self, request=replace(self.request.with_prompt(prompt), output_schema=schema))

    def after(self, error: AppException, max_tokens: int | None) -> LLMRequest:
        """What to ask next: the question with the last error in words, or one with room for a longer answer.

        Args:
            error: why the last answer cannot be used.
            max_tokens: the limit it was asked for with.
        """
        if isinstance(error, AnswerTruncatedError):
            return replace(self.request, max_tokens=max_tokens and max_tokens * _MORE_TOKENS)
        again = f"{self.prompt}\n\n# {_REASK.text()}\n{error.feedback()}"
        return replace(self.request.with_prompt(again), max_tokens=max_tokens)


class Asking(Generic[T]):
    """One answer in the making; used once."""

    def __init__(
        self,
        llm: LLMPort,
        output: OutputPort[T],
        question: Question,
        events: EventPort,
        budget: Budget,
    ) -> None:
        self._llm = llm
        self._output = output
        self._question = question
        self._events = events
        self._budget = budget
        self._attempts: list[Attempt] = []
        self._parsed: ParsedText[T] | None = None
        self._deadline = time.monotonic() + budget.max_seconds if budget.max_seconds is not None else None

    async def run(self, repair: RepairPort | None) -> Outcome[T]:
        """Ask until there is an answer or a reason to stop."""
        request = self._question.request
        while True:
            await self._attempt(request)
            stop = self._stop()
            if stop is not None:
                break
            error = self._attempts[-1].error
            assert error is not None  # noqa: S101 - without one it would have stopped
            request = self._question.after(error, request.max_tokens)
        error = self._attempts[-1].error
        if repair is not None and stop not in {Stop.SECONDS_SPENT, Stop.TOKENS_SPENT}:
            await self._repair(repair)
        return Outcome(self._parsed, tuple(self._attempts), stop, None if self._parsed else error)

    async def _attempt(self, request: LLMRequest) -> None:
        attempt = Attempt(len(self._attempts) + 1, request.prompt, request.max_tokens)
        try:
            async with asyncio.timeout(self._seconds_left()):
                reply = await ask(self._llm, request, self._caller(attempt), self._events)
        except LLMError as error:
            self._attempts.append(replace(attempt, error=error))
        except TimeoutError:
            self._attempts.append(replace(attempt, error=self._out_of_time()))
        else:
            self._attempts.append(replace(attempt, reply=reply, error=self._read(reply.text, reply, attempt)))

    def _read(self, text: str, reply: LLMReply, attempt: Attempt) -> AppException | None:
        """Parse a text; the error if it cannot be used."""
        try:
            if cut := why_cut(reply, attempt.max_tokens):
                raise cut
            self._parsed = self._output.read(text, finished=reply.finish_reason.finished)
        except AppException as error:
            self._publish(text, error, reply, attempt)
            return error
        self._publish(text, self._parsed, reply, attempt)
        return None

    def _publish(self, text: str, result: ParsedText[T] | AppException, reply: LLMReply, attempt: Attempt) -> None:
        event = parsed_event(
            self._output.label,
            text,
            result,
            reply=reply,
            prompt_id=self._question.prompt_id,
            attempt=attempt.number,
            by_repair_agent=attempt.by_repair_agent,
        )
        self._events.publish(event)

    def _caller(self, attempt: Attempt) -> Caller:
        return Caller(self._output.label, self._question.prompt_id, attempt.number)

    def _out_of_time(self) -> LLMTimeoutError:
        seconds = self._budget.max_seconds
        message = Message(
            f"在 {seconds} 秒的预算内没有得到完整回答", f"no whole answer within the budget of {seconds} s"
        )
        return LLMTimeoutError(message.text(), {"timeout": seconds})

    def _stop(self) -> Stop | None:
        """Why the last attempt is the last; None if there is to be another."""
        last = self._attempts[-1]
        if last.error is None:
            return Stop.ANSWERED
        if last.reply is None or isinstance(last.error, LLMError):
            return Stop.SECONDS_SPENT if self._seconds_left() == 0 else Stop.PROVIDER_ERROR
        if isinstance(last.error, AnswerTruncatedError) and last.max_tokens is None:
            return Stop.CUT_OFF
        before = self._attempts[-2].reply if len(self._attempts) > 1 else None
        if before and before.text == last.reply.text and not isinstance(last.error, AnswerTruncatedError):
            return Stop.SAME_ANSWER
        return self._spent()

    def _spent(self) -> Stop | None:
        if len(self._attempts) > self._budget.max_retries:
            return Stop.RETRIES_SPENT
        tokens = sum(attempt.usage.total_tokens for attempt in self._attempts)
        if self._budget.max_tokens is not None and tokens >= self._budget.max_tokens:
            return Stop.TOKENS_SPENT
        return Stop.SECONDS_SPENT if self._seconds_left() == 0 else None

    def _seconds_left(self) -> float | None:
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    async def _repair(self, repair: RepairPort) -> None:
        """Let the repair agent try the last answer, if it failed by its syntax."""
        last = self._attempts[-1]
        if last.reply is None or last.error is None or not repair.accepts(last.reply.text, last.error):
            return
        broken = last.reply.text
        attempt = Attempt(last.number + 1, broken, None, by_repair_agent=True)
        try:
            async with asyncio.timeout(self._seconds_left()):
                finished, caller = last.reply.finish_reason.finished, self._caller(attempt)
                repaired = await repair.repair(broken, last.error, finished=finished, caller=caller)
        except AppException as error:
            reply = error.reply if isinstance(error, RepairRefusedError) else None
            self._attempts.append(replace(attempt, reply=reply, error=error))
        except TimeoutError:
            self._attempts.append(replace(attempt, error=self._out_of_time()))
        else:
            read_error = self._read(repaired.text, repaired.reply, attempt)
            self._attempts.append(replace(attempt, reply=repaired.reply, error=read_error))
