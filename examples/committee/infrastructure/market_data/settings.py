"""Settings of the sources of market data, by environment; `.env` is read too."""

from __future__ import annotations

from typing import Any

from pydantic import Field, SecretStr, ValidationError

from examples.committee.domain.exceptions import MarketDataSettingsError
from examples.committee.infrastructure.market_data.failures import needs_extra
from src.shared.domain.language import Message

with needs_extra("akshare"):
    from pydantic_settings import BaseSettings, SettingsConfigDict


class MarketDataSettings(BaseSettings):
    """How a source is asked. Each field is the environment variable that is its name in upper case.

    Attributes:
        market_data_timeout: seconds for one call of a library, with all its requests; default 60.
        market_data_attempts: how often a call is made at most when the connection fails; 1 to 5, default 3.
        tushare_token: of the account; Tushare needs one.
        tushare_url: of a server that speaks Tushare's protocol; default that of the library.

    Raises:
        MarketDataSettingsError: a variable is wrong; names it.
    """

    model_config = SettingsConfigDict(env_file=".env", env_ignore_empty=True, extra="ignore", frozen=True)

    market_data_timeout: float = Field(60.0, gt=0, le=3600, allow_inf_nan=False)
    market_data_attempts: int = Field(3, ge=1, le=5)
    tushare_token: SecretStr | None = None
    tushare_url: str | None = Field(None, pattern=r"\Ahttps?://")

    def __init__(self, **values: Any) -> None:  # noqa: ANN401 - fields, or options of pydantic-settings such as _env_file
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise _wrong(error) from None


def _wrong(error: ValidationError) -> MarketDataSettingsError:
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    named = [(str(problem["loc"][0]).upper(), problem["msg"]) for problem in problems]
    zh = f"行情来源的环境变量有误：{'；'.join(f'{variable}：{text}' for variable, text in named)}"
    en = f"settings of market data are wrong: {'; '.join(f'{variable}: {text}' for variable, text in named)}"
    message = Message.glossed(zh, en, "correct these environment variables")
    return MarketDataSettingsError(message.text(), {"variables": [variable for variable, _ in named]})
