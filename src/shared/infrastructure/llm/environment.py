"""Settings that come from environment variables with the prefix `LLM_`, or from `.env`; the environment wins."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError

from src.shared.domain.language import Message
from src.shared.domain.llm_errors import LLMConfigurationError
from src.shared.infrastructure.llm.extra import needs_extra
from src.shared.infrastructure.llm.provider_errors import configuration_error

with needs_extra():
    from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
    from pydantic_settings.exceptions import SettingsError

PREFIX = "LLM_"
ENV_FILE = ".env"
"""In the working directory; the environment wins over it."""

Seconds = Annotated[float, Field(gt=0, le=3600, allow_inf_nan=False)]


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
            problem = _unreadable(type(error).__name__)
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
