"""The attempts at one answer: ask, parse, re-ask; at the end perhaps the repair agent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Generic, TypeVar

from src.shared.application.question import Attempt, Outcome, Question
from src.shared.application.reading import read_aside
from src.shared.application.requests import FallbackLLM, ask
from src.shared.domain.budget import LIMIT_TAKEN_EVERYWHERE, Spending, Stop
from src.shared.domain.caller import Caller
from src.shared.domain.exceptions import AppException, error_of
from src.shared.domain.language import Phrase
from src.shared.domain.llm_errors import AnswerTruncatedError, LLMBudgetError, LLMError, LLMTimeoutError, why_cut
from src.shared.domain.ports.events import EventPort, parsed_event
from src.shared.domain.ports.llm import LLMReply, LLMRequest
from src.shared.domain.ports.output import MendingOutput, OutputPort, ParsedText, PartsWanted
from src.shared.domain.ports.repair import RepairPort
from src.shared.domain.repair_errors import RepairRefusedError

T = TypeVar("T")
R = TypeVar("R")

_MORE_TOKENS = 2


@dataclass(eq=False, slots=True)
class Asking(Generic[T]):
    """One answer in the making; used once.

    Attributes:
        llm: the model, and the one that is asked where the first one's provider fails.
        output: how the answer is read.
        question: what is asked.
        events: told of every request and of every text.
        spending: the budget of the answer.
        repair: asked once if the last answer's syntax cannot be read; may be None.
        attempts: what was asked so far.
        parsed: the answer, once there is one.
        wanted: the parts of it that are asked for now; None: all of it.
    """

    llm: FallbackLLM
    output: OutputPort[T]
    question: Question
    events: EventPort
    spending: Spending
    repair: RepairPort | None = None
    attempts: list[Attempt] = field(default_factory=list)
    parsed: ParsedText[T] | None = None
    wanted: PartsWanted | None = None

    async def run(self) -> Outcome[T]:
        """Ask until there is an answer or a bound of the budget is reached."""
        following: LLMRequest | Stop = self.question.request
        while isinstance(following, LLMRequest):
            following = await self._ask(following)
        error = self.attempts[-1].error
        if self.repair is not None:
            await self._repair(self.repair)
        if self.parsed is None and isinstance(self.output, MendingOutput):
            last = self.attempts[-1]
            is_cut = isinstance(last.error, AnswerTruncatedError)
            self.parsed = self.output.kept(last.reply.text if last.reply and is_cut else None)
        return Outcome(self.parsed, tuple(self.attempts), following, None if self.parsed else error)

    async def _ask(self, request: LLMRequest) -> LLMRequest | Stop:
        """Make an attempt; what to ask next, or why nothing."""
        try:
            request = self.spending.fit(request)
        except LLMBudgetError as refusal:
            if not self.attempts:
                self.attempts.append(Attempt(1, request.prompt, request.max_tokens, error=refusal))
            return Stop(refusal.details["stop"])
        await self._attempt(request)
        last = self.attempts[-1]
        stop = self._stop(last)
        if stop is Stop.PROVIDER_ERROR and self.llm.turns_to_fallback(last.error):
            return request
        return stop or self._next(last)

    async def _attempt(self, request: LLMRequest) -> None:
        attempt, reply = Attempt(len(self.attempts) + 1, request.prompt, request.max_tokens), None
        error: AppException | None
        asked = ask(self.llm.current, request, self._caller(attempt), self.events, self.spending)
        try:
            reply = await self._in_time(asked)
        except LLMError as failure:
            error = failure
        else:
            self.spending.answers += 1
            error = await self._read(reply.text, reply, attempt)
        self.attempts.append(replace(attempt, reply=reply, error=error))

    async def _read(self, text: str, reply: LLMReply, attempt: Attempt) -> AppException | None:
        """Parse a text; the error if it cannot be used."""
        result: ParsedText[T] | AppException
        try:
            if cut := why_cut(reply, attempt.max_tokens):
                raise cut
            read = partial(self.output.read, text, finished=reply.finish_reason.finished)
            result = self.parsed = await self._in_time(read_aside(text, read))
        except AppException as error:
            result = error
        event = parsed_event(
            self.output.label,
            text,
            result,
            reply=reply,
            prompt_id=self.question.prompt_id,
            attempt=1 + sum(1 for one in self.attempts if one.reply),
            by_repair_agent=attempt.by_repair_agent,
        )
        self.events.publish(event)
        return result if isinstance(result, AppException) else None

    def _stop(self, last: Attempt) -> Stop | None:
        """Why the last attempt is the last; None if there is to be another."""
        if last.error is None:
            return Stop.ANSWERED
        if last.reply is None or isinstance(last.error, LLMError):
            return Stop.SECONDS_SPENT if self.spending.seconds_left == 0 else Stop.PROVIDER_ERROR
        before = self.attempts[-2] if len(self.attempts) > 1 else None
        return (before and _stop_of_two(before, last)) or self.spending.reached()

    def _next(self, last: Attempt) -> LLMRequest:
        """What to ask after the last answer: all of it again, or the parts that cannot be used."""
        question, is_new = self.question, False
        wanted = self.output.wanted if isinstance(self.output, MendingOutput) else None
        if wanted is not None:
            question, is_new = question.for_parts(wanted), wanted is not self.wanted
            self.wanted = wanted
        limit = _next_limit(last)
        return replace(question.request, max_tokens=limit) if is_new else question.after(error_of(last.error), limit)

    async def _repair(self, repair: RepairPort) -> None:
        """Let the repair agent try the last answer, if it failed by its syntax and the budget allows a request."""
        last = self.attempts[-1]
        if last.reply is None or last.error is None or not repair.accepts(last.reply.text, last.error):
            return
        if self.spending.spent():
            return
        attempt = Attempt(last.number + 1, last.reply.text, None, by_repair_agent=True)
        finished, caller = last.reply.finish_reason.finished, self._caller(attempt)
        reply: LLMReply | None
        error: AppException | None
        asked = repair.repair(attempt.prompt, last.error, finished=finished, caller=caller, spending=self.spending)
        try:
            repaired = await self._in_time(asked)
        except LLMBudgetError:
            return
        except AppException as failure:
            reply, error = failure.reply if isinstance(failure, RepairRefusedError) else None, failure
        else:
            reply, error = repaired.reply, await self._read(repaired.text, repaired.reply, attempt)
        self.attempts.append(replace(attempt, reply=reply, error=error))

    def _caller(self, attempt: Attempt) -> Caller:
        return Caller(self.output.label, self.question.prompt_id, attempt.number)

    async def _in_time(self, work: Awaitable[R]) -> R:
        """Wait for so long as the budget allows.

        Raises:
            LLMTimeoutError: the time is up.
        """
        try:
            async with asyncio.timeout(self.spending.seconds_left):
                return await work
        except TimeoutError:
            seconds = self.spending.budget.max_seconds
            told = f"{round(seconds or 0, 2):g}"
            message = Phrase("no whole answer within the budget of {told} s", told=told)
        raise LLMTimeoutError(message.text(), {"timeout": seconds})


def _stop_of_two(before: Attempt, last: Attempt) -> Stop | None:
    """Why asking once more would bring what the last two attempts brought; None where it may not."""
    if before.reply is None or last.reply is None:
        return None
    if not isinstance(last.error, AnswerTruncatedError):
        return Stop.SAME_ANSWER if before.reply.text == last.reply.text else None
    own_limit = isinstance(before.error, AnswerTruncatedError) and before.max_tokens is None
    longer = last.reply.usage.completion_tokens > before.reply.usage.completion_tokens
    return Stop.CUT_OFF if own_limit and not longer else None


def _next_limit(last: Attempt) -> int | None:
    """The limit of the next answer: after one that was cut off, a higher one."""
    if last.reply is None or not isinstance(last.error, AnswerTruncatedError):
        return last.max_tokens
    if last.max_tokens is not None:
        return _MORE_TOKENS * last.max_tokens
    return max(LIMIT_TAKEN_EVERYWHERE, _MORE_TOKENS * last.reply.usage.completion_tokens)
