"""The code of a share listed in Shanghai, Shenzhen or Beijing, in every spelling that code bases use."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from examples.committee.domain.exceptions import UnknownStockError

_DIGITS = 6


class Exchange(StrEnum):
    """Where a share is listed; the value is the suffix of its code."""

    SHANGHAI = "SH"
    SHENZHEN = "SZ"
    BEIJING = "BJ"

    @property
    def full_name(self) -> str:
        """Its name."""
        return {"SH": "上海证券交易所", "SZ": "深圳证券交易所", "BJ": "北京证券交易所"}[self]


_BY_BEGINNING = {
    **dict.fromkeys(("60", "68"), Exchange.SHANGHAI),
    **dict.fromkeys(("00", "30"), Exchange.SHENZHEN),
    **dict.fromkeys(("43", "83", "87", "88", "92"), Exchange.BEIJING),
}
"""The first digits of A shares; others (B shares, funds, bonds) have other rules, and no dossier."""


@dataclass(frozen=True, slots=True)
class StockCode:
    """One A share.

    Attributes:
        digits: six of them.
        exchange: where it is listed.
    """

    digits: str
    exchange: Exchange

    @classmethod
    def read(cls, text: str) -> StockCode:
        """Read `600519`, `600519.SH`, `sh600519` or `SH.600519`.

        Raises:
            UnknownStockError: it is no code of an A share, or names another exchange than its digits do.
        """
        parts = text.strip().upper().replace(".", "")
        digits = "".join(sign for sign in parts if "0" <= sign <= "9")
        named = parts.removeprefix(digits) if parts.startswith(digits) else parts.removesuffix(digits)
        exchange = _BY_BEGINNING.get(digits[:2])
        if exchange is None or len(digits) != _DIGITS or named not in ("", exchange):
            raise UnknownStockError.no_code(text)
        return cls(digits, exchange)

    def __str__(self) -> str:
        """The code with its exchange, such as 600519.SH."""
        return f"{self.digits}.{self.exchange}"
