"""How an answer of chat completions is read for instructor, and what instructor is told of one that is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple

from instructor.v2.core.errors import IncompleteOutputException, ResponseParsingError
from pydantic import TypeAdapter

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.finish_reasons import finish_reason_of
from src.shared.domain.normalizer import Normalizer
from src.shared.domain.ports.llm import FinishReason
from src.shared.infrastructure.llm_json import parse_llm_json_output
from src.shared.infrastructure.parsing.state import Several

BETWEEN_CALLS = "\n\n"


class Options(NamedTuple):
    """What a client was made with, for every answer it reads; the names are those of `parse_llm_json_output`."""

    normalizers: Sequence[Normalizer] | None
    context_label: str
    several: Several
    coerce: bool


options_of_call: ContextVar[Options] = ContextVar("options_of_call")


class Asked(NamedTuple):
    """What a call was made with.

    Attributes:
        response_model: the class that instructor made of the type asked for.
        context: for Pydantic's validators.
        strict: whether Pydantic is to be strict.
    """

    response_model: type[Any]
    context: dict[str, Any] | None
    strict: bool | None

    def adapter(self, kind: Any) -> TypeAdapter[Any]:  # noqa: ANN401 - any type
        """What validates as the call wants it."""
        adapter = TypeAdapter[Any](kind)
        validator: Any = _AsAsked(adapter.validator, {"context": self.context, "strict": self.strict})
        adapter.validator = validator
        return adapter


class _AsAsked:
    """A validator with a context and a strictness of its own."""

    def __init__(self, validator: Any, asked: dict[str, Any]) -> None:  # noqa: ANN401 - Pydantic's, or a plugin's
        self._validator = validator
        self._asked = asked

    def validate_json(self, data: Any, **options: Any) -> Any:  # noqa: ANN401 - as Pydantic has it
        return self._validator.validate_json(data, **{**options, **self._asked})

    def validate_python(self, data: Any, **options: Any) -> Any:  # noqa: ANN401 - as Pydantic has it
        return self._validator.validate_python(data, **{**options, **self._asked})


def read(response: Any, asked: Asked) -> Any:  # noqa: ANN401 - a ChatCompletion; an object of the type asked for
    """The typed object of a response.

    Raises:
        AssertionError: the model declined to answer: instructor's error for that, which is not asked again.
        IncompleteOutputException: it reached its length limit.
        ResponseParsingError: the text is refused.
    """
    choices = getattr(response, "choices", None) or [None]
    message = getattr(choices[0], "message", None)
    if refusal := getattr(message, "refusal", None):
        problem = f"Unable to generate a response due to {refusal}"
        raise AssertionError(problem)
    reason = finish_reason_of(getattr(choices[0], "finish_reason", None))
    return parsed(_text_of(message), asked.adapter(asked.response_model), options_of_call.get(), reason, response)


def parsed(
    text: str, adapter: TypeAdapter[Any], options: Options, reason: FinishReason, response: object = None
) -> Any:  # noqa: ANN401 - an object of the adapter's type
    """The typed object of a text.

    Raises:
        IncompleteOutputException: the model reached its length limit, which is not asked again.
        ResponseParsingError: the text is refused for another reason, and asked again.
    """
    try:
        return parse_llm_json_output(text, adapter, finished=reason.finished, **options._asdict())
    except LLMJsonParseError as error:
        told: Exception = ResponseParsingError(error.feedback(), raw_response=response)
        if reason is FinishReason.LENGTH:
            told = IncompleteOutputException(last_completion=response)
        raise told from error


def _text_of(message: Any) -> str:  # noqa: ANN401 - a ChatCompletionMessage, or None
    """The arguments of its tool calls, which the parser settles if there are several; without any, the content."""
    calls = [getattr(call, "function", None) for call in getattr(message, "tool_calls", None) or ()]
    if calls:
        return BETWEEN_CALLS.join(_arguments(getattr(function, "arguments", None)) for function in calls)
    return getattr(message, "content", None) or ""


def _arguments(given: object) -> str:
    """The arguments of a call as text: some servers send them as an object, or not at all."""
    if given is None or isinstance(given, str):
        return given or ""
    return json.dumps(given)
