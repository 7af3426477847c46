"""The price limits (涨跌停) of one trading day on the exchanges of mainland China.

Source: the trading rules of the Shanghai, Shenzhen and Beijing exchanges. The limit is the last close times one plus or
minus the board's share, rounded to 0.01. No limits are worked out where other rules hold or may hold: new shares in
their first days, shares with a risk warning on the main boards, shares about to be delisted, funds and bonds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

_CENT: Final = Decimal("0.01")
_BOARDS: Final = (
    (re.compile(r"(?:600|601|603|605)\d{3}\.SH"), Decimal("0.10"), True),
    (re.compile(r"(?:688|689)\d{3}\.SH"), Decimal("0.20"), False),
    (re.compile(r"(?:000|001|002|003)\d{3}\.SZ"), Decimal("0.10"), True),
    (re.compile(r"(?:300|301|302)\d{3}\.SZ"), Decimal("0.20"), False),
    (re.compile(r"(?:43|83|87|88|92)\d{4}\.BJ"), Decimal("0.30"), False),
)
"""Symbols of a board, its share, and whether a risk warning changes it."""
_NEW = re.compile(r"[NC][\u4e00-\u9fff]")
_LEAVING, _WARNED = "退", "ST"


@dataclass(frozen=True, slots=True)
class DailyLimits:
    """The lowest and the highest price of a day."""

    lower: float
    upper: float


def daily_limits(symbol: str, name: str, close: float) -> DailyLimits | None:
    """The limits of the trading day after a close; None where they are not known.

    Args:
        symbol: as `688999.SH`.
        name: as it is traded: `N` and `C` in front are new shares, `ST` is a risk warning.
        close: the last close, above 0.
    """
    found = next(((share, changes) for board, share, changes in _BOARDS if board.fullmatch(symbol.upper())), None)
    if found is None or _NEW.match(name) or _LEAVING in name or (found[1] and _WARNED in name.upper()):
        return None
    price, share = Decimal(repr(close)), found[0]
    lower, upper = ((price * factor).quantize(_CENT, ROUND_HALF_UP) for factor in (1 - share, 1 + share))
    return DailyLimits(float(lower), float(upper))
