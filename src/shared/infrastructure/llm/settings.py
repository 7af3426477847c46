"""Settings of a provider, by environment: `LLM_BASE_URL`, `LLM_MODEL` and so on; `.env` is read too."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any

from pydantic import Field, HttpUrl, SecretStr, ValidationError, field_validator

from src.shared.domain.language import Message
from src.shared.domain.llm_errors import LLMConfigurationError
from src.shared.infrastructure.llm.extra import needs_extra
from src.shared.infrastructure.llm.provider_errors import configuration_error
from src.shared.infrastructure.llm.structured import StructuredOutput

with needs_extra():
    from pydantic_settings import BaseSettings, SettingsConfigDict
    from pydantic_settings.exceptions import SettingsError

PREFIX = "LLM_"
ENV_FILE = ".env"
"""In the working directory; the environment wins over it."""

Seconds = Annotated[float, Field(gt=0, le=3600, allow_inf_nan=False)]


class LLMSettings(BaseSettings):
    """How to reach a model. Each field is the environment variable `LLM_` and its name in upper case.

    Attributes:
        base_url: of an OpenAI-compatible API, such as `http://localhost:11434/v1`; no credentials, no query.
        model: the model's name at the provider.
        api_key: sent as bearer token; empty (default) sends none, as local servers want it.
        timeout: seconds for one request, from sending it to the last byte of the answer; 0 to 3600, default 120.
        connect_timeout: seconds for establishing a connection; 0 to 3600, default 5.
        max_attempts: requests sent for one call at most, when the transport fails; 1 to 10, default 3.
        max_retry_after: most seconds to wait because a provider says so; 0 to 3600, default 60. Who asks for more is
            not asked again.
        structured_output: `off` (default), `json_object` or `json_schema`: how a provider is held to a type.
        stream: whether answers come as a stream; the reply is the same. Default no.

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

    base_url: str
    model: str = Field(min_length=1)
    api_key: SecretStr = SecretStr("")
    timeout: Seconds = 120.0
    connect_timeout: Seconds = 5.0
    max_attempts: int = Field(3, ge=1, le=10)
    max_retry_after: float = Field(60.0, ge=0, le=3600, allow_inf_nan=False)
    structured_output: StructuredOutput = StructuredOutput.OFF
    stream: bool = False

    def __init__(self, **values: Any) -> None:  # noqa: ANN401 - fields, or options of pydantic-settings such as _env_file
        problem: LLMConfigurationError
        try:
            super().__init__(**values)
        except ValidationError as error:
            problem = _wrong_variables(error)
        except (SettingsError, OSError, UnicodeError) as error:
            problem = _unreadable(type(error).__name__)
        else:
            return
        raise problem  # not from the error, which holds the values

    @field_validator("base_url")
    @classmethod
    def _is_a_base_url(cls, url: str) -> str:
        with suppress(ValidationError):  # which would show the URL
            parsed = HttpUrl(url)
            if parsed.username or parsed.password or parsed.query is not None or parsed.fragment is not None:
                message = "must hold neither credentials nor a query; the key belongs into LLM_API_KEY"
                raise ValueError(message)
            if (parsed.path or "").rstrip("/").endswith("/chat/completions"):
                message = "give the part before /chat/completions"
                raise ValueError(message)
            return str(parsed).rstrip("/")
        message = "not an http or https URL with a host"
        raise ValueError(message)

    @field_validator("api_key")
    @classmethod
    def _fits_into_a_header(cls, key: SecretStr) -> SecretStr:
        text = key.get_secret_value().strip()
        if not (text.isascii() and text.isprintable()) or " " in text:
            message = "must be printable ASCII without spaces"
            raise ValueError(message)
        return SecretStr(text)


def _wrong_variables(error: ValidationError) -> LLMConfigurationError:
    problems = {
        PREFIX + str(found["loc"][0]).upper(): found["msg"].removeprefix("Value error, ")
        for found in error.errors(include_url=False, include_context=False, include_input=False)
    }
    shown = [f"{variable}: {problem}" for variable, problem in problems.items()]
    return configuration_error(
        Message.glossed(
            f"环境变量缺失或有误：{'；'.join(shown)}；请在环境或 {ENV_FILE} 中设置",
            f"variables are missing or wrong: {'; '.join(shown)}; set them in the environment or in {ENV_FILE}",
            f"variables are missing or wrong; set them in the environment or in {ENV_FILE}",
        ),
        variables=list(problems),
        problems=problems,
    )


def _unreadable(reason: str) -> LLMConfigurationError:
    return configuration_error(
        Message.glossed(
            f"无法读取 {ENV_FILE} 或环境变量：{reason}",
            f"cannot read {ENV_FILE} or the environment: {reason}",
            f"cannot read {ENV_FILE} or the environment",
        ),
        reason=reason,
    )
