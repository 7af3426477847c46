"""The real libraries on the story, and a dossier made with them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from examples.committee.application.dossier.builder import BuiltDossier, DossierBuilder
from examples.committee.domain.ports.market_data import MarketDataPort
from examples.committee.infrastructure.market_data.akshare_source import AkshareMarketData
from examples.committee.infrastructure.market_data.settings import MarketDataSettings
from examples.committee.infrastructure.market_data.tushare_source import TushareMarketData
from examples.committee.tests.market_data import story
from examples.committee.tests.market_data.tushare_server import TOKEN, Tushare

NOW = datetime(2025, 11, 21, 12, 0, tzinfo=UTC)


def settings(**given: Any) -> MarketDataSettings:  # noqa: ANN401 - fields of several types
    return MarketDataSettings(_env_file=None, **{"market_data_attempts": 2, **given})


def akshare(**given: Any) -> AkshareMarketData:  # noqa: ANN401 - as above
    return AkshareMarketData(settings(**given))


def tushare_at(server: Tushare, today: date = story.AS_OF, **given: Any) -> TushareMarketData:  # noqa: ANN401 - as above
    return TushareMarketData(settings(**{"tushare_token": TOKEN, "tushare_url": server.url, **given}), today)


def built(source: MarketDataPort, as_of: date | None = story.AS_OF) -> BuiltDossier:
    return DossierBuilder(lambda: source, lambda: NOW).build(story.CODE, as_of)
