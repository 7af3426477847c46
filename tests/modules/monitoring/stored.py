"""Stores filled with made outcomes."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from src.modules.monitoring.domain.alarm import AlarmEvent
from src.modules.monitoring.domain.exceptions import WebhookError
from src.modules.monitoring.domain.rate import SECOND
from src.modules.monitoring.infrastructure.store.connection import Store
from src.modules.monitoring.infrastructure.store.outcome_writer import OutcomeWriter
from src.shared.domain.outcome import Outcome
from src.shared.domain.ports.events import ParseOutcome
from src.shared.domain.repair import RepairKind

START = 1_800_000_000 * SECOND
KINDS = (RepairKind.TRAILING_COMMA, RepairKind.SINGLE_QUOTE, RepairKind.SMART_QUOTE)


@dataclass
class At:
    """A clock that stands where it is put."""

    now: int = START

    def __call__(self) -> int:
        return self.now


@dataclass
class Hook:
    """A webhook that fails as often as it is told to."""

    failures: int = 0
    taken: list[AlarmEvent] = field(default_factory=list)

    def send(self, event: AlarmEvent) -> None:
        if self.failures:
            self.failures -= 1
            reason = "HTTP 503"
            raise WebhookError(reason)
        self.taken.append(event)


def fill(url: str, outcomes: Sequence[Outcome], batch: int = 500) -> None:
    """Write outcomes as one writer."""
    writer = OutcomeWriter(Store(url))
    rows = numbered(outcomes)
    for start in range(0, len(rows), batch):
        writer.write(rows[start : start + batch])
    writer.close()


def numbered(outcomes: Sequence[Outcome]) -> Sequence[Outcome]:
    """The same with the numbers that a writer gives them."""
    for number, one in enumerate(outcomes, 1):
        one.number = number
    return outcomes


def made(count: int, seed: int = 1) -> list[Outcome]:
    """Outcomes of three agents and two models, one a second."""
    chance = random.Random(seed)  # noqa: S311 - the same every time
    return [_made(chance, START + number * SECOND) for number in range(count)]


def _made(chance: random.Random, at: int) -> Outcome:
    outcome = chance.choice(list(ParseOutcome))
    one = Outcome(at, chance.choice("ABC"), outcome, chance.choice(["m1", "m2", ""]), attempt=chance.choice([1, 1, 2]))
    if outcome is ParseOutcome.REFUSED:
        one.stage = chance.choice(["extract", "validate"])
    elif outcome is not ParseOutcome.CLEAN:
        one.kinds = {kind.value: 2 for kind in chance.sample(KINDS, chance.choice([1, 2]))}
    one.asked = outcome is ParseOutcome.MODEL_REPAIRED or (outcome is ParseOutcome.REFUSED and chance.random() < 0.5)
    one.damage = (chance.choice(["comma", "quote"]),) if one.asked else ()
    one.length = chance.randrange(1_000)
    return one


def needing(rate: float, count: int, at: int) -> Iterable[Outcome]:
    """So many outcomes of an agent, evenly with as many questions of the repair agent as the rate says."""
    for number in range(count):
        is_asked = int((number + 1) * rate + 1e-9) > int(number * rate + 1e-9)
        outcome = ParseOutcome.MODEL_REPAIRED if is_asked else ParseOutcome.CLEAN
        yield Outcome(at + number, "裁决", outcome, asked=is_asked, damage=("comma",) if is_asked else ())
