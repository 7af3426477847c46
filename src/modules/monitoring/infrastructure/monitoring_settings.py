"""Settings of the store and the webhook, by environment: `OUTPUT_STORE_URL` and so on."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, ValidationError

from src.modules.monitoring.domain.exceptions import MonitoringSettingsError
from src.modules.monitoring.infrastructure.extra import needs_extra
from src.shared.domain.language import Message
from src.shared.infrastructure.events import store_setting

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


class MonitoringSettings(BaseSettings):
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

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, extra="ignore", frozen=True, hide_input_in_errors=True
    )

    store_url: str | None = None
    store_text: bool = False
    store_days: int = Field(30, ge=0, le=36_500)
    webhook_url: HttpUrl | None = None
    webhook_secret: SecretStr | None = None

    def __init__(self, **values: Any) -> None:  # noqa: ANN401 - fields
        try:
            super().__init__(**values)
        except ValidationError as error:
            found = error.errors(include_url=False, include_context=False, include_input=False)
        else:
            return
        raise _wrong({PREFIX + str(one["loc"][0]).upper(): one["msg"].removeprefix("Value error, ") for one in found})


def _wrong(problems: dict[str, str]) -> MonitoringSettingsError:
    shown = "; ".join(f"{variable}: {problem}" for variable, problem in problems.items())
    message = Message(f"环境变量有误：{shown}", f"variables are wrong: {shown}")
    return MonitoringSettingsError(message.text(), {"variables": list(problems), "problems": problems})
