"""Settings of the store and the webhook, by environment: `OUTPUT_STORE_URL` and so on."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Annotated, Any, ClassVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, ValidationError

from src.modules.monitoring.domain.exceptions import MonitoringSettingsError
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Phrase
from src.shared.infrastructure.events import store_setting
from src.shared.infrastructure.extras import needs_package


def needs_extra(extra: str = "serve") -> AbstractContextManager[None]:
    """Around the imports of its packages.

    Args:
        extra: the one of `pyproject.toml` that they are in.

    Raises:
        MonitoringSettingsError: one of them is not installed.
    """
    return needs_package(extra, lambda message, details: MonitoringSettingsError(message.text(), details))


with needs_extra():
    from pydantic_settings import BaseSettings, SettingsConfigDict

PREFIX = "OUTPUT_"
STORE_URL = store_setting.STORE_URL


def _http_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
        message = "must be an http or https URL with a host and without credentials"
        raise ValueError(message)
    return url


HttpUrl = Annotated[str, AfterValidator(_http_url)]


class OutputSettings(BaseSettings):
    """Settings whose every field is the environment variable `OUTPUT_` and its name in upper case.

    Attributes:
        error: what a wrong variable raises, which is named; its value never is.
        wanted: what to say of a field in place of Pydantic's words.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, extra="ignore", frozen=True, hide_input_in_errors=True
    )
    error: ClassVar[type[AppException]]
    wanted: ClassVar[Mapping[str, str]] = {}

    def __init__(self, **values: Any) -> None:  # noqa: ANN401 - fields
        try:
            super().__init__(**values)
        except ValidationError as error:
            found = error.errors(include_url=False, include_context=False, include_input=False)
        else:
            return
        problems = {}
        for one in found:
            name, problem = str(one["loc"][0]), one["msg"].removeprefix("Value error, ")
            problems[PREFIX + name.upper()] = self.wanted.get(name, problem)
        shown = "; ".join(f"{variable}: {problem}" for variable, problem in problems.items())
        message = Phrase("variables are wrong: {shown}", shown=shown)
        raise self.error(message.text(), {"variables": list(problems), "problems": problems})


class MonitoringSettings(OutputSettings):
    """Where outcomes go. Each field is the environment variable `OUTPUT_` and its name in upper case.

    Attributes:
        store_url: the store's address, `sqlite:///FILE` or `postgresql+psycopg://USER:PASSWORD@HOST/DATABASE`; None
            stores nothing.
        store_text: whether the beginning of each text is stored; it may be private.
        store_days: days that outcomes are kept, 0 to 36,500; 0 keeps them for ever.
        webhook_url: told of alarms by `llm-output alarms`; None tells nobody.
        webhook_secret: signs what the webhook is sent; None sends it without a signature.

    Raises:
        MonitoringSettingsError: a variable is wrong; names it, never its value.
    """

    error = MonitoringSettingsError

    store_url: str | None = None
    store_text: bool = False
    store_days: int = Field(30, ge=0, le=36_500)
    webhook_url: HttpUrl | None = None
    webhook_secret: SecretStr | None = None
