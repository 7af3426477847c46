"""The sources there are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from examples.committee.domain.ports.market_data import MarketDataPort
from examples.committee.infrastructure.market_data.akshare_source import AkshareMarketData
from examples.committee.infrastructure.market_data.settings import MarketDataSettings
from examples.committee.infrastructure.market_data.tushare_source import TushareMarketData

_BEIJING: Final = timedelta(hours=8)


def market_data(source: str, settings: MarketDataSettings | None = None) -> MarketDataPort:
    """A source by its name.

    Args:
        source: `akshare` or `tushare`.
        settings: those of the environment, if None.

    Raises:
        MarketDataSettingsError: its package is not installed, or a setting is missing or wrong.
    """
    settings = settings or MarketDataSettings()
    if source == "akshare":
        return AkshareMarketData(settings)
    return TushareMarketData(settings, (datetime.now(UTC) + _BEIJING).date())
