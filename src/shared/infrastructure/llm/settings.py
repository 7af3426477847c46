"""Settings of a provider, by environment: `LLM_BASE_URL`, `LLM_MODEL` and so on; `.env` is read too."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Annotated, Any

from pydantic import (
    BeforeValidator,
    Field,
    HttpUrl,
    JsonValue,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from src.shared.domain.budget import Budget, TokenPrice
from src.shared.domain.language import Phrase
from src.shared.domain.llm_errors import LLMConfigurationError
from src.shared.infrastructure.llm.provider import (
    NATIVE_APIS,
    RESERVED,
    Provider,
    ProviderProfile,
    StructuredOutput,
)
from src.shared.infrastructure.llm.provider_errors import MAX_RESPONSE_BYTES, configuration_error, needs_extra

with needs_extra():
    from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
    from pydantic_settings.exceptions import SettingsError


PREFIX = "LLM_"
ENV_FILE = ".env"
"""In the working directory; the environment wins over it."""

Seconds = Annotated[float, Field(gt=0, le=3600, allow_inf_nan=False)]


def _require(is_met: object, message: str) -> None:
    """Refuse a value; inside a validator, which names the variable."""
    if not is_met:
        raise ValueError(message)


def _decoded(value: object) -> object:
    """The value of a variable that holds JSON."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        message = "not a JSON object"
    raise ValueError(message)


AS_JSON = (NoDecode, BeforeValidator(_decoded))
"""Decoded here and not by pydantic-settings, whose error does not name the variable."""


