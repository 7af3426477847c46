"""Any provider with an API of its own, through pydantic-ai's direct requests.

pydantic-ai's agents, retries and tracing are not used: one request goes out, `transport.py` sends it again if need be,
and the answer's text goes through the parser like every other. Why this library: docs/adr/0016-native-apis.md.

pydantic-ai drops what a model does not take: some of it with a warning, some without. Here it is an error before
anything is sent, except for the temperature, which callers send without knowing the model.

Exceptions become the domain's by the table of `vendor_errors.py`. pydantic-ai sorts what its providers say into
categories; an exception that it lets through comes from the package of the provider or of HTTP.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Any, TypeVar, cast, get_args

from src.shared.domain.finish_reasons import finish_reason_of
from src.shared.domain.llm_errors import LLMConfigurationError, LLMError, LLMReplyError, LLMRequestError
from src.shared.domain.llm_exchange import ChatMessage, ImagePart, Role
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest, OutputSchema, TokenUsage
from src.shared.infrastructure.llm.connections import Limiter
from src.shared.infrastructure.llm.native_clients import NativeClient, client_factory
from src.shared.infrastructure.llm.provider import PROVIDERS, RESERVED, ProviderProfile, StructuredOutput
from src.shared.infrastructure.llm.provider_errors import (
    MODE_NOT_TAKEN,
    NOT_AN_OBJECT,
    NOT_EXTRA,
    NOT_SENDABLE,
    NOT_THE_API,
    OPTION_NOT_TAKEN,
    SETTING_UNUSED,
    Endpoint,
    needs_extra,
)
from src.shared.infrastructure.llm.settings import LLMSettings
from src.shared.infrastructure.llm.transport import ProviderLLM, answer_in_time, endpoint_of
from src.shared.infrastructure.llm.vendor_errors import domain_error
from src.shared.infrastructure.llm.wire import Completion, FunctionCall, to_reply

with needs_extra(PROVIDERS):
    from pydantic_ai.direct import model_request
    from pydantic_ai.messages import (
        BinaryContent,
        ModelMessage,
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        ThinkingPart,
        ToolCallPart,
        UserPromptPart,
    )
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.settings import ModelSettings, ThinkingEffort
    from pydantic_ai.tools import ToolDefinition

T = TypeVar("T")

EFFORTS = frozenset(get_args(ThinkingEffort))
"""The reasoning efforts of all providers together; `none` turns reasoning off."""
_OFF = "none"
_DOES_NOT_SAMPLE = ("anthropic_disallows_sampling_settings", "bedrock_disallows_sampling_settings")
_HAVE_JSON_OBJECT = {"google"}
"""Providers whose API has the mode; pydantic-ai sends the others nothing of it."""


class NativeLLM(ProviderLLM[NativeClient]):
    """A model behind its provider's own API: Anthropic, Gemini, Mistral or Bedrock; implements `LLMPort`.

    What a provider does not take is refused before anything is sent: a structured mode, headers, members of the body,
    images, a reasoning effort. Four things are adapted to it instead: a model that does not sample is told no
    temperature, system messages after the first go to the front where the provider has no such role, `max_tokens` is
    cut to the model's own limit where that is known, and a reasoning effort becomes the nearest one that the model has.

    Args:
        settings: whom to ask, and how.
        limiter: shared with other objects for the same provider; by default one by the settings.
        make: makes the client of an event loop; by default that of the provider.

    Raises:
        LLMConfigurationError: the provider's package is not installed, or a setting is of no use with it.
    """

    def __init__(
        self,
        settings: LLMSettings,
        limiter: Limiter | None = None,
        make: Callable[[ssl.SSLContext], NativeClient] | None = None,
    ) -> None:
        for option, is_set in (
            ("LLM_STREAM", settings.stream),
            ("LLM_EXTRA_QUERY", settings.extra_query),
            ("LLM_PROFILE", settings.profile is not ProviderProfile.OPENAI_COMPATIBLE),
        ):
            if is_set:  # what chat completions alone know
                raise endpoint_of(settings).error(LLMConfigurationError, SETTING_UNUSED, reason=option)
        super().__init__(settings, limiter, make or client_factory(settings))

    async def generate(self, request: LLMRequest) -> LLMReply:
        """Ask once and wait for the whole answer; see `LLMPort.generate`.

        Waiting for the limiter is not part of the seconds that a request may take.

        Raises:
            LLMRequestError: it has what the model or the provider does not take, or what cannot be written as JSON.
            LLMConfigurationError: the provider does not have the structured mode, or cannot be held to this type in it.
            LLMError: after the transport's retries, with their number in `details["attempts"]`.
        """
        endpoint = self._endpoint if request.timeout is None else replace(self._endpoint, timeout=request.timeout)
        model = (await _in_our_words(self._client(), endpoint)).model
        request = self._with_defaults(request)
        _check(request, model, endpoint)
        parameters = _parameters(request.output_schema, self._settings.structured_output, endpoint)
        if parameters.output_mode == "prompted" and model.system not in _HAVE_JSON_OBJECT:
            mode = self._settings.structured_output.value
            raise endpoint.error(LLMConfigurationError, MODE_NOT_TAKEN, reason=mode)
        return await self._answer(partial(self._send, request, parameters, endpoint))

    async def _send(self, request: LLMRequest, parameters: ModelRequestParameters, endpoint: Endpoint) -> LLMReply:
        async with self._place() as client:
            sent = model_request(
                client.model,
                _messages(request.messages),
                model_settings=_model_settings(request, client.model),
                model_request_parameters=parameters,
                instrument=False,
            )
            response = await answer_in_time(_in_our_words(sent, endpoint), endpoint)
        tool = next((tool.name for tool in parameters.output_tools), "")  # none: the text is the answer, no call
        return to_reply(_completion(response, endpoint), endpoint, tool)

    def _with_defaults(self, request: LLMRequest) -> LLMRequest:
        """The request, with what the settings say for all of them."""
        headers = {name: value.get_secret_value() for name, value in self._settings.extra_headers.items()}
        return replace(
            request,
            reasoning_effort=request.reasoning_effort or self._settings.reasoning_effort,
            extra_headers={**headers, **request.extra_headers},
            extra_body={**self._settings.extra_body, **request.extra_body},
        )


async def _in_our_words(work: Awaitable[T], endpoint: Endpoint) -> T:
    """Wait for the code of the vendors, which raises what it likes.

    Raises:
        LLMError: in place of it, not chained: theirs holds key and prompt.
    """
    try:
        return await work
    except LLMError:
        raise
    except Exception as error:  # noqa: BLE001 - the boundary that no vendor's exception crosses
        failure = domain_error(error, endpoint)
    raise failure


def _check(request: LLMRequest, model: Model[Any], endpoint: Endpoint) -> None:
    """Refuse what would replace the request's own, be left out, or cannot be written."""
    if reserved := RESERVED & request.extra_body.keys():
        raise endpoint.error(LLMConfigurationError, NOT_EXTRA, reason=", ".join(sorted(reserved)))
    for option in _not_taken(request, model):
        raise endpoint.error(LLMRequestError, OPTION_NOT_TAKEN, reason=option)
    schema = request.output_schema and request.output_schema.json_schema
    texts = [message.text for message in request.messages]
    with suppress(ValueError, TypeError, RecursionError):
        json.dumps(request.temperature, allow_nan=False)
        json.dumps([texts, request.stop, schema], ensure_ascii=False, allow_nan=False).encode()
        return
    raise endpoint.error(LLMRequestError, NOT_SENDABLE)  # not chained: what cannot be encoded holds the prompt


