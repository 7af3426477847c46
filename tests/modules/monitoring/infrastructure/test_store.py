"""What is written is counted: every number equals a count over the raw outcomes. On SQLite and Postgres."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from src.modules.monitoring.domain.rate import DAY, SECOND, Point, Rate, RateQuery, Window
from src.modules.monitoring.infrastructure.store.connection import Store
from src.modules.monitoring.infrastructure.store.outcome_writer import OutcomeWriter
from src.modules.monitoring.infrastructure.store.read_rates import MOST_POINTS, NAMES_AT_ONCE, ReadRates
from src.shared.domain.outcome import Outcome
from src.shared.domain.ports.events import ParseOutcome
from src.shared.domain.repair_rate import RepairRate, aggregate
from tests.modules.monitoring.conftest import empty_store
from tests.modules.monitoring.stored import START, At, fill, made, numbered

OUTCOMES = made(600)
END = OUTCOMES[-1].at
WINDOWS = [Window.of(written) for written in ("200", "7", "100000", "100s", "5m", "20,5m")]


def reader(url: str, at: int = END) -> ReadRates:
    return ReadRates(Store(url), At(at))


def windowed(window: Window, outcomes: list[Outcome], until: int = END) -> list[Outcome]:
    """The outcomes of a window by the plainest choosing there is."""
    inside = [one for one in outcomes if window.since(until) < one.at <= until]
    return inside[-window.texts :] if window.texts else inside


def counted(name: str, outcomes: list[Outcome]) -> Rate:
    return Rate(name, aggregate(outcomes), max(one.at for one in outcomes))


def by(window: Window, name_of: Callable[[Outcome], str]) -> tuple[Rate, ...]:
    groups = {
        name: windowed(window, [one for one in OUTCOMES if name_of(one) == name]) for name in map(name_of, OUTCOMES)
    }
    return tuple(counted(name, found) for name, found in sorted(groups.items()) if name and found)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store to read from."""
    url = empty_store(request, tmp_path_factory.mktemp("filled"))
    fill(url, OUTCOMES)
    return url


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_rates_and_shares_are_counts_over_the_outcomes(filled: str, window: Window) -> None:
    """Also of those that came from no model: they are in no model's rate."""
    reading, query, inside = reader(filled), RateQuery(window), windowed(window, OUTCOMES)
    assert reading.by_agent(query) == by(window, lambda one: one.agent)
    assert reading.by_model(query) == by(window, lambda one: one.model)
    assert reading.total(query) == counted("", inside)
    stages = Counter(one.stage for one in inside if one.is_refused)
    kinds = Counter(kind for one in inside for kind in one.kinds)
    for shares, counts in ((reading.by_stage(query), stages), (reading.by_kind(query), kinds)):
        assert {share.name: share.texts for share in shares} == dict(counts)
        assert {share.parses for share in shares} == {len(inside)}
        assert list(shares) == sorted(shares, key=lambda share: (-share.texts, share.name))


def test_question_may_be_about_one_agent_and_one_model(filled: str) -> None:
    query = RateQuery(Window(50), agent="A", model="m1")
    some = [one for one in OUTCOMES if (one.agent, one.model) == ("A", "m1")]
    assert reader(filled).total(query) == counted("", windowed(query.window, some))
    assert [rate.name for rate in reader(filled).by_agent(query)] == ["A"]


def test_window_may_end_earlier(filled: str) -> None:
    query = RateQuery(Window(100), until=START + 300 * SECOND)
    assert reader(filled).total(query) == counted("", windowed(query.window, OUTCOMES, START + 300 * SECOND))


