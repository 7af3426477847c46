"""Any provider with an API of its own, through pydantic-ai's direct requests.

pydantic-ai's agents, retries and tracing are not used: one request goes out, `transport.py` sends it again if need be,
and the answer's text goes through the parser like every other. Why this library: docs/adr/0016-native-apis.md.

pydantic-ai drops what a model does not take: some of it with a warning, some without. Here it is an error before
anything is sent, except for the temperature, which callers send without knowing the model.

The vendors' clients are made from our settings alone: their own retries and tracing are off, and what they would take
from the environment is given to them: addresses, headers and keys come from `LLM_*`. Their connections are ours, but
for Bedrock's: boto3 has its own connections and threads. A call that is given up on leaves its thread waiting for as
long as `LLM_TIMEOUT`, and the size of an answer is not bounded. Region and credentials are found as AWS documents it,
in `AWS_*` variables and `~/.aws`; where `LLM_API_KEY` is set it is used instead of credentials, as a Bedrock API key.

Exceptions become the domain's by the table of `provider_errors.py`. pydantic-ai sorts what its providers say into
categories; an exception that it lets through comes from the package of the provider or of HTTP.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from itertools import groupby
from typing import Any, cast, get_args

from src.shared.domain.finish_reasons import finish_reason_of
from src.shared.domain.llm_errors import LLMConfigurationError, LLMReplyError, LLMRequestError
from src.shared.domain.llm_exchange import ChatMessage, ImagePart, Role
from src.shared.domain.ports.llm import FinishReason, LLMReply, LLMRequest, OutputSchema, TokenUsage
from src.shared.infrastructure.events.library_log import without_debug
from src.shared.infrastructure.llm.connections import HttpClient, Limiter, RefusedError, holds_at_most, is_event_stream
from src.shared.infrastructure.llm.provider import NATIVE_APIS, PROVIDERS, Provider, ProviderProfile, StructuredOutput
from src.shared.infrastructure.llm.provider_errors import (
    MODE_NOT_TAKEN,
    NOT_AN_OBJECT,
    NOT_SENDABLE,
    NOT_THE_API,
    OPTION_NOT_TAKEN,
    SETTING_UNUSED,
    Endpoint,
    needs_extra,
)
from src.shared.infrastructure.llm.settings import LLMSettings
from src.shared.infrastructure.llm.transport import ProviderLLM, answer_in_time, endpoint_of
from src.shared.infrastructure.llm.wire import Completion, to_reply

with needs_extra(PROVIDERS):
    import anyio.to_thread
    import httpx2
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

EFFORTS = frozenset(get_args(ThinkingEffort))
"""The reasoning efforts of all providers together; `none` turns reasoning off."""
_OFF = "none"
_DOES_NOT_SAMPLE = ("anthropic_disallows_sampling_settings", "bedrock_disallows_sampling_settings")
_HAVE_JSON_OBJECT = {"google"}
"""Providers whose API has the mode; pydantic-ai sends the others nothing of it."""
MOST_VALUES = 20_000
"""Values (and keys) of a whole body. Anthropic's client takes 77 microseconds for each that is no part of its API."""
_SHOW_REQUESTS = ("anthropic._base_client", "botocore.auth", "botocore.endpoint", "botocore.parsers")
"""Loggers that write whole requests and answers at level DEBUG."""
_BEDROCK_CONNECTIONS = 40
"""As many as there are threads for such calls in one event loop."""


@dataclass(frozen=True, slots=True)
class NativeClient:
    """A client of one event loop.

    Attributes:
        model: speaks the provider's API, in pydantic-ai's words.
        aclose: closes the connections.
    """

    model: Model[Any]
    aclose: Callable[[], Awaitable[None]]


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
        endpoint = self._endpoint_for(request)
        model = (await answer_in_time(self._client(), endpoint, Exception)).model
        self._check_extra(request)
        request = replace(
            request,
            reasoning_effort=request.reasoning_effort or self._settings.reasoning_effort,
            extra_headers=self._extra_headers(request),
            extra_body={**self._settings.extra_body, **request.extra_body},
        )
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
            response = await answer_in_time(sent, endpoint, Exception)
        tool = next((tool.name for tool in parameters.output_tools), "")  # none: the text is the answer, no call
        return to_reply(_completion(response, endpoint), endpoint, tool)


def _check(request: LLMRequest, model: Model[Any], endpoint: Endpoint) -> None:
    """Refuse what would be left out, or cannot be written."""
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
        calls=[(call.tool_name, _arguments(call, endpoint)) for call in calls],
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


