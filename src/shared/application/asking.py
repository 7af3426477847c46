"""The attempts at one answer: ask, parse, re-ask; at the end perhaps the repair agent."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from src.shared.application.question import Attempt, Outcome, Question, Stop
from src.shared.application.reading import read_aside
from src.shared.application.requests import ModelInUse, ask
from src.shared.domain.budget import LIMIT_TAKEN_EVERYWHERE, Budget, Spending
from src.shared.domain.caller import Caller
from src.shared.domain.exceptions import AppException, error_of
from src.shared.domain.language import Phrase
from src.shared.domain.llm_errors import (
    AnswerTruncatedError,
    LLMBudgetError,
    LLMError,
    LLMTimeoutError,
    why_cut,
)
from src.shared.domain.ports.events import EventPort, parsed_event
from src.shared.domain.ports.llm import LLMPort, LLMReply, LLMRequest
from src.shared.domain.ports.output import MendingOutput, OutputPort, ParsedText, PartsWanted
from src.shared.domain.ports.repair import RepairPort
from src.shared.domain.repair_errors import RepairRefusedError

T = TypeVar("T")

_MORE_TOKENS = 2


@dataclass(frozen=True, slots=True)
class AskedModels:
    """Who is asked for one answer.

    Attributes:
        first: the model.
        fallback: the model that is asked where the first one's provider fails; may be None.
        repair: asked once if the last answer's syntax cannot be read; may be None.
    """

    first: LLMPort
    fallback: LLMPort | None = None
    repair: RepairPort | None = None


class Asking(Generic[T]):
    """One answer in the making; used once."""

    def __init__(
        self,
        models: AskedModels,
        output: OutputPort[T],
        question: Question,
        events: EventPort,
        budget: Budget,
    ) -> None:
        self._models = models
        self._in_use = ModelInUse(models.first, models.fallback)
        self._output = output
        self._question = question
        self._events = events
        self._spending = Spending(budget)
        self._attempts: list[Attempt] = []
        self._parsed: ParsedText[T] | None = None
        self._wanted: PartsWanted | None = None

    async def run(self) -> Outcome[T]:
        """Ask until there is an answer or a bound of the budget is reached."""
        following: LLMRequest | Stop = self._question.request
        while isinstance(following, LLMRequest):
            following = await self._ask(following)
        error = self._attempts[-1].error
        if self._models.repair is not None:
            await self._repair(self._models.repair)
        self._parsed = self._parsed or self._kept()
        return Outcome(self._parsed, tuple(self._attempts), following, None if self._parsed else error)

    def _kept(self) -> ParsedText[T] | None:
        """What there is of an answer that did not become whole."""
        if not isinstance(self._output, MendingOutput):
            return None
        last = self._attempts[-1]
        cut = last.reply.text if last.reply and isinstance(last.error, AnswerTruncatedError) else None
        return self._output.kept(cut)

    def _in_time(self) -> asyncio.Timeout:
        """Wait no longer than the budget allows; its time is up with a `TimeoutError`."""
        return asyncio.timeout(self._spending.seconds_left)

    async def _ask(self, request: LLMRequest) -> LLMRequest | Stop:
        """Make an attempt; what to ask next, or why nothing."""
        try:
            request = self._spending.fitted(request)
        except LLMBudgetError as refusal:
            if not self._attempts:
                self._attempts.append(Attempt(1, request.prompt, request.max_tokens, error=refusal))
            return Stop(refusal.details["stop"])
        await self._attempt(request)
        stop = self._stop()
        if stop is Stop.PROVIDER_ERROR and self._in_use.turns_to_fallback(self._attempts[-1].error):
            return request
        return self._next() if stop is None else stop

    def _next(self) -> LLMRequest:
        """What to ask after the last answer."""
        last = self._attempts[-1]
        question, is_new = self._asked_now()
        limit = _next_limit(last)
        return replace(question.request, max_tokens=limit) if is_new else question.after(error_of(last.error), limit)

    def _asked_now(self) -> tuple[Question, bool]:
        """What is asked now: the whole answer or parts of it; and whether that was not asked for before."""
        wanted = self._output.wanted if isinstance(self._output, MendingOutput) else None
        if wanted is None:
            return self._question, False
        is_new = wanted is not self._wanted
        self._wanted = wanted
        return self._question.for_parts(wanted), is_new

    async def _attempt(self, request: LLMRequest) -> None:
        attempt = Attempt(len(self._attempts) + 1, request.prompt, request.max_tokens)
        model, caller = self._in_use.model, self._caller(attempt)
        try:
            async with self._in_time():
                reply = await ask(model, request, caller, self._events, self._spending)
        except LLMError as error:
            self._attempts.append(replace(attempt, error=error))
        except TimeoutError:
            self._attempts.append(replace(attempt, error=self._out_of_time()))
        else:
            self._spending.answers += 1
            self._attempts.append(replace(attempt, reply=reply, error=await self._read(reply.text, reply, attempt)))

    async def _read(self, text: str, reply: LLMReply, attempt: Attempt) -> AppException | None:
        """Parse a text; the error if it cannot be used."""
        try:
            if cut := why_cut(reply, attempt.max_tokens):
                raise cut
            finished = reply.finish_reason.finished
            async with self._in_time():
                self._parsed = await read_aside(text, lambda: self._output.read(text, finished=finished))
        except AppException as error:
            self._publish(text, error, reply, attempt)
            return error
        except TimeoutError:
            late = self._out_of_time()
            self._publish(text, late, reply, attempt)
            return late
        self._publish(text, self._parsed, reply, attempt)
        return None

    def _publish(self, text: str, result: ParsedText[T] | AppException, reply: LLMReply, attempt: Attempt) -> None:
        event = parsed_event(
            self._output.label,
            text,
            result,
            reply=reply,
            prompt_id=self._question.prompt_id,
            attempt=1 + sum(1 for one in self._attempts if one.reply),
            by_repair_agent=attempt.by_repair_agent,
        )
        self._events.publish(event)

    def _caller(self, attempt: Attempt) -> Caller:
        return Caller(self._output.label, self._question.prompt_id, attempt.number)

    def _out_of_time(self) -> LLMError:
        seconds = self._spending.budget.max_seconds
        told = f"{round(seconds or 0, 2):g}"
        message = Phrase("no whole answer within the budget of {told} s", told=told)
        return LLMTimeoutError(message.text(), {"timeout": seconds})

    def _stop(self) -> Stop | None:
        """Why the last attempt is the last; None if there is to be another."""
        last = self._attempts[-1]
        if last.error is None:
            return Stop.ANSWERED
        if last.reply is None or isinstance(last.error, LLMError):
            return Stop.SECONDS_SPENT if self._spending.seconds_left == 0 else Stop.PROVIDER_ERROR
        before = self._attempts[-2] if len(self._attempts) > 1 else None
        if before and before.reply and (stop := _reason_to_stop(before, before.reply, last, last.reply)):
            return stop
        bound = self._spending.reached()
        return Stop.of(bound) if bound else None

    async def _repair(self, repair: RepairPort) -> None:
        """Let the repair agent try the last answer, if it failed by its syntax and the budget allows a request."""
        last = self._attempts[-1]
        if last.reply is None or last.error is None or not repair.accepts(last.reply.text, last.error):
            return
        if self._spending.spent():
            return
        attempt = Attempt(last.number + 1, last.reply.text, None, by_repair_agent=True)
        broken, finished = last.reply.text, last.reply.finish_reason.finished
        caller = self._caller(attempt)
        try:
            async with self._in_time():
                repaired = await repair.repair(
                    broken, last.error, finished=finished, caller=caller, spending=self._spending
                )
        except LLMBudgetError:
            return
        except AppException as error:
            reply = error.reply if isinstance(error, RepairRefusedError) else None
            self._attempts.append(replace(attempt, reply=reply, error=error))
        except TimeoutError:
            self._attempts.append(replace(attempt, error=self._out_of_time()))
        else:
            read_error = await self._read(repaired.text, repaired.reply, attempt)
            self._attempts.append(replace(attempt, reply=repaired.reply, error=read_error))


def _reason_to_stop(before: Attempt, reply_before: LLMReply, last: Attempt, reply: LLMReply) -> Stop | None:
    """Why asking once more would bring what the last two attempts brought; None where it may not."""
    if not isinstance(last.error, AnswerTruncatedError):
        return Stop.SAME_ANSWER if reply_before.text == reply.text else None
    own_limit = isinstance(before.error, AnswerTruncatedError) and before.max_tokens is None
    longer = reply.usage.completion_tokens > reply_before.usage.completion_tokens
    return Stop.CUT_OFF if own_limit and not longer else None


def _next_limit(last: Attempt) -> int | None:
    """The limit of the next answer: after one that was cut off, a higher one."""
    if last.reply is None or not isinstance(last.error, AnswerTruncatedError):
        return last.max_tokens
    if last.max_tokens is not None:
        return _MORE_TOKENS * last.max_tokens
    return max(LIMIT_TAKEN_EVERYWHERE, _MORE_TOKENS * last.reply.usage.completion_tokens)