class EnvironmentSettings(BaseSettings):
    """Settings whose every field is the environment variable `LLM_` and its name in upper case.

    Raises:
        LLMConfigurationError: a variable is missing or wrong; names it, never its value.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=ENV_FILE,
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
    )

    def __init__(self, **values: Any) -> None:  # noqa: ANN401 - fields, or options of pydantic-settings such as _env_file
        problem: LLMConfigurationError
        try:
            super().__init__(**values)
        except ValidationError as error:
            problem = _wrong_variables(error)
        except (SettingsError, OSError, UnicodeError) as error:
            reason = type(error).__name__
            unreadable = Phrase("cannot read {env_file} or the environment: {reason}", env_file=ENV_FILE, reason=reason)
            problem = configuration_error(unreadable, reason=reason)
        else:
            return
        raise problem  # not from the error, which holds the values


def _wrong_variables(error: ValidationError) -> LLMConfigurationError:
    problems = {
        PREFIX + str(found["loc"][0]).upper(): found["msg"].removeprefix("Value error, ")
        for found in error.errors(include_url=False, include_context=False, include_input=False)
    }
    shown = [f"{variable}: {problem}" for variable, problem in problems.items()]
    return configuration_error(
        Phrase(
            "variables are missing or wrong: {problems}; set them in the environment or in {file}",
            problems=Phrase.joined("{one}; {other}", shown),
            file=ENV_FILE,
        ),
        variables=list(problems),
        problems=problems,
    )


_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]++")
"""A token (RFC 9110, section 5.6.2)."""

_AZURE_PATH = "/openai/deployments/"
_AZURE_VERSION = "api-version"


class LLMSettings(EnvironmentSettings):
    """How to reach a model. Each field is the environment variable `LLM_` and its name in upper case.

    Attributes:
        provider: whose API is spoken: `openai_compatible` (default), `anthropic`, `gemini`, `mistral` or `bedrock`.
        base_url: of an OpenAI-compatible API, such as `http://localhost:11434/v1`; no credentials, no query. The other
            providers have an address of their own, which this one replaces.
        model: the model's name at the provider.
        api_key: sent as bearer token; empty (default) sends none, as local servers want it. Anthropic, Gemini and
            Mistral need one; for Bedrock empty means the credentials that AWS finds.
        timeout: seconds for one request, from sending it to the last byte of the answer; 0 to 3600, default 120.
        connect_timeout: seconds for establishing a connection; 0 to 3600, default 5.
        max_attempts: requests sent for one call at most, when the transport fails; 1 to 10, default 3.
        max_retry_after: most seconds to wait because a provider says so; 0 to 3600, default 60. Who asks for more is
            not asked again.
        structured_output: how a provider is held to a type: `prompt` (default), `json_object`, `json_schema`, `tools`.
        profile: what the provider wants differently: `openai_compatible` (default), `reasoning`, `azure`,
            `azure_reasoning`, `vllm` or `ollama`.
        reasoning_effort: how long to reason, in the provider's words, where a request does not say; default none.
        extra_headers: further headers of every request, a JSON object; they are kept secret as the key is.
        extra_body: further members of every request's body, a JSON object; they win over the adapter's own.
        extra_query: further parameters of every request's URL, a JSON object, such as `{"api-version": "2024-10-21"}`.
        stream: whether answers come as a stream; the reply is the same. Default no.
        max_response_bytes: most bytes of a response, as sent and as decompressed; 1 KiB to 1 GiB, default 8 MiB. Of a
            stream: most characters of the answer.
        max_concurrency: most requests at once in one event loop; 0 sets no bound, default 100.
        requests_per_minute: most requests that begin within any 60 seconds; 0 (default) sets no bound.

    Raises:
        LLMConfigurationError: a variable is missing or wrong; names it, never its value.
    """

    provider: Provider = Provider.OPENAI_COMPATIBLE
    base_url: str = Field("", validate_default=True)
    model: str = Field(min_length=1)
    api_key: SecretStr = Field(SecretStr(""), validate_default=True)
    timeout: Seconds = 120.0
    connect_timeout: Seconds = 5.0
    max_attempts: int = Field(3, ge=1, le=10)
    max_retry_after: float = Field(60.0, ge=0, le=3600, allow_inf_nan=False)
    structured_output: StructuredOutput = StructuredOutput.PROMPT
    profile: ProviderProfile = ProviderProfile.OPENAI_COMPATIBLE
    reasoning_effort: str | None = Field(None, max_length=64)
    extra_headers: Annotated[dict[str, SecretStr], *AS_JSON] = Field(default_factory=dict)
    extra_body: Annotated[dict[str, JsonValue], *AS_JSON] = Field(default_factory=dict)
    extra_query: Annotated[dict[str, str], *AS_JSON] = Field(default_factory=dict, validate_default=True)
    stream: bool = False
    max_response_bytes: int = Field(MAX_RESPONSE_BYTES, ge=1_024, le=1_073_741_824)
    max_concurrency: int = Field(100, ge=0, le=100_000)
    requests_per_minute: int = Field(0, ge=0, le=1_000_000)

    @property
    def address(self) -> str:
        """Where the provider is: the base URL, or the provider's own."""
        return self.base_url or NATIVE_APIS[self.provider].address

    def secrets(self) -> list[str]:
        """What must not be written anywhere: the key and the values of extra headers."""
        return [secret.get_secret_value() for secret in (self.api_key, *self.extra_headers.values())]

    @field_validator("base_url")
    @classmethod
    def _is_a_base_url(cls, url: str, given: ValidationInfo) -> str:
        if not url:
            _require(given.data.get("provider") in NATIVE_APIS, "Field required")
            return url
        parsed = None
        with suppress(ValidationError):  # which would show the URL
            parsed = HttpUrl(url)
        if parsed is None:
            message = "not an http or https URL with a host"
            raise ValueError(message)
        _require(
            not (parsed.username or parsed.password) and (parsed.query, parsed.fragment) == (None, None),
            "must hold neither credentials nor a query; the key belongs into LLM_API_KEY, a query into LLM_EXTRA_QUERY",
        )
        path = (parsed.path or "").rstrip("/")
        _require(not path.endswith("/chat/completions"), "give the part before /chat/completions")
        return str(parsed).rstrip("/")

    @field_validator("extra_headers")
    @classmethod
    def _are_headers(cls, headers: dict[str, SecretStr]) -> dict[str, SecretStr]:
        for name, value in headers.items():
            text = value.get_secret_value()
            is_header = _HEADER_NAME.fullmatch(name) and text.isascii() and text.isprintable()
            _require(is_header, "names must be tokens, values printable ASCII")
        return headers

    @field_validator("extra_body")
    @classmethod
    def _are_members_of_its_own(cls, body: dict[str, JsonValue]) -> dict[str, JsonValue]:
        reserved = RESERVED & body.keys()
        _require(not reserved, f"must not replace {', '.join(sorted(reserved))}")
        return body

    @field_validator("extra_query")
    @classmethod
    def _names_azures_version(cls, query: dict[str, str], given: ValidationInfo) -> dict[str, str]:
        has_version = _AZURE_PATH not in str(given.data.get("base_url")) or _AZURE_VERSION in query
        _require(has_version, f'a deployment of Azure needs {{"{_AZURE_VERSION}": "…"}}')
        return query

    @field_validator("api_key")
    @classmethod
    def _fits_into_a_header(cls, key: SecretStr, given: ValidationInfo) -> SecretStr:
        text = key.get_secret_value().strip()
        native = NATIVE_APIS.get(given.data.get("provider", Provider.OPENAI_COMPATIBLE))
        _require(text or native is None or not native.needs_key, "needed by this provider")
        _require(text.isascii() and text.isprintable() and " " not in text, "must be printable ASCII without spaces")
        return SecretStr(text)


