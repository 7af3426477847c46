"""What goes to a provider's own API, in pydantic-ai's words, what is refused, and what a reply becomes.

pydantic-ai drops what a model does not take: some of it with a warning, some without. Here it is an error before
anything is sent, except for the temperature, which callers send without knowing the model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, cast, get_args

from src.shared.domain.finish_reasons import finish_reason_of
from src.shared.domain.llm_errors import LLMConfigurationError, LLMReplyError, LLMRequestError
from src.shared.domain.llm_exchange import ChatMessage, ImagePart, MessagePart, Role
from src.shared.domain.ports.llm import FinishReason, LLMRequest, OutputSchema, TokenUsage
from src.shared.infrastructure.llm.provider import PROVIDERS, RESERVED, StructuredOutput
from src.shared.infrastructure.llm.provider_errors import (
    MODE_NOT_TAKEN,
    NOT_AN_OBJECT,
    NOT_EXTRA,
    NOT_SENDABLE,
    NOT_THE_API,
    OPTION_NOT_TAKEN,
    Endpoint,
    needs_extra,
)
from src.shared.infrastructure.llm.settings import LLMSettings
from src.shared.infrastructure.llm.wire import Completion, FunctionCall, Part

with needs_extra(PROVIDERS):
    from pydantic_ai.messages import (
        BinaryContent,
        ModelMessage,
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        ThinkingPart,
        ToolCallPart,
        UserContent,
        UserPromptPart,
    )
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.settings import ModelSettings, ThinkingEffort
    from pydantic_ai.tools import ToolDefinition


EFFORTS = frozenset(get_args(ThinkingEffort))
"""The reasoning efforts of all providers together; `none` turns reasoning off."""
_OFF = "none"
_DOES_NOT_SAMPLE = ("anthropic_disallows_sampling_settings", "bedrock_disallows_sampling_settings")
_HAVE_JSON_OBJECT = {"google"}
"""Providers whose API has the mode; pydantic-ai sends the others nothing of it."""


@dataclass(frozen=True, slots=True)
class NativeRequest:
    """One request, as `pydantic_ai.direct.model_request` takes it."""

    messages: Sequence[ModelMessage]
    settings: ModelSettings
    parameters: ModelRequestParameters

    @property
    def tool(self) -> str:
        """The name of the function whose arguments are the answer; empty where the text is, and any call is refused."""
        return next((tool.name for tool in self.parameters.output_tools), "")


def native_request(request: LLMRequest, model: Model[Any], settings: LLMSettings, endpoint: Endpoint) -> NativeRequest:
    """Say a request in pydantic-ai's words.

    Raises:
        LLMRequestError: it has what the model or the provider does not take, or what cannot be written as JSON.
        LLMConfigurationError: the provider does not have the structured mode, or cannot be held to this type in it.
    """
    asked = _with_defaults(request, settings)
    if reserved := RESERVED & asked.extra_body.keys():
        raise endpoint.error(LLMConfigurationError, NOT_EXTRA, reason=", ".join(sorted(reserved)))
    for option in _not_taken(asked, model):
        raise endpoint.error(LLMRequestError, OPTION_NOT_TAKEN, reason=option)
    if not _is_sendable(asked):
        raise endpoint.error(LLMRequestError, NOT_SENDABLE)
    parameters = _parameters(asked.output_schema, settings.structured_output, endpoint)
    if parameters.output_mode == "prompted" and model.system not in _HAVE_JSON_OBJECT:
        raise endpoint.error(LLMConfigurationError, MODE_NOT_TAKEN, reason=settings.structured_output.value)
    return NativeRequest(_messages(asked.messages), _settings(asked, model), parameters)


def _with_defaults(request: LLMRequest, settings: LLMSettings) -> LLMRequest:
    """The request, with what the settings say for all of them."""
    headers = {name: value.get_secret_value() for name, value in settings.extra_headers.items()}
    return replace(
        request,
        reasoning_effort=request.reasoning_effort or settings.reasoning_effort,
        extra_headers={**headers, **request.extra_headers},
        extra_body={**settings.extra_body, **request.extra_body},
    )


def _not_taken(request: LLMRequest, model: Model[Any]) -> Iterator[str]:
    """The options that would be left out, by the names they have in `LLMRequest`."""
    if request.reasoning_effort is not None and not _takes_effort(request.reasoning_effort, model):
        yield "reasoning_effort"
    if request.extra_headers and "extra_headers" in model.unsupported_settings:
        yield "extra_headers"
    if request.extra_body and "extra_body" in model.unsupported_settings:
        yield "extra_body"
    showing = {message.role for message in request.messages if message.images}
    if showing and (showing != {Role.USER} or not model.profile.get("supports_image_input", True)):
        yield "images"


def _takes_effort(effort: str, model: Model[Any]) -> bool:
    profile = model.profile
    if profile.get("thinking_always_enabled") and model.system == "mistral":
        return False  # which sends these models nothing
    thinks = profile.get("supports_thinking") or profile.get("thinking_always_enabled")
    return bool(thinks) and (effort == _OFF or effort in EFFORTS)


def _is_sendable(request: LLMRequest) -> bool:
    schema = request.output_schema
    said = [part.text for message in request.messages for part in message.parts if not isinstance(part, ImagePart)]
    try:
        json.dumps(request.temperature, allow_nan=False)
        written = json.dumps([said, request.stop, schema and schema.json_schema], ensure_ascii=False, allow_nan=False)
        written.encode()
    except (ValueError, TypeError, RecursionError):
        return False
    return True


def _parameters(schema: OutputSchema | None, mode: StructuredOutput, endpoint: Endpoint) -> ModelRequestParameters:
    """What holds the model to a type. The prompt already describes it, so that nothing is added there."""
    if schema is None or mode is StructuredOutput.PROMPT:
        return ModelRequestParameters()
    if mode is StructuredOutput.JSON_OBJECT:
        is_object = schema.is_object  # another root is left to the prompt
        return ModelRequestParameters(output_mode="prompted" if is_object else "text", prompted_output_template=False)
    if not schema.is_object:
        raise endpoint.error(LLMConfigurationError, NOT_AN_OBJECT, reason=mode.value)
    if mode is StructuredOutput.JSON_SCHEMA:
        held = OutputObjectDefinition(json_schema=schema.json_schema, name=schema.name)
        return ModelRequestParameters(output_mode="native", output_object=held, prompted_output_template=False)
    tool = ToolDefinition(name=schema.name, parameters_json_schema=schema.json_schema, kind="output")
    return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)


def _settings(request: LLMRequest, model: Model[Any]) -> ModelSettings:
    """Only what is said: the rest is the provider's. A model that does not sample is told no temperature."""
    samples = not any(model.profile.get(flag) for flag in _DOES_NOT_SAMPLE)
    said: dict[str, Any] = {
        "temperature": request.temperature if samples else None,
        "max_tokens": request.max_tokens,
        "stop_sequences": list(request.stop) or None,
        "thinking": request.reasoning_effort if request.reasoning_effort != _OFF else False,
        "extra_headers": dict(request.extra_headers) or None,
        "extra_body": dict(request.extra_body) or None,
    }
    return cast("ModelSettings", {name: value for name, value in said.items() if value is not None})


