"""What is asked of a model, and what came of asking."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from src.shared.domain.budget import Stop
from src.shared.domain.exceptions import AppException, error_of
from src.shared.domain.language import Language, Phrase, language, speaking
from src.shared.domain.llm_errors import AnswerTruncatedError, LLMError
from src.shared.domain.ports.llm import LLMReply, LLMRequest, OutputSchema, TokenUsage
from src.shared.domain.ports.output import ParsedText, PartsWanted
from src.shared.domain.prompt import with_json_requirement

_CHINESE = re.compile("[\u4e00-\u9fff]")
_PARTS = Phrase("only these parts of your previous answer could not be used; give these alone")
_REASK = Phrase("your previous answer could not be used")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked.

    Attributes:
        request: what goes to the model first.
        prompt_id: identifies the prompt in events; empty if none was given.
        said: the prompt before anything was added for the type of the answer; None where nothing was.
    """

    request: LLMRequest
    prompt_id: str = ""
    said: str | None = None

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
        request = replace(self.request.with_prompt(prompt), output_schema=schema)
        return replace(self, request=request, said=self.prompt if self.said is None else self.said)

    def for_parts(self, wanted: PartsWanted) -> Question:
        """The same question, for the parts of the answer that cannot be used."""
        with speaking(self._language()):
            prompt = f"{self.prompt if self.said is None else self.said}\n\n# {_PARTS.text()}\n{wanted.told()}"
        schema = OutputSchema(wanted.dto_type.name, wanted.dto_type.json_schema(), is_object=True)
        return self.asking_for(schema, with_json_requirement(prompt, wanted.dto_type))

    def after(self, error: AppException, max_tokens: int | None) -> LLMRequest:
        """What to ask next: the question with the last error in words, or as it was after an answer that was cut off.

        Args:
            error: why the last answer cannot be used.
            max_tokens: the limit of the next answer.
        """
        if isinstance(error, AnswerTruncatedError):
            return replace(self.request, max_tokens=max_tokens)
        with speaking(self._language()):
            again = f"{self.prompt}\n\n# {_REASK.text()}\n{error.feedback()}"
        return replace(self.request.with_prompt(again), max_tokens=max_tokens)

    def _language(self) -> Language:
        """The one that is asked for; where that is both, the prompt's: Chinese if there is any in it."""
        asked = language()
        if asked is not Language.BOTH:
            return asked
        return Language.ZH if _CHINESE.search(self.prompt) else Language.EN


T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One question and what came of it.

    Attributes:
        number: 1 for the first question.
        prompt: the user's message as it was sent.
        max_tokens: the limit it was sent with.
        reply: what came; None where the provider failed.
        error: why it is not the answer; None for the attempt that succeeded.
        by_repair_agent: whether this was the repair agent's try; `prompt` is then the damaged text.
    """

    number: int
    prompt: str
    max_tokens: int | None
    reply: LLMReply | None = None
    error: AppException | None = None
    by_repair_agent: bool = False

    @property
    def usage(self) -> TokenUsage:
        """Tokens of this attempt, those of an error included."""
        if self.reply:
            return self.reply.usage
        return self.error.usage if isinstance(self.error, LLMError) else TokenUsage()


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T_co]):
    """All attempts at one answer.

    Attributes:
        parsed: the typed object and how it was read; None where there is none.
        attempts: in their order; the first one always there.
        stop: why no further attempt was made.
        error: the error that `result` raises: the provider's, or that of the last answer.
    """

    parsed: ParsedText[T_co] | None
    attempts: tuple[Attempt, ...]
    stop: Stop
    error: AppException | None = None

    def result(self) -> T_co:
        """The typed object.

        Raises:
            LLMError: the provider failed.
            AppException: no answer could be used; the error of the last one, as its parser raised it.
        """
        if self.parsed is not None:
            return self.parsed.value
        raise error_of(self.error)

    @property
    def usage(self) -> TokenUsage:
        """Tokens of all attempts together."""
        return sum((attempt.usage for attempt in self.attempts), TokenUsage())

    @property
    def latency(self) -> float:
        """Seconds of all calls together."""
        return sum(attempt.reply.latency for attempt in self.attempts if attempt.reply)
