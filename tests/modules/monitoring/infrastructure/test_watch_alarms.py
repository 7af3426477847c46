"""Alarms over all processes: each once, whoever watches, and once to the webhook. On SQLite and Postgres."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable
from typing import Any

import pytest

from src.modules.monitoring.container import watch_alarms
from src.modules.monitoring.domain.alarm import AlarmEvent, AlarmKind
from src.modules.monitoring.domain.rate import DAY, SECOND
from src.modules.monitoring.infrastructure.store.connection import Store
from src.modules.monitoring.infrastructure.store.outcome_writer import prune
from src.modules.monitoring.infrastructure.store.watch_alarms import AGAIN, WatchAlarms
from src.modules.monitoring.infrastructure.webhook import HttpWebhook
from src.shared.domain.outcome import Outcome
from src.shared.domain.ports.events import ParseOutcome
from src.shared.domain.repair_rate import MINIMUM, RateLevel, RateScope
from tests.modules.monitoring.receiver import receiver
from tests.modules.monitoring.stored import START, At, Hook, fill, needing
from tests.processes import LIMIT
from tests.thorough import at_length

W, A, R = AlarmKind
STEP = 1_000
"""Moments from one part of a made stream to the next."""


def watcher(url: str, clock: At, hook: Hook | HttpWebhook | None = None) -> WatchAlarms:
    return WatchAlarms(Store(url), hook, clock=clock)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rates", "told"),
    [
        ((0.0, 0.04, 0.06, 0.07, 0.12, 0.15, 0.11, 0.045, 0.01, 0.0), [(W, 12), (A, 24), (R, 2)]),
        ((0.2, 0.0, 0.2), [(A, 40), (R, 0), (A, 40)]),
    ],
)
def test_stream_of_200_texts_of_each_rate_is_told_of_once_and_again_after_a_recovery(
    url: str, rates: tuple[float, ...], told: list[tuple[AlarmKind, int]]
) -> None:
    clock, found = At(START), []
    watch = watcher(url, clock)
    for rate in rates:
        clock.now += STEP
        fill(url, [*needing(rate, 200, clock.now - 200)])
        found += [(event.kind, event.asked) for event in watch.look()]
    assert found == told


def test_made_stream_reaches_the_webhook_once_though_it_failed_twice(url: str) -> None:
    """With a real receiver: the first event fails twice, and every event is taken exactly once."""
    clock = At(START)
    with receiver([503, 0]) as found:
        watch = watcher(url, clock, HttpWebhook(found.url, "secret"))
        for rate in (0.02, 0.06, 0.12, 0.01):
            clock.now += AGAIN * SECOND
            fill(url, [*needing(rate, 200, clock.now - 200)])
            watch.look()
            watch.deliver()
    assert [one.json["data"]["kind"] for one in found.taken] == ["warning", "alarm", "recovery"]
    assert [one.headers["webhook-id"] for one in found.received] == [*["alarm-1"] * 3, "alarm-2", "alarm-3"]


def test_enough_texts_are_an_alarm_and_fewer_are_none(url: str) -> None:
    clock = At(START + STEP)
    fill(url, [*needing(1.0, MINIMUM - 1, START)])
    assert watcher(url, clock).look() == ()
    fill(url, [*needing(1.0, 1, START)])
    (event,) = watcher(url, clock).look()
    assert (event.kind, event.scope, event.name, event.parses) == (A, RateScope.AGENT, "裁决", MINIMUM)
    assert (event.repair_rate, "above 10%" in event.message) == (1.0, True)


def test_agents_and_models_have_alarms_of_their_own(url: str) -> None:
    outcomes = [
        Outcome(START + n, f"agent {n % 2}", ParseOutcome.REFUSED, "m", asked=n % 2 == 0, damage=("comma",))
        for n in range(200)
    ]
    fill(url, outcomes)
    watch = watcher(url, At(START + STEP))
    assert [(event.scope, event.name) for event in watch.look()] == [
        (RateScope.AGENT, "agent 0"),
        (RateScope.MODEL, "m"),
    ]
    assert [(alarm.name, alarm.level) for alarm in watch.alarms()] == [
        ("agent 0", RateLevel.ALARM),
        ("m", RateLevel.ALARM),
    ]
    assert [event.name for event in watch.events(1)] == ["m"]


def look(url: str, found: Any) -> None:  # noqa: ANN401 - a queue of multiprocessing
    found.put(len(watch_alarms(url).look()))


def side_by_side(use: Callable[[], object]) -> None:
    """Six threads at once."""
    barrier = threading.Barrier(6)

    def one() -> None:
        barrier.wait(LIMIT)
        use()

    threads = [threading.Thread(target=one, daemon=True) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)


def test_watchers_side_by_side_tell_of_it_once_and_send_it_once(url: str) -> None:
    fill(url, [*needing(0.5, 200, START)])
    clock, hook = At(START + STEP), Hook()
    told: list[AlarmEvent] = []
    side_by_side(lambda: told.extend(watcher(url, clock).look()))
    assert [event.kind for event in told] == [A]
    side_by_side(lambda: watcher(url, clock, hook).deliver())
    assert hook.taken == told


@pytest.mark.parametrize("url", at_length(["sqlite"], ["sqlite", "postgres"]), indirect=True)
def test_watchers_in_several_processes_tell_of_it_once(url: str) -> None:
    """To Postgres the watchers side by side have a connection each as well; `THOROUGH=1` asks in processes too."""
    fill(url, [*needing(0.5, 200, START - 365 * DAY)])
    context: Any = multiprocessing.get_context("spawn")
    counts = context.Queue()
    processes = [context.Process(target=look, args=(url, counts), daemon=True) for _ in range(2)]
    for process in processes:
        process.start()
    assert sum(counts.get(timeout=60) for _ in processes) == 1
    for process in processes:
        process.join(LIMIT)


def alarmed(url: str, hook: Hook | None = None) -> tuple[WatchAlarms, At]:
    """A watcher that has noticed one alarm."""
    clock = At(START + STEP)
    fill(url, [*needing(0.5, 200, START)])
    watch = watcher(url, clock, hook)
    watch.look()
    return watch, clock


def test_event_that_was_taken_is_not_sent_again(url: str) -> None:
    hook = Hook()
    watch, clock = alarmed(url, hook)
    for _ in range(3):
        assert (watch.deliver(), watcher(url, clock, hook).deliver()) == (None, None)
        clock.now += DAY // 2
    assert [event.kind for event in hook.taken] == [A]


def test_event_that_was_not_taken_is_sent_again_after_a_while(url: str) -> None:
    hook = Hook(failures=2)
    watch, clock = alarmed(url, hook)
    for _ in range(2):
        assert (watch.deliver() is None, watch.deliver()) == (False, None)
        clock.now += AGAIN * SECOND
    assert (watch.deliver(), hook.failures, [event.kind for event in hook.taken]) == (None, 0, [A])


def test_later_event_waits_for_the_one_before(url: str) -> None:
    hook = Hook(failures=1)
    watch, clock = alarmed(url, hook)
    watch.deliver()
    clock.now += STEP
    fill(url, [*needing(0.0, 200, clock.now - 200)])
    assert [event.kind for event in watch.look()] == [R]
    watch.deliver()
    assert hook.taken == []
    clock.now += AGAIN * SECOND
    watch.deliver()
    assert [event.kind for event in hook.taken] == [A, R]


class Dying(Hook):
    """A webhook whose watcher dies while it sends."""

    def send(self, event: AlarmEvent) -> None:
        del event
        raise KeyboardInterrupt


def test_event_that_one_watcher_sends_is_left_to_it(url: str) -> None:
    """Where that watcher dies, it is anybody's after a while."""
    hook = Hook()
    watch, clock = alarmed(url, Dying())
    with pytest.raises(KeyboardInterrupt):
        watch.deliver()
    for taken in (0, 1):
        watcher(url, clock, hook).deliver()
        assert len(hook.taken) == taken
        clock.now += AGAIN * SECOND


def test_event_is_given_up_after_a_day(url: str) -> None:
    hook = Hook(failures=1)
    watch, clock = alarmed(url, hook)
    watch.deliver()
    clock.now += DAY
    watch.deliver()
    assert hook.taken == []


def test_webhook_gets_what_was_noticed_without_one(url: str) -> None:
    hook = Hook()
    watch, clock = alarmed(url)
    assert watch.deliver() is None
    clock.now += SECOND
    watcher(url, clock, hook).deliver()
    assert len(hook.taken) == 1


def test_old_events_are_removed_and_the_state_stays(url: str) -> None:
    watch, clock = alarmed(url)
    prune(Store(url), clock.now + DAY)
    assert (watch.events(9), [alarm.level for alarm in watch.alarms()]) == ((), [RateLevel.ALARM])
