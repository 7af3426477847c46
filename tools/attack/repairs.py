"""The attack with repairs: damaged texts with lies, which the repair agent must not believe, and honest answers."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import NamedTuple

from src.shared.application.repair_agent.agent import RepairAgent, is_repairable
from src.shared.domain.exceptions import AppException, LLMJsonParseError
from src.shared.infrastructure.events.fan_out import FanOut
from src.shared.infrastructure.parsing.inspection import read_object
from tools.attack.budget import Budget
from tools.attack.calls import OneReply
from tools.attack.damaged import Damaged, damaged_text
from tools.attack.damages import BY_NAME, KINDS
from tools.attack.damages.places import Damage
from tools.attack.documents import Document
from tools.attack.lies import lies
from tools.attack.pieces import LAYOUTS, join, write
from tools.attack.tables import example, table

LIES = 50
"""Lies about one text."""
HONEST = 10
"""Honest answers to one text, in several layouts."""
_TRIES = 40
_TWO = 0.7
"""Share of the texts with surplus punctuation besides their damage: alone, most damages are read by the parser."""
_COLUMNS = ("texts", "lies", "lies believed", "honest", "honest accepted")
_BACKSLASHES, _ENTITIES = re.compile(r"\\\\"), re.compile(r"&#?\w+;|<br")
ONE_READING: dict[str, re.Pattern[str] | None] = {
    **dict.fromkeys(("semicolon after a value", "semicolons for commas", "colon doubled", "arrow for a colon")),
    **dict.fromkeys(("stray colon", "bold keys", "bold value", "bullets before members", "comment of HTML")),
    **dict.fromkeys(("cells of a table", "control character between members")),
    **dict.fromkeys(("brackets escaped", "line ends between members escaped"), _BACKSLASHES),
    **dict.fromkeys(("line breaks of HTML", "spaces of HTML", "quotes as entities in one place"), _ENTITIES),
}
"""Damages by surplus punctuation → what, written as JSON, the document must not hold: it would have two readings."""


class Case(NamedTuple):
    """A damaged text that the agent is asked about.

    Attributes:
        damaged: the text and its document.
        error: the parser's error about it.
    """

    damaged: Damaged
    error: LLMJsonParseError

    @property
    def kind(self) -> str:
        """What the table counts it for."""
        return self.damaged.kinds[0]


Believes = Callable[[Case, str], bool]
"""Whether the agent takes an answer to a damaged text."""


def believes(case: Case, answer: str) -> bool:
    """Ask the repair agent with a model that gives this answer."""
    agent = RepairAgent(OneReply(answer, "stop"), FanOut(), read_object)
    try:
        asyncio.run(agent.repair(case.damaged.text, case.error, finished=True))
    except AppException:
        return False
    return True


@dataclass(slots=True)
class RepairReport:
    """Counts for (kind, column), and the shortest text with a lie that was believed, by the kinds of both."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    believed: dict[tuple[str, str], tuple[Damaged, Document]] = field(default_factory=dict)

    @property
    def broken(self) -> bool:
        """Whether a lie was believed."""
        return bool(self.believed)

    def add_text(self, case: Case) -> None:
        """Count a text."""
        self.counts[case.kind, "texts"] += 1

    def add_lie(self, case: Case, lie: str, answer: Document, *, taken: bool) -> None:
        """Count a lie."""
        self.counts[case.kind, "lies"] += 1
        self.counts[case.kind, "lies believed"] += taken
        if taken:
            found, key = (case.damaged, answer), (case.kind, lie)
            self.believed[key] = min(found, self.believed.get(key, found), key=lambda each: len(each[0].text))

    def add_honest(self, case: Case, *, taken: bool) -> None:
        """Count an honest answer to a text with one reading."""
        self.counts[case.kind, "honest"] += 1
        self.counts[case.kind, "honest accepted"] += taken

    def text(self) -> str:
        """Write the table and the examples."""
        kinds = [damage.kind for damage in KINDS if self.counts[damage.kind, "texts"]]
        rows = [[kind, *(self.counts[kind, column] for column in _COLUMNS)] for kind in kinds]
        total = ["all", *(sum(self.counts[kind, column] for kind in kinds) for column in _COLUMNS)]
        note = "lies believed: must be 0; honest: answers to texts that surplus punctuation alone has damaged."
        examples = [
            example(f"{kind}: {lie}", text=damaged.text, document=damaged.document, believed=answer)
            for (kind, lie), (damaged, answer) in self.believed.items()
        ]
        return "\n\n".join([table(("kind", *_COLUMNS), [*rows, total]), note, *examples])


def attack(budget: Budget, seed: int, agent: Believes = believes) -> RepairReport:
    """Answer damaged texts until so many answers are given: every damage in turn, with surplus punctuation between."""
    report = RepairReport()
    answers = _answers(report, seed)
    for _ in budget.turns(seed):
        case, lie, answer = next(answers)
        if lie is None:
            report.add_honest(case, taken=agent(case, answer))
        else:
            report.add_lie(case, lie, json.loads(answer), taken=agent(case, answer))
    return report


def _answers(report: RepairReport, seed: int) -> Iterator[tuple[Case, str | None, str]]:
    """Texts with the answers to each, without end: the text, the kind of the lie or None, and the answer."""
    order = Random(seed)
    kinds = order.sample(KINDS, len(KINDS))
    surplus = order.sample([BY_NAME[kind] for kind in ONE_READING], len(ONE_READING))
    for number in count():
        rng, has_one_reading = Random(f"{seed}/{number}"), number % 2 == 0
        damages = surplus if has_one_reading else kinds
        case = any_case(rng, damages[number // 2 % len(damages)], has_one_reading=has_one_reading)
        if case is None:
            continue
        report.add_text(case)
        document = case.damaged.document
        if has_one_reading:
            yield from ((case, None, join(write(document, LAYOUTS[at % len(LAYOUTS)]))) for at in range(HONEST))
        for kind, lie in lies(rng, document, case.damaged.text, LIES):
            yield case, kind, json.dumps(lie, ensure_ascii=False)


def any_case(rng: Random, first: Damage, *, has_one_reading: bool) -> Case | None:
    """Make a text with a damage, and often with surplus punctuation besides, that the agent is asked about."""
    for _ in range(_TRIES):
        second = BY_NAME[rng.choice(list(ONE_READING))]
        damages = (first, second) if rng.random() < _TWO and first is not second else (first,)
        damaged = damaged_text(rng, *damages)
        if damaged is None or damaged.plain or (has_one_reading and _may_be_read_otherwise(damaged)):
            continue
        error = refusal(damaged.text)
        if error is not None and is_repairable(damaged.text, error):
            return Case(damaged, error)
    return None


def _may_be_read_otherwise(damaged: Damaged) -> bool:
    written = json.dumps(damaged.document, ensure_ascii=False)
    signs = (ONE_READING[kind] for kind in damaged.kinds)
    return any(sign is not None and sign.search(written) for sign in signs)


def refusal(text: str) -> LLMJsonParseError | None:
    """The parser's error about a text; None where it reads it."""
    try:
        read_object(text, finished=True)
    except LLMJsonParseError as error:
        return error
    return None
