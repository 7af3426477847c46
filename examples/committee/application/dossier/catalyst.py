"""The dossier's catalysts: what the company announced, and that its share is not traded."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, Final

from examples.committee.domain.ports.market_data import Announcement

MOST_NEWS: Final = 30
LONGEST_HOLIDAY: Final = 11
"""Calendar days without trade that every share may have; after more of them the share is suspended."""
_TITLE_LIMIT: Final = 1000
_NAME_LIMIT: Final = 200


def catalyst_section(news: Sequence[Announcement], last_trade: date, as_of: date, bars_from: str) -> dict[str, Any]:
    """What the catalyst detective is told.

    Args:
        news: announcements, the earliest first; the latest are taken.
        last_trade: the last day with a trade.
        as_of: the dossier's day.
        bars_from: who gave the bars.
    """
    events = [_event(one) for one in reversed(news[-MOST_NEWS:])]
    if (as_of - last_trade).days > LONGEST_HOLIDAY:
        text = f"最近一个有成交的交易日为 {last_trade}，至 {as_of} 再无成交记录（停牌或退市）；价格与指标均截至该日。"
        events.insert(0, {"text": text, "source": bars_from, "published": as_of})
    return {"company_events": events} if events else {}


def _event(announcement: Announcement) -> dict[str, Any]:
    url = announcement.url
    return {
        "text": announcement.title[:_TITLE_LIMIT],
        "source": announcement.source[:_NAME_LIMIT],
        "published": announcement.published,
        "url": url if url and len(url) <= _NAME_LIMIT and url.startswith(("https://", "http://")) else None,
    }
