"""The repair rates that Prometheus is told are those of the store, and a store that is away keeps nothing back."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from src.entrypoints.http.metrics import MOST_AGENTS, RepairRateGauge, store_rates
from src.entrypoints.http.pools import KEPT_SECONDS, KEPT_TIMES, MOST_KEPT, StoreAnswers, ThreadPool
from src.modules.monitoring.container import read_rates
from src.modules.monitoring.domain.exceptions import StoreUnavailableError
from src.modules.monitoring.domain.rate import Rate
from src.modules.monitoring.infrastructure.store.read_rates import ReadRates
from src.shared.domain.language import Message
from src.shared.domain.repair_rate import MINIMUM, RepairRate
from tests.entrypoints.http.clients import client
from tests.entrypoints.http.page.served import made, store_of
from tests.modules.monitoring.stored import At

NAME = "llm_output_repair_rate"


def told(text: str) -> dict[str, float]:
    """The rates by agent."""
    families = text_string_to_metric_families(text)
    return {one.labels["agent"]: one.value for family in families for one in family.samples if one.name == NAME}


def test_rates_are_those_that_the_store_has_of_agents_with_texts_enough_for_a_threshold(tmp_path: Path) -> None:
    url = store_of(tmp_path, made(2 * MINIMUM - 1))
    with client(tmp_path / "outcomes.db") as asking:
        found = told(asking.get("/metrics").text)

    few, enough = sorted(read_rates(url).by_agent(), key=lambda rate: rate.texts.parses)
    assert (few.texts.parses, found) == (MINIMUM - 1, {enough.name: enough.texts.repair_rate})


@pytest.mark.parametrize(
    ("rates", "shown"),
    [
        ([Rate("a", RepairRate(124, 12, re_asked=24))], [("a", 0.12)]),
        ([Rate("few", RepairRate(2 * MINIMUM - 2, 1, re_asked=MINIMUM - 1))], []),
        (
            [Rate(f"a{asked}", RepairRate(1_000, asked)) for asked in range(MOST_AGENTS + 1)],
            [(f"a{asked}", asked / 1_000) for asked in range(MOST_AGENTS, 0, -1)],
        ),
    ],
    ids=["outputs, not their re-asks", "too few outputs", "the highest of very many"],
)
def test_rates_are_told_of_outputs_and_only_the_highest_of_those_that_have_enough(
    rates: list[Rate], shown: list[tuple[str, float]]
) -> None:
    (family,) = RepairRateGauge(rates).collect()

    assert [(one.labels["agent"], one.value) for one in family.samples] == shown


def test_store_that_is_away_leaves_the_other_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        name = "store"
        raise StoreUnavailableError(name, Message("坏", "broken"))

    monkeypatch.setattr(ReadRates, "by_agent", fail)
    with client(tmp_path / "outcomes.db") as asking:
        answer = asking.get("/metrics")

    assert answer.status_code == 200
    assert "llm_output_store_waiting 0.0" in answer.text
    assert NAME not in answer.text


class Asked(ReadRates):
    """A store that answers when it is let."""

    def __init__(self, *, may_answer: bool = True) -> None:
        self.times, self.may_answer = 0, threading.Event()
        if may_answer:
            self.may_answer.set()

    def by_agent(self, *_: object) -> tuple[Rate, ...]:
        self.times += 1
        assert self.may_answer.wait(5)
        return (Rate("a", RepairRate(parses=100, asked=7)),)


def test_store_that_hangs_is_asked_once_and_waited_for_no_longer_than_said() -> None:
    async def asking() -> list[bytes]:
        answers = StoreAnswers(ThreadPool(1, 5))
        before = [await store_rates(store, answers, 0.01) for _ in range(2)]
        store.may_answer.set()
        while not (now := await store_rates(store, answers)):
            pass
        return [*before, now]

    store = Asked(may_answer=False)
    first, second, last = asyncio.run(asking())

    assert (first, second) == (b"", b"")
    assert told(last.decode()) == {"a": 0.07}
    assert store.times == 1


@pytest.mark.parametrize(
    ("took", "later", "times"), [(0, KEPT_SECONDS - 1, 1), (0, KEPT_SECONDS, 2), (2, 2 * KEPT_TIMES - 1, 1)]
)
def test_answer_is_kept_for_a_while_and_longer_where_it_took_long(took: int, later: float, times: int) -> None:
    async def asking() -> None:
        clock = At(0)
        answers = StoreAnswers(ThreadPool(1, 5), clock)

        def question() -> tuple[Rate, ...]:
            clock.now += took
            return store.by_agent()

        await answers.ask("key", question)
        clock.now += later  # type: ignore[assignment]  # seconds
        await answers.ask("key", question)

    store = Asked()
    asyncio.run(asking())
    assert store.times == times


def test_answers_to_many_questions_are_bounded_and_the_oldest_is_asked_again() -> None:
    async def asking() -> None:
        answers = StoreAnswers(ThreadPool(1, 5))
        for key in [*range(MOST_KEPT + 1), MOST_KEPT, 0]:
            await answers.ask(key, store.by_agent)

    store = Asked()
    asyncio.run(asking())
    assert store.times == MOST_KEPT + 2