def test_series_adds_up_to_the_outcomes(filled: str) -> None:
    points = reader(filled).series(RateQuery(Window.of("10m")), 60)
    assert [point.at for point in points] == sorted({point.at // (60 * SECOND) * 60 * SECOND for point in points})
    inside = [one for one in OUTCOMES if one.at > END - 600 * SECOND]
    steps = [aggregate([one for one in inside if 0 <= one.at - point.at < 60 * SECOND]) for point in points]
    numbers = ("parses", "asked", "repaired", "model_repaired", "refused", "re_asked", "repair_rate")
    for point, step in zip(points, steps, strict=True):
        assert [getattr(point, name) for name in numbers] == [getattr(step, name) for name in numbers]
    assert sum(point.parses for point in points) == len(inside)


def test_steps_without_a_text_are_left_out(url: str) -> None:
    fill(url, [Outcome(START, "a", ParseOutcome.CLEAN), Outcome(START + 100 * SECOND, "a", ParseOutcome.CLEAN)])
    points = reader(url, START + 100 * SECOND).series(RateQuery(Window(None, 200)), 10)
    assert points == (Point(1, at=START), Point(1, at=START + 100 * SECOND))


@pytest.mark.parametrize(("window", "step"), [("200", 60), ("1h", 0), (f"{MOST_POINTS + 1}s", 1)])
def test_series_needs_a_time_and_a_bounded_number_of_steps(sqlite_url: str, window: str, step: int) -> None:
    with pytest.raises(ValueError, match="a series needs a window with a time"):
        reader(sqlite_url).series(RateQuery(Window.of(window)), step)


def test_newest_refusals_come_first_with_their_damage(filled: str) -> None:
    refused = [one for one in reversed(OUTCOMES) if one.is_refused]
    assert list(reader(filled).refusals(RateQuery(), 20)) == refused[:20]
    assert {one.agent for one in reader(filled).refusals(RateQuery(agent="B"))} == {"B"}


def test_facts_say_how_much_there_is(filled: str) -> None:
    assert reader(filled).facts() == (START, END, 1, 0)


def test_window_without_a_text_has_no_rates(url: str) -> None:
    fill(url, [Outcome(START + 5, "a", ParseOutcome.CLEAN)])
    before = reader(url, START)
    assert (before.by_agent(), before.by_kind(), before.refusals()) == ((), (), ())
    assert before.total() == Rate("", RepairRate())


def test_more_agents_than_one_statement_takes_are_counted(url: str) -> None:
    names = [f"agent {number:03}" for number in range(NAMES_AT_ONCE * 2 + 1)]
    fill(url, [Outcome(START, name, ParseOutcome.CLEAN) for name in names])
    assert [rate.name for rate in reader(url).by_agent()] == names


def test_same_batch_again_changes_nothing_and_writers_do_not_mix(url: str) -> None:
    writer, batch = OutcomeWriter(Store(url)), numbered(made(20))
    for _ in range(2):
        writer.write(batch)
    fill(url, made(30, seed=2))
    assert (reader(url).total().texts.parses, reader(url).facts().writers) == (50, 2)


def test_later_batch_changes_an_outcome(url: str) -> None:
    writer, one = OutcomeWriter(Store(url)), Outcome(START, "a", ParseOutcome.REFUSED, stage="extract", number=1)
    writer.write([one])
    one.outcome, one.stage, one.asked, one.damage = ParseOutcome.MODEL_REPAIRED, "", True, ("comma",)
    one.kinds, one.repair_code = {"trailing_comma": 1}, ""
    writer.write([one])
    assert reader(url).total() == counted("", [one])


def test_dropped_outcomes_are_counted_in_the_store(url: str) -> None:
    writer = OutcomeWriter(Store(url))
    for number, writer.dropped in enumerate((0, 3, 5), 1):
        writer.write([Outcome(START, "a", ParseOutcome.CLEAN, number=number)])
    assert reader(url).facts().dropped == 5


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "裁" * 5_000, "'; DROP TABLE llm_outcome; --", "%s {} \\"])
def test_hostile_names_and_texts_are_stored(url: str, name: str) -> None:
    one = Outcome(START, name, ParseOutcome.REFUSED, name, name, 10**6, name, damage=(name,), repair_code=name)
    one.length, one.text = 10**9, name
    fill(url, [one])
    (found,) = reader(url).refusals()
    assert found.length == 10**9
    assert found.text == name.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    assert [rate.name for rate in reader(url).by_agent()] == [found.agent]


def test_old_outcomes_are_removed_and_the_others_stay(url: str) -> None:
    old = [Outcome(START + number, "a", ParseOutcome.CLEAN, kinds={"trailing_comma": 1}) for number in range(4_500)]
    clock = At(START)
    writer = OutcomeWriter(Store(url), days=2, clock=clock)
    writer.write(numbered(old))
    clock.now = START + 3 * DAY
    writer.write([Outcome(clock.now, "b", ParseOutcome.CLEAN, number=4_501)])
    everything = RateQuery(Window(None, 10 * 86_400))
    assert [rate.name for rate in reader(url, clock.now).by_agent(everything)] == ["b"]
    assert reader(url, clock.now).by_kind(everything) == ()


@pytest.mark.parametrize(("days", "oldest"), [(1, START - DAY + 1), (0, 1)])
def test_old_outcomes_are_looked_for_once_an_hour_and_only_where_that_is_asked_for(
    url: str, days: int, oldest: int
) -> None:
    clock = At(START)
    writer = OutcomeWriter(Store(url), days=days, clock=clock)
    writer.write([Outcome(oldest, "a", ParseOutcome.CLEAN, number=1)])
    clock.now += 1_800 * SECOND
    writer.write([Outcome(START, "b", ParseOutcome.CLEAN, number=2)])
    assert reader(url).facts().oldest == oldest
