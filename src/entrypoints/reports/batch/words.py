"""The words and numbers of a run: outcomes, shares of them, and what comes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from src.entrypoints.reports.words import problem_word, said, word_of
from src.modules.reparsing.domain.comparison import OTHERS, Agreement
from src.modules.reparsing.domain.outcome import INPUT_STAGE, OUTPUT_STAGE, WORKER_STAGE
from src.modules.reparsing.domain.tally import Tally
from src.shared.domain.grade import Grade
from src.shared.domain.language import Language, Phrase
from src.shared.domain.parse_reasons import ACCEPT, TIMEOUT

STAGES: Final = {
    "empty": Phrase("empty text"),
    "think": Phrase("blocks of reasoning"),
    "fence": Phrase("fenced blocks"),
    "control_chars": Phrase("control characters"),
    "strict": Phrase("stage|strict JSON"),
    "extract": Phrase("finding the object"),
    "repair": Phrase("repairing"),
    "root": Phrase("the root"),
    "normalize": Phrase("normalizers"),
    "validate": Phrase("validating"),
    "tool_call": Phrase("a tool's call"),
    ACCEPT: Phrase("the grade"),
    TIMEOUT: Phrase("the time limit"),
    INPUT_STAGE: Phrase("the row of the input"),
    WORKER_STAGE: Phrase("the reading process"),
    OUTPUT_STAGE: Phrase("writing the value"),
}
"""Where a text may be refused: the stages in their order, and then the places beside them."""
AGREEMENTS: Final = {
    Agreement.EQUAL: Phrase("both read it, and the same"),
    Agreement.ONLY_NEW: Phrase("only the new one reads it"),
    Agreement.DIFFERENT: Phrase("both read it, and not the same"),
    Agreement.ONLY_OLD: Phrase("only the old one reads it"),
    Agreement.NEITHER: Phrase("neither reads it"),
}
"""The classes of a comparison, in the order in which they are told."""
GRADES: Final = {
    Grade.CLEAN: Phrase("the text is the JSON"),
    Grade.WRAPPED: Phrase("in other text"),
    Grade.LOSSLESS: Phrase("delimiters and escapes mended"),
    Grade.READ: Phrase("a spelling was read"),
    Grade.CHOSEN: Phrase("one reading of several"),
}
"""How sure a result is, the surest first."""
_OTHERS: Final = Phrase("all other names together")


def stage_word(stage: str) -> str:
    """What a stage is called; one that is not known here keeps its name."""
    return word_of(STAGES[stage]) if stage in STAGES else stage


def group_word(name: str) -> str:
    """The name of an agent, a model or a reason; of those that are counted together, that they are."""
    return word_of(_OTHERS) if name == OTHERS else name


def cause_word(reason: str, spoken: Language | None = None) -> str:
    """A reason in words: what is wrong with a field, where the reason has Pydantic's name for it."""
    path, _, kind = reason.rpartition(": ")
    return f"{path}: {problem_word(kind, spoken)}" if path.startswith("$") else group_word(reason)


class Refusals(NamedTuple):
    """Texts that were refused for one reason, and one of them; the stage is empty where many reasons count together."""

    stage: str
    reason: str
    texts: int
    example: dict[str, str]


def ranked(counts: Mapping[str, int], last: str | None = None) -> list[tuple[str, int]]:
    """Names and counts, the most frequent first, equally frequent ones by name; one name may come `last`."""
    return sorted(counts.items(), key=lambda row: (row[0] == last, -row[1], row[0]))


def groups_of(groups: Mapping[str, Counter[str]]) -> list[tuple[str, Counter[str]]]:
    """Names and counts, that of the most texts first, and those that count together last."""
    texts = {name: counts["texts"] or counts.total() for name, counts in groups.items()}
    return [(name, groups[name]) for name, _ in ranked(texts, last=OTHERS)]


def refusals_of(tally: Tally) -> list[Refusals]:
    """The reasons, the most frequent first, and those that count together last."""
    found = []
    for name, texts in ranked(tally.reasons, last=OTHERS):
        stage, _, reason = ("", "", name) if name == OTHERS else name.partition(": ")
        found.append(Refusals(stage, reason, texts, tally.examples[name]))
    return found


_UNITS = ("B", "KB", "MB", "GB", "TB", "PB")


def grouped(count: int) -> str:
    """A count with its thousands apart."""
    return f"{count:,}"


def share(count: int, whole: int) -> str:
    """So many of the whole in percent; of an empty whole, a dash.

    It is `0%` or `100%` only where it is exactly that: what would be rounded to one of them is `<0.1%` or `>99.9%`.
    """
    if not whole:
        return "–"
    if count in (0, whole):
        return "100%" if count else "0%"
    thousandths = (count * 1000 * 2 + whole) // (whole * 2)
    if thousandths == 0:
        return "<0.1%"
    if thousandths == 1000:  # noqa: PLR2004 - a thousand thousandths
        return ">99.9%"
    return f"{thousandths // 10}.{thousandths % 10}%"


def size(count: int) -> str:
    """So many bytes in the largest decimal unit of which there is one."""
    shown, unit = float(count), 0
    while shown >= (999.95 if unit else 1000) and unit < len(_UNITS) - 1:  # which would be shown as 1,000.0
        shown, unit = shown / 1000, unit + 1
    return f"{shown:,.1f} {_UNITS[unit]}" if unit else f"{count} B"


def duration(seconds: float) -> str:
    """Seconds, or thousandths of them where it is less than one."""
    if seconds >= 1:
        return f"{seconds:,.1f} {said('s')}"
    return f"{seconds * 1000:.3g} {said('ms')}"