def client_factory(settings: LLMSettings) -> Callable[[ssl.SSLContext], NativeClient]:
    """What makes a client of the provider that the settings name.

    Raises:
        LLMConfigurationError: the package of the provider is not installed.
    """
    with needs_extra(PROVIDERS):
        import_module(NATIVE_APIS[settings.provider].package)
    without_debug(*_SHOW_REQUESTS)
    return partial(_bedrock if settings.provider is Provider.BEDROCK else _over_http, settings)


def _over_http(settings: LLMSettings, certificates: ssl.SSLContext) -> NativeClient:
    """A client on connections of ours, on which no clock of a vendor runs: the transport's is the only one."""

    async def one_clock(request: httpx2.Request) -> None:
        waits = dict.fromkeys(("read", "write", "pool"))
        request.extensions = {**request.extensions, "timeout": {"connect": settings.connect_timeout, **waits}}

    http = HttpClient(settings, settings.address, certificates)
    http.event_hooks["request"].append(one_clock)
    http.event_hooks["response"].append(_is_moderate)
    return NativeClient(_http_model(settings, http), http.aclose)


def _http_model(settings: LLMSettings, http: HttpClient) -> Model[Any]:
    """Import what the provider needs, and no other one's packages."""
    url, key = settings.address, settings.api_key.get_secret_value()
    if settings.provider is Provider.ANTHROPIC:
        from anthropic import AsyncAnthropic  # noqa: PLC0415 - only where it is asked for
        from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415 - as above
        from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415 - as above

        client = AsyncAnthropic(
            api_key=key, base_url=url, http_client=http, max_retries=0, open_telemetry=False, timeout=http.timeout
        )
        client._custom_headers = {}  # noqa: SLF001 - what ANTHROPIC_CUSTOM_HEADERS adds has no public way out
        return AnthropicModel(settings.model, provider=AnthropicProvider(anthropic_client=client))
    if settings.provider is Provider.GEMINI:
        from pydantic_ai.models.google import GoogleModel  # noqa: PLC0415 - as above
        from pydantic_ai.providers.google import GoogleProvider  # noqa: PLC0415 - as above

        return GoogleModel(settings.model, provider=GoogleProvider(api_key=key, base_url=url, http_client=http))
    from pydantic_ai.models.mistral import MistralModel  # noqa: PLC0415 - as above
    from pydantic_ai.providers.mistral import MistralProvider  # noqa: PLC0415 - as above

    return MistralModel(settings.model, provider=MistralProvider(api_key=key, base_url=url, http_client=http))


async def _is_moderate(response: httpx2.Response) -> None:
    """Count the values of a whole body, which the vendors' clients decode on the event loop."""
    if not is_event_stream(response):
        body = await response.aread()
        if len(body) > MOST_VALUES and not await asyncio.to_thread(holds_at_most, MOST_VALUES, body):
            raise RefusedError(LLMReplyError, NOT_THE_API, max_values=MOST_VALUES)


def _bedrock(settings: LLMSettings, _: ssl.SSLContext) -> NativeClient:
    """A model of Bedrock's Converse API."""
    import boto3  # type: ignore[import-untyped]  # noqa: PLC0415 - as above
    import botocore.session  # type: ignore[import-untyped]  # noqa: PLC0415 - as above
    from botocore.config import Config  # type: ignore[import-untyped]  # noqa: PLC0415 - as above
    from botocore.tokens import FrozenAuthToken  # type: ignore[import-untyped]  # noqa: PLC0415 - as above
    from pydantic_ai.models.bedrock import BedrockConverseModel  # noqa: PLC0415 - as above
    from pydantic_ai.providers.bedrock import BedrockProvider  # noqa: PLC0415 - as above

    key = settings.api_key.get_secret_value()
    config = Config(
        read_timeout=settings.timeout,
        connect_timeout=settings.connect_timeout,
        retries={"total_max_attempts": 1},
        max_pool_connections=_BEDROCK_CONNECTIONS,
        signature_version="bearer" if key else None,
    )
    session = botocore.session.Session() if key else None
    if session:  # the key, in place of credentials
        session.get_auth_token = lambda **_: FrozenAuthToken(key)
        session.get_credentials = lambda: None
    client = boto3.Session(botocore_session=session).client(
        "bedrock-runtime", config=config, endpoint_url=settings.base_url or None
    )
    model = BedrockConverseModel(settings.model, provider=BedrockProvider(bedrock_client=client))
    return NativeClient(model, partial(anyio.to_thread.run_sync, client.close))