def _messages(said: Sequence[ChatMessage]) -> list[ModelMessage]:
    """Whatever stands between two answers of the model is one request of pydantic-ai's."""
    messages: list[ModelMessage] = []
    for is_answer, group in groupby(said, lambda message: message.role is Role.ASSISTANT):
        if is_answer:
            messages.append(ModelResponse([TextPart(message.text) for message in group]))
        else:
            messages.append(ModelRequest([_asked(message) for message in group]))
    return messages


def _asked(message: ChatMessage) -> SystemPromptPart | UserPromptPart:
    if message.role is Role.SYSTEM:
        return SystemPromptPart(message.text)
    return UserPromptPart([_content(part) for part in message.parts] if message.images else message.text)


def _content(part: MessagePart) -> UserContent:
    if isinstance(part, ImagePart):
        return BinaryContent(part.data, media_type=part.media_type.value)
    return part.text


def read_completion(response: ModelResponse, endpoint: Endpoint) -> Completion:
    """Read a whole response as a body of chat completions is read, by whose rules it becomes a reply.

    Raises:
        LLMReplyError: a call's arguments cannot be written as JSON.
    """
    texts = [part.content for part in response.parts if isinstance(part, TextPart)]
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    finish = _finish(response)
    if calls and finish_reason_of(finish) is FinishReason.STOP:
        finish = FinishReason.TOOL_CALLS  # Gemini says STOP
    part = Part(
        text="".join(texts) if texts else None,
        reasoning="\n".join(part.content for part in response.parts if isinstance(part, ThinkingPart)),
        calls={at: FunctionCall(call.tool_name, _arguments(call, endpoint)) for at, call in enumerate(calls)},
    )
    said = response.usage
    reasoning = said.output_reasoning_tokens or 0
    usage = TokenUsage(said.input_tokens, said.output_tokens, reasoning, said.cache_read_tokens)
    return Completion(part, finish, response.model_name or "", usage)


def _finish(response: ModelResponse) -> str:
    """Why the model stopped: in the provider's own word where it is known, since pydantic-ai has fewer of them."""
    details = response.provider_details or {}
    if "block_reason" in details:
        return FinishReason.REFUSED
    return str(details.get("finish_reason") or response.finish_reason)


def _arguments(call: ToolCallPart, endpoint: Endpoint) -> str:
    """The arguments as JSON; the vendors' clients decode them, so that a number has the digits of a float."""
    if isinstance(call.args, str):
        return call.args
    with suppress(ValueError):
        return json.dumps(call.args or {}, ensure_ascii=False, allow_nan=False)
    raise endpoint.error(LLMReplyError, NOT_THE_API, reason="arguments that are no JSON")