Money = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class AskingSettings(EnvironmentSettings):
    """What one answer may cost, and which other models may be asked. None of them has to be set.

    Attributes:
        budget_retries: re-asks after the first answer; 0 to 10, default 2.
        budget_tokens: tokens read and written for one answer; default no bound.
        budget_seconds: seconds for one answer; default no bound.
        budget_cost: money for one answer, in the currency of the prices; default no bound. Needs the prices.
        price_prompt: what a million tokens read cost; default not known.
        price_completion: what a million tokens written cost; given with `price_prompt` or not at all.
        price_cached: what a million tokens read from the provider's cache cost; default as `price_prompt`.
        price_currency: of all prices, default CNY.
        fallback_model: asked where the first model cannot be reached or fails, at the same provider; default none.
        repair_model: asked for repairs, at the same provider; default Gemini's own, elsewhere the first model.
        provider: as in `LLMSettings`.

    Raises:
        LLMConfigurationError: a variable is wrong; names it.
    """

    provider: Provider = Provider.OPENAI_COMPATIBLE

    budget_retries: int = Field(2, ge=0, le=10)
    budget_tokens: int | None = Field(None, ge=1)
    budget_seconds: float | None = Field(None, gt=0, le=86_400, allow_inf_nan=False)
    price_prompt: Money | None = None
    price_completion: Money | None = Field(None, validate_default=True)
    price_cached: Money | None = None
    price_currency: str = Field("CNY", min_length=1)
    budget_cost: Money | None = None
    fallback_model: str | None = None
    repair_model: str | None = Field(None, validate_default=True)

    @field_validator("repair_model")
    @classmethod
    def _is_the_providers_own(cls, name: str | None, given: ValidationInfo) -> str | None:
        native = NATIVE_APIS.get(given.data.get("provider", Provider.OPENAI_COMPATIBLE))
        return name or (native.repair_model if native else None)

    @field_validator("price_completion")
    @classmethod
    def _is_given_with_the_other(cls, price: float | None, given: ValidationInfo) -> float | None:
        are_both = (price is None) == (given.data.get("price_prompt") is None)
        _require(are_both, "is given together with LLM_PRICE_PROMPT or not at all")
        return price

    @field_validator("budget_cost")
    @classmethod
    def _has_prices(cls, cost: float | None, given: ValidationInfo) -> float | None:
        has_prices = cost is None or given.data.get("price_completion") is not None
        _require(has_prices, "needs LLM_PRICE_PROMPT and LLM_PRICE_COMPLETION")
        return cost

    def price(self) -> TokenPrice | None:
        """What tokens cost; None where that is not known."""
        if self.price_prompt is None or self.price_completion is None:
            return None
        return TokenPrice(self.price_prompt, self.price_completion, self.price_currency, self.price_cached)

    def budget(self) -> Budget:
        """The bounds on one answer."""
        return Budget(self.budget_retries, self.budget_tokens, self.budget_seconds, self.budget_cost, self.price())