def _not_taken(request: LLMRequest, model: Model[Any]) -> Iterator[str]:
    """The options that would be left out, by the names they have in `LLMRequest`."""
    effort, profile = request.reasoning_effort, model.profile
    always_thinks = profile.get("thinking_always_enabled")
    thinks = model.system != "mistral" if always_thinks else profile.get("supports_thinking")  # which sends nothing
    if effort is not None and not (thinks and (effort == _OFF or effort in EFFORTS)):
        yield "reasoning_effort"
    for option in ("extra_headers", "extra_body"):
        if getattr(request, option) and option in model.unsupported_settings:
            yield option
    showing = {message.role for message in request.messages if message.images}
    if showing and (showing != {Role.USER} or not profile.get("supports_image_input", True)):
        yield "images"


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


def _model_settings(request: LLMRequest, model: Model[Any]) -> ModelSettings:
    """Only what is said: the rest is the provider's. A model that does not sample is told no temperature."""
    samples = not any(model.profile.get(flag) for flag in _DOES_NOT_SAMPLE)
    options: dict[str, Any] = {
        "temperature": request.temperature if samples else None,
        "max_tokens": request.max_tokens,
        "stop_sequences": list(request.stop) or None,
        "thinking": request.reasoning_effort if request.reasoning_effort != _OFF else False,
        "extra_headers": dict(request.extra_headers) or None,
        "extra_body": dict(request.extra_body) or None,
    }
    return cast("ModelSettings", {name: value for name, value in options.items() if value is not None})


