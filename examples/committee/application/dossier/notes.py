"""Where a dossier's figures come from, of which day they are, and what could not be had."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from src.shared.domain.language import Message

TEXT_LIMIT = 2000
"""Most characters of a dossier's note."""

_UNITS = Message(
    "口径：价格前复权至末日，不含其后的分红；营业收入为营业总收入；净资产收益率按季度数年化",
    "prices are adjusted to the last day, without later dividends; revenue is total operating revenue; "
    "the return on equity is annualised by quarters",
)


@dataclass
class Notes:
    """What is collected while a dossier is made.

    Attributes:
        sources: one line for each answer that was used.
        gaps: one line for each that is missing, with the reason.
    """

    sources: list[Message] = field(default_factory=list)
    gaps: list[Message] = field(default_factory=list)

    def used(self, what: Message, source: str, last: date, rows: int) -> None:
        """Note an answer: what it is, who gave it, its newest day, how many rows."""
        self.sources.append(
            Message(f"{what.zh}：{source}，至 {last}，{rows} 条", f"{what.en}: {source}, to {last}, rows: {rows}")
        )

    def missing(self, what: Message, why: Message) -> None:
        """Note what could not be had."""
        self.gaps.append(Message(f"{what.zh}：{why.zh}", f"{what.en}: {why.en}"))

    def text(self) -> str:
        """All of it, cut to what a note may hold; in Chinese unless English is asked for."""
        lines = [_UNITS, Message("来源：", "sources:"), *map(_item, self.sources)]
        lines += [Message("未取得：", "not to be had:"), *map(_item, self.gaps)] if self.gaps else []
        text = "\n".join(Message(line.zh, line.en, line.zh).text() for line in lines)
        return text if len(text) <= TEXT_LIMIT else f"{text[: TEXT_LIMIT - 1]}…"


def _item(line: Message) -> Message:
    return Message(f"- {line.zh}", f"- {line.en}")
