"""Asking a model for a typed answer.

Three layers, each with a budget of its own: the adapter behind `LLMPort` repeats a request that did not get through;
this one asks the same model again, with the error in words, when the answer cannot be used; the repair agent gets
one try at the syntax of the last answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, TypeVar, Unpack, overload

from src.shared.application.asking import Asking
from src.shared.application.question import Outcome, Question
from src.shared.application.requests import FallbackLLM
from src.shared.application.streamed_answer import AnswerSnapshot, StreamedAnswer
from src.shared.domain.answer_type import AnswerType, adapter_of, json_schema_of, name_of, per_type, schema_name
from src.shared.domain.budget import Budget, Spending
from src.shared.domain.language import Phrase
from src.shared.domain.options import Keep, check_options
from src.shared.domain.partial import Partial
from src.shared.domain.ports.events import AnswerFailed, AnswerRequested, EventPort
from src.shared.domain.ports.llm import LLMPort, OutputSchema, TextProgress
from src.shared.domain.ports.output import OutputPort, StreamingOutput
from src.shared.domain.ports.repair import RepairPort
from src.shared.domain.prompt import with_json_requirement
from src.shared.domain.type_shapes import ROOTS, roots_of


@per_type
def output_schema(dto_type: AnswerType[Any]) -> OutputSchema:
    """The schema of a type; the same object at every call, for adapters to read and not to change.

    Raises:
        TypeError: its JSON is neither an object nor an array, or it is no type.
        pydantic.errors.PydanticUserError: the type itself is wrong.
    """
    is_object = roots_of(adapter_of(dto_type).core_schema) == ROOTS["object"]
    return OutputSchema(schema_name(dto_type), json_schema_of(dto_type), is_object=is_object)


if TYPE_CHECKING:
    from typing_extensions import TypeForm

T = TypeVar("T")

_RUNNING_LOOP = Phrase(
    "an event loop is running in this thread: use await call_with_json(...), or call call_with_json_sync in another"
)


class OutputFactory(Protocol):
    """Makes the output contract of a type that no agent owns."""

    def __call__(self, dto_type: AnswerType[T]) -> StreamingOutput[T]:
        """The contract for `dto_type`."""
        ...


class HowToAsk(TypedDict, total=False):
    """What a call may say besides, as `TypedLLM.call_with_json` describes it."""

    system_message: str | None
    temperature: float | None
    max_tokens: int | None
    budget: Budget | None


class TypedLLM:
    """A language model that answers with typed objects.

    Args:
        llm: the model.
        output_of: makes the output contract of a bare type.
        events: told of every answer asked for, every request, every parse and every failure.
        repair: asked once if the last answer's syntax cannot be read; may be None.
        fallback: asked where the model's provider cannot be reached, fails or is too busy; may be None.
        budget: bounds on one answer, where a call brings none of its own.
    """

    def __init__(
        self,
        llm: LLMPort,
        *,
        output_of: OutputFactory,
        events: EventPort,
        repair: RepairPort | None = None,
        fallback: LLMPort | None = None,
        budget: Budget | None = None,
    ) -> None:
        self._llm, self._fallback, self._repair = llm, fallback, repair
        self._output_of = output_of
        self._events = events
        self._budget = budget or Budget()

    @overload
    async def call_with_json(
        self, prompt: str, *, output_model: AnswerType[T], keep: None = None, **how: Unpack[HowToAsk]
    ) -> T: ...

    @overload
    async def call_with_json(
        self, prompt: str, *, output_model: AnswerType[T], keep: Keep, **how: Unpack[HowToAsk]
    ) -> Partial[T]: ...

    @overload
    async def call_with_json(
        self, prompt: str, *, output_model: TypeForm[T], keep: None = None, **how: Unpack[HowToAsk]
    ) -> T: ...

    @overload
    async def call_with_json(
        self, prompt: str, *, output_model: TypeForm[T], keep: Keep, **how: Unpack[HowToAsk]
    ) -> Partial[T]: ...

    async def call_with_json(  # type: ignore[misc]  # a union is an `AnswerType`, too
        self,
        prompt: str,
        *,
        output_model: AnswerType[T],
        system_message: str | None = None,
        temperature: float | None = 0.7,
        max_tokens: int | None = None,
        budget: Budget | None = None,
        keep: Keep | None = None,
    ) -> T | Partial[T]:
        """Ask for an `output_model`.

        The requirement to answer in JSON and a description of the type are added to the prompt.

        Args:
            prompt: what is asked.
            output_model: any type the parser takes: a model, `list[Model]`, a `TypeAdapter`, a `JsonSchema`.
            system_message: the system's message, if any.
            temperature: 0 to 2; None leaves it to the provider.
            max_tokens: most tokens of one answer; None leaves it to the provider.
            budget: bounds on all attempts together.
            keep: `"good"` keeps what satisfies the type, and asks again only for the elements and fields that do not,
                within the same budget. The result is a `Partial`, which names what is still left out in the end.

        Raises:
            LLMError: the provider failed.
            AnswerTruncatedError: the answer was cut off at its length limit.
            LLMJsonParseError: no answer could be read as an `output_model`.
            TypeError: the JSON of `output_model` is neither an object nor an array.

        Source: specification "unified JSON response formats".
        """
        check_options(keep=keep)
        question = Question.of(prompt, system_message, temperature=temperature, max_tokens=max_tokens)
        output = self._output_of(output_model)
        if keep is None:
            return (await self.generate_and_parse(question, output, budget=budget)).result()
        return (await self.generate_and_parse(question, output.mending(), budget=budget)).result()

    @overload
    def call_with_json_sync(
        self, prompt: str, *, output_model: AnswerType[T], keep: None = None, **how: Unpack[HowToAsk]
    ) -> T: ...

    @overload
    def call_with_json_sync(
        self, prompt: str, *, output_model: AnswerType[T], keep: Keep, **how: Unpack[HowToAsk]
    ) -> Partial[T]: ...

    @overload
    def call_with_json_sync(
        self, prompt: str, *, output_model: TypeForm[T], keep: None = None, **how: Unpack[HowToAsk]
    ) -> T: ...

    @overload
    def call_with_json_sync(
        self, prompt: str, *, output_model: TypeForm[T], keep: Keep, **how: Unpack[HowToAsk]
    ) -> Partial[T]: ...

    def call_with_json_sync(  # type: ignore[misc]  # a union is an `AnswerType`, too
        self,
        prompt: str,
        *,
        output_model: AnswerType[T],
        system_message: str | None = None,
        temperature: float | None = 0.7,
        max_tokens: int | None = None,
        budget: Budget | None = None,
        keep: Keep | None = None,
    ) -> T | Partial[T]:
        """`call_with_json` for code without an event loop; may be called often, and from several threads at once.

        Each call runs an event loop of its own, and so opens its connections anew: many calls cost less in one loop.

        Raises:
            RuntimeError: there is a running event loop in this thread; `await call_with_json` there.
            Exception: as for `call_with_json`.

        .. versionadded:: 0.1.0
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass  # there is none
        else:
            raise RuntimeError(_RUNNING_LOOP.text())
        how: Any = {"temperature": temperature, "max_tokens": max_tokens, "budget": budget, "keep": keep}
        call = self.call_with_json(prompt, output_model=output_model, system_message=system_message, **how)
        result: T | Partial[T] = asyncio.run(call)
        return result

    async def stream_json(
        self,
        prompt: str,
        *,
        output_model: AnswerType[T],
        system_message: str | None = None,
        temperature: float | None = 0.7,
        max_tokens: int | None = None,
        budget: Budget | None = None,
    ) -> AsyncGenerator[AnswerSnapshot[T]]:
        """`call_with_json`, and a snapshot for whatever has come of the answer; the last one's `value` is the object.

        Where an answer cannot be used and the model is asked again, the next snapshot says so: its `restarted` is one
        higher, and its `data` is None. A model that cannot stream gives its answer in one chunk.

        Leaving the loop early ends the request. To be sure when, close the iterator:
        `async with contextlib.aclosing(typed_llm.stream_json(...)) as snapshots`.

        Raises:
            Exception: as for `call_with_json`, after the snapshots.

        .. versionadded:: 0.1.0
        """
        answer = self.stream_and_parse(
            Question.of(prompt, system_message, temperature=temperature, max_tokens=max_tokens),
            self._output_of(output_model),
            budget=budget,
        )
        async with aclosing(answer.snapshots()) as snapshots:
            async for snapshot in snapshots:
                yield snapshot
        answer.outcome.result()

    def stream_and_parse(
        self,
        question: Question,
        output: StreamingOutput[T],
        *,
        budget: Budget | None = None,
    ) -> StreamedAnswer[T]:
        """`generate_and_parse` for who wants to see the answer grow; nothing is asked before the first snapshot.

        .. versionadded:: 0.1.0
        """

        def ask(progress: TextProgress) -> Coroutine[Any, Any, Outcome[T]]:
            followed = replace(question, request=replace(question.request, progress=progress))
            return self.generate_and_parse(followed, output, budget=budget)

        return StreamedAnswer(output, ask)

    async def generate_and_parse(
        self,
        question: Question,
        output: OutputPort[T],
        *,
        budget: Budget | None = None,
    ) -> Outcome[T]:
        """Ask, parse, and ask again with the error in words until the answer can be used or the budget is spent.

        A provider's error ends the attempts and is in the outcome; it is never asked about again.

        Args:
            question: what is asked.
            output: how the answer is read.
            budget: bounds on all attempts together; None: those of this object.

        Raises:
            ValueError: a budget with a negative bound.
        """
        dto_type = output.dto_type
        full = question.asking_for(output_schema(dto_type), with_json_requirement(question.prompt, dto_type))
        self._events.publish(AnswerRequested(output.label, name_of(dto_type), question.prompt_id))
        spending, llm = Spending(budget or self._budget), FallbackLLM(self._llm, self._fallback)
        outcome = await Asking(llm, output, full, self._events, spending, self._repair).run()
        if error := outcome.error:
            facts = (error.code, outcome.stop.value, len(outcome.attempts), error.details)
            self._events.publish(AnswerFailed(output.label, name_of(dto_type), *facts))
        return outcome