def _messages(messages: tuple[ChatMessage, ...]) -> list[ModelMessage]:
    """Whatever stands between two answers of the model is one request of pydantic-ai's."""
    return [
        ModelResponse([TextPart(message.text) for message in group])
        if is_answer
        else ModelRequest([_part(message) for message in group])
        for is_answer, group in groupby(messages, lambda message: message.role is Role.ASSISTANT)
    ]


def _part(message: ChatMessage) -> SystemPromptPart | UserPromptPart:
    if message.role is Role.SYSTEM:
        return SystemPromptPart(message.text)
    if not message.images:
        return UserPromptPart(message.text)
    return UserPromptPart(
        [
            BinaryContent(part.data, media_type=part.media_type.value) if isinstance(part, ImagePart) else part.text
            for part in message.parts
        ]
    )


def _completion(response: ModelResponse, endpoint: Endpoint) -> Completion:
    """Read a whole response as a body of chat completions is read, by whose rules it becomes a reply.

    Raises:
        LLMReplyError: a call's arguments cannot be written as JSON.
    """
    texts = [part.content for part in response.parts if isinstance(part, TextPart)]
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
    details, usage = response.provider_details or {}, response.usage
    finish = str(details.get("finish_reason") or response.finish_reason)  # pydantic-ai has fewer words than providers
    if "block_reason" in details:
        finish = FinishReason.REFUSED
    elif calls and finish_reason_of(finish) is FinishReason.STOP:
        finish = FinishReason.TOOL_CALLS  # Gemini says STOP
    return Completion(
        text="".join(texts) if texts else None,
        reasoning="\n".join(part.content for part in response.parts if isinstance(part, ThinkingPart)),
        calls={at: FunctionCall(call.tool_name, _arguments(call, endpoint)) for at, call in enumerate(calls)},
        finish_reason=finish,
        model=response.model_name or "",
        usage=TokenUsage(
            usage.input_tokens, usage.output_tokens, usage.output_reasoning_tokens or 0, usage.cache_read_tokens
        ),
    )


def _arguments(call: ToolCallPart, endpoint: Endpoint) -> str:
    """The arguments as JSON; the vendors' clients decode them, so that a number has the digits of a float."""
    if isinstance(call.args, str):
        return call.args
    with suppress(ValueError):
        return json.dumps(call.args or {}, ensure_ascii=False, allow_nan=False)
    raise endpoint.error(LLMReplyError, NOT_THE_API, reason="arguments that are no JSON")
