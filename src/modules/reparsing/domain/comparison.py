"""An old parser beside the new one: for each text, whether they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

MOST_NAMES = 200
"""Most agents, models, reasons or paths that are counted by name; those that come later count together."""
OTHERS = "…"
"""The name under which they do."""


def known(name: str, names: dict[str, Any]) -> str:
    """The name under which something is counted: its own, as long as there are not too many."""
    return name if name in names or len(names) < MOST_NAMES else OTHERS


def well_formed(text: str) -> str:
    """A text that can be written as UTF-8: half of a surrogate pair is told as its escape."""
    return text if text.isascii() else text.encode("utf-8", errors="backslashreplace").decode("utf-8")


EXAMPLES = 5
"""How many texts of a class are kept as examples."""
PATHS = 20
"""Most differing paths that are told of one text."""
EXCERPT_LIMIT = 800
"""Most characters of an example's text and of each of its readings."""
VALUES_SHOWN = 5
"""Most differing paths of an example that are shown with their two values."""
VALUE_LIMIT = 200
"""Most characters of such a value."""
ERROR_LIMIT = 300
"""Most characters of an old parser's error."""


class Agreement(StrEnum):
    """What the two parsers make of one text."""

    EQUAL = "equal"
    """Both read it, and the same."""
    ONLY_NEW = "only_new"
    """The new one reads it, the old one does not."""
    ONLY_OLD = "only_old"
    """The old one reads it, the new one does not."""
    DIFFERENT = "different"
    """Both read it, and not the same."""
    NEITHER = "neither"
    """Neither reads it."""


class OldAnswer(NamedTuple):
    """What the old parser made of a text.

    Attributes:
        data: what it returned, as JSON types; None where it returned none, which counts as not read.
        error: its exception's class and message, or how its process ended; empty where it returned something.
    """

    data: Any = None
    error: str = ""

    @property
    def is_read(self) -> bool:
        """Whether it read the text."""
        return not self.error and self.data is not None


class Compared(NamedTuple):
    """A text by what the two parsers made of it: where they differ, and why the old one gave up."""

    place: str
    id: str
    agreement: Agreement
    paths: tuple[str, ...] = ()
    old_error: str = ""


class DifferingValue(NamedTuple):
    """The two values at a differing path as JSON, cut; empty on the side that has none."""

    path: str
    old: str
    new: str


class ComparedExample(NamedTuple):
    """A text with both readings, cut to what a page can show.

    Attributes:
        compared: which text, and what became of it.
        text: the text.
        old, new: the readings as JSON; empty where there is none.
        values: the first differing paths with their values.
        new_error: why the new one refused the text; empty where it did not. The old one's reason is in `compared`.
    """

    compared: Compared
    text: str
    old: str
    new: str
    values: tuple[DifferingValue, ...] = ()
    new_error: str = ""


@dataclass(slots=True)
class Comparison:
    """What two parsers make of some texts.

    Attributes:
        classes: texts by `Agreement`.
        by_agent: the same by agent; texts without one are not in there.
        paths: texts by differing path, each text once a path; `[*]` stands for every item of a list.
        examples: the first texts of each class.
    """

    classes: Counter[str] = field(default_factory=Counter)
    by_agent: dict[str, Counter[str]] = field(default_factory=dict)
    paths: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[ComparedExample]] = field(default_factory=dict)

    def count(
        self,
        agreement: Agreement,
        agent: str | None,
        paths: Iterable[str],
        example: Callable[[], ComparedExample],
    ) -> None:
        """Count one text.

        Args:
            agreement: its class.
            agent: whose it is.
            paths: where its readings differ, without the numbers of items.
            example: makes an example of it, where one is wanted.
        """
        self.classes[agreement.value] += 1
        self.paths.update(dict.fromkeys(paths, 1))
        if agent is not None:
            self.by_agent.setdefault(agent, Counter())[agreement.value] += 1
        kept = self.examples.setdefault(agreement.value, [])
        if len(kept) < EXAMPLES:
            kept.append(example())

    def add(self, other: Comparison) -> None:
        """Count those of another as well; its texts come behind the ones counted so far."""
        self.classes.update(other.classes)
        for path, count in other.paths.items():
            self.paths[known(path, self.paths)] += count
        for agent, classes in other.by_agent.items():
            self.by_agent.setdefault(known(agent, self.by_agent), Counter()).update(classes)
        for name, examples in other.examples.items():
            kept = self.examples.setdefault(name, [])
            kept += examples[: EXAMPLES - len(kept)]
