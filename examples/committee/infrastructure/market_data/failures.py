"""Every message of the sources of market data, in one place. None holds a token or what a vendor's exception says."""

from __future__ import annotations

from contextlib import AbstractContextManager

from examples.committee.domain.exceptions import (
    DataNotOfferedError,
    MarketDataSettingsError,
    MarketDataUnavailableError,
    UnknownStockError,
)
from src.shared.domain.language import Message
from src.shared.infrastructure.extras import needs_package


class ConnectionLostError(MarketDataUnavailableError):
    """The one failure that is worth another call at once."""


_INSTALL = "pip install -r examples/committee/requirements.txt"


def needs_extra(extra: str) -> AbstractContextManager[None]:
    """Around the imports of a source's packages.

    Raises:
        MarketDataSettingsError: one of them is not installed.
    """
    return needs_package(extra, lambda message, details: MarketDataSettingsError(message.text(), details), _INSTALL)


def no_token() -> MarketDataSettingsError:
    """Tushare wants a token."""
    zh = "没有 Tushare 的 token；请设置环境变量 TUSHARE_TOKEN（见 https://tushare.pro/user/token）"
    en = "there is no token of Tushare; set TUSHARE_TOKEN (see https://tushare.pro/user/token)"
    return MarketDataSettingsError(Message.glossed(zh, en, "no token").text(), {"variables": ["TUSHARE_TOKEN"]})


def wrong_token(source: str) -> MarketDataSettingsError:
    """Tushare does not know the token."""
    zh, en = "Tushare 不接受该 token；请检查 TUSHARE_TOKEN", "Tushare does not accept the token; check TUSHARE_TOKEN"
    message = Message.glossed(zh, en, "the token is not accepted")
    return MarketDataSettingsError(message.text(), {"source": source, "variables": ["TUSHARE_TOKEN"]})


def unknown_stock(symbol: str, source: str) -> UnknownStockError:
    """The source has no such stock."""
    message = Message.glossed(f"{source} 没有股票 {symbol}", f"{source} knows no stock {symbol}", "no such stock")
    return UnknownStockError(message.text(), {"source": source})


def no_permission(source: str) -> DataNotOfferedError:
    """The account may not ask for it."""
    zh, en = f"{source}：账户没有该接口的权限", f"{source}: the account may not use this interface"
    return DataNotOfferedError(Message.glossed(zh, en, "no permission").text(), {"source": source})


def no_records(source: str) -> DataNotOfferedError:
    """The source has nothing, or says it in a form that its library does not read."""
    zh = f"{source} 没有记录，或返回的格式与该版本的库不符"
    en = f"{source} has none, or answers in a form that this version of the library does not read"
    return DataNotOfferedError(Message.glossed(zh, en, "none, or in another form").text(), {"source": source})


def changed(source: str, reason: str) -> DataNotOfferedError:
    """The answer is not in the form expected.

    Args:
        source: library and function.
        reason: the name of a column, or of an exception; never its text.
    """
    zh = f"{source} 返回的数据格式已改变（{reason}）；请升级该库"
    en = f"{source} answers in another form ({reason}); upgrade the library"
    message = Message.glossed(zh, en, "another form than expected; upgrade the library")
    return DataNotOfferedError(message.text(), {"source": source, "reason": reason})


def no_connection(source: str, reason: str) -> ConnectionLostError:
    """No connection, a broken one, or an answer that is no data."""
    zh = f"{source} 没有给出数据（{reason}）；请检查网络，稍后重试"
    en = f"{source} gave no data ({reason}); check the network and try again later"
    message = Message.glossed(zh, en, "no data; check the network and try again later")
    return ConnectionLostError(message.text(), {"source": source, "reason": reason})


def gave_up(source: str, reason: str) -> MarketDataUnavailableError:
    """As above, where the library has tried again by itself."""
    return MarketDataUnavailableError(no_connection(source, reason).message, {"source": source, "reason": reason})


def too_late(source: str, seconds: float) -> MarketDataUnavailableError:
    """No answer in time."""
    zh = f"{source} 在 {seconds:g} 秒内未完成；请重试或调大 MARKET_DATA_TIMEOUT"
    en = f"{source} did not finish within {seconds:g} s; try again or raise MARKET_DATA_TIMEOUT"
    message = Message.glossed(zh, en, "no answer in time")
    return MarketDataUnavailableError(message.text(), {"source": source, "timeout": seconds})


def too_often(source: str) -> MarketDataUnavailableError:
    """The source limits how often it is asked."""
    zh, en = f"{source} 限制了访问频率；请稍后再试", f"{source} limits how often it is asked; try again later"
    return MarketDataUnavailableError(Message.glossed(zh, en, "too many requests").text(), {"source": source})
