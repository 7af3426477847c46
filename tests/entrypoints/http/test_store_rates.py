"""The repair rates that Prometheus is told are those of the store, and a store that is away keeps nothing back."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from src.entrypoints.http.metrics import MOST_AGENTS, RepairRateGauge, StoreRates
from src.entrypoints.http.pools import ThreadPool
from src.modules.monitoring.container import read_rates
from src.modules.monitoring.domain.exceptions import StoreUnavailableError
from src.modules.monitoring.domain.rate import Rate
from src.modules.monitoring.infrastructure.store.read_rates import ReadRates
from src.shared.domain.language import Message
from src.shared.domain.repair_rate import MINIMUM, RepairRate
from tests.entrypoints.http.clients import client
from tests.entrypoints.http.page.served import made, store_of

NAME = "llm_output_repair_rate"


def told(text: str) -> dict[str, float]:
    """The rates by agent."""
    families = text_string_to_metric_families(text)
    return {one.labels["agent"]: one.value for family in families for one in family.samples if one.name == NAME}


def test_rates_are_those_that_the_store_has(tmp_path: Path) -> None:
    url = store_of(tmp_path, made())
    with client(tmp_path / "outcomes.db") as asking:
        found = told(asking.get("/metrics").text)

    assert found == {rate.name: rate.texts.repair_rate for rate in read_rates(url).by_agent()}
    assert found["裁决"] == 0.2


def test_rate_counts_outputs_and_not_their_re_asks() -> None:
    rates = [
        Rate("a", RepairRate(124, 12, re_asked=24)),
        Rate("few", RepairRate(2 * MINIMUM - 2, 1, re_asked=MINIMUM - 1)),
    ]
    (family,) = RepairRateGauge(rates).collect()

    assert [(one.labels["agent"], one.value) for one in family.samples] == [("a", 0.12)]


def test_agent_with_too_few_texts_for_a_threshold_has_none(tmp_path: Path) -> None:
    store_of(tmp_path, made(2 * MINIMUM - 1))
    with client(tmp_path / "outcomes.db") as asking:
        assert list(told(asking.get("/metrics").text)) == ["技术分析师"]


def test_only_the_highest_of_very_many_agents_are_told() -> None:
    rates = [Rate(f"a{asked}", RepairRate(parses=1_000, asked=asked)) for asked in range(MOST_AGENTS + 1)]
    (family,) = RepairRateGauge(rates).collect()

    assert [one.value for one in family.samples] == [asked / 1_000 for asked in range(MOST_AGENTS, 0, -1)]


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

    def __init__(self) -> None:
        self.times, self.may_answer = 0, threading.Event()

    def by_agent(self, *_: object) -> tuple[Rate, ...]:
        self.times += 1
        assert self.may_answer.wait(5)
        return (Rate("a", RepairRate(parses=100, asked=7)),)


def test_store_that_hangs_is_asked_once_and_waited_for_no_longer_than_said() -> None:
    async def asking() -> list[bytes]:
        rates = StoreRates(store, ThreadPool(1, 5), patience=0.01)
        before = [await rates.text(), await rates.text()]
        store.may_answer.set()
        while not (now := await rates.text()):
            pass
        return [*before, now]

    store = Asked()
    first, second, last = asyncio.run(asking())

    assert (first, second) == (b"", b"")
    assert told(last.decode()) == {"a": 0.07}
    assert store.times == 1


@pytest.mark.parametrize(("fresh", "times"), [(60, 1), (0, 2)])
def test_answer_is_given_again_while_it_is_fresh(fresh: float, times: int) -> None:
    async def asking() -> set[bytes]:
        rates = StoreRates(store, ThreadPool(1, 5), fresh=fresh)
        return {await rates.text(), await rates.text()}

    store = Asked()
    store.may_answer.set()

    assert len(asyncio.run(asking())) == 1
    assert store.times == times
