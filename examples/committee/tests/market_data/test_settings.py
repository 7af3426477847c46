"""The sources' settings come from the environment; what is wrong is named by its variable, and the token by nothing."""

import pytest

from examples.committee.domain.exceptions import MarketDataSettingsError
from examples.committee.infrastructure.market_data.akshare_source import AkshareMarketData
from examples.committee.infrastructure.market_data.settings import MarketDataSettings
from examples.committee.infrastructure.market_data.sources import market_data
from examples.committee.infrastructure.market_data.tushare_source import TushareMarketData


def test_defaults_need_no_environment() -> None:
    found = MarketDataSettings(_env_file=None)
    assert (found.market_data_timeout, found.market_data_attempts) == (60, 3)
    assert (found.tushare_token, found.tushare_url) == (None, None)


def test_environment_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"MARKET_DATA_TIMEOUT": "5", "MARKET_DATA_ATTEMPTS": "1", "TUSHARE_TOKEN": "secret"}.items():
        monkeypatch.setenv(name, value)
    found = MarketDataSettings(_env_file=None)
    assert (found.market_data_timeout, found.market_data_attempts) == (5, 1)
    assert "secret" not in repr(found)


@pytest.mark.parametrize(
    ("name", "value"),
    [("MARKET_DATA_TIMEOUT", "0"), ("MARKET_DATA_ATTEMPTS", "6"), ("TUSHARE_URL", "ftp://example.invalid")],
)
def test_wrong_value_is_named_by_its_variable(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(MarketDataSettingsError, match=name) as caught:
        MarketDataSettings(_env_file=None)
    assert caught.value.details["variables"] == [name]


def test_source_is_made_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUSHARE_TOKEN", "secret")
    assert isinstance(market_data("akshare"), AkshareMarketData)
    assert isinstance(market_data("tushare"), TushareMarketData)
