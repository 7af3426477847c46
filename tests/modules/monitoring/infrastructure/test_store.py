"""What is written is counted: every number equals a count over the raw outcomes. On SQLite and Postgres."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from src.modules.monitoring.application import MOST_POINTS, ReadRates
from src.modules.monitoring.domain.outcome import Batch, Outcome
from src.modules.monitoring.domain.rate import SECOND, Point, Rate, RateQuery, Window
from src.modules.monitoring.infrastructure.store.connection import Store
from src.modules.monitoring.infrastructure.store.outcome_writer import OutcomeWriter
from src.modules.monitoring.infrastructure.store.rate_source import NAMES_AT_ONCE, StoredRates
from src.shared.domain.ports.events import ParseOutcome
from src.shared.domain.ports.repair_rates import RepairRate
from src.shared.domain.repair import RepairKind
from tests.modules.monitoring.conftest import empty_store
from tests.modules.monitoring.stored import START, At, fill, made

REPAIRED = {ParseOutcome.REPAIRED, ParseOutcome.MODEL_REPAIRED}
OUTCOMES = made(600)
END = OUTCOMES[-1].at
WINDOWS = ["200", "7", "100000", "100s", "5m", "20,5m"]


def reader(url: str, at: int = END) -> ReadRates:
    return ReadRates(StoredRates(Store(url)), At(at))


def counted(name: str, outcomes: list[Outcome]) -> Rate:
    """The rate by the plainest counting there is."""
    damage = Counter(reason for one in outcomes for reason in one.damage)
    kinds = Counter(kind for one in outcomes for kind in one.kinds)
    texts = RepairRate(
        parses=len(outcomes),
        asked=sum(one.asked for one in outcomes),
        repaired=sum(one.outcome in REPAIRED for one in outcomes),
        model_repaired=sum(one.outcome is ParseOutcome.MODEL_REPAIRED for one in outcomes),
        refused=sum(one.outcome is ParseOutcome.REFUSED for one in outcomes),
        damage=tuple(sorted(damage.items(), key=lambda each: (-each[1], each[0]))),
        kinds=tuple((RepairKind(k), n) for k, n in sorted(kinds.items(), key=lambda each: (-each[1], each[0]))),
        re_asked=sum(one.attempt > 1 for one in outcomes),
    )
    return Rate(name, texts, max(one.at for one in outcomes))


def windowed(window: Window, outcomes: list[Outcome], until: int = END) -> list[Outcome]:
    """The outcomes of a window by the plainest choosing there is."""
    inside = [one for one in outcomes if window.since(until) < one.at <= until]
    return inside[-window.texts :] if window.texts else inside


def by(outcomes: list[Outcome], window: Window, name: Callable[[Outcome], str]) -> tuple[Rate, ...]:
    groups = {
        name(one): windowed(window, [other for other in outcomes if name(other) == name(one)]) for one in outcomes
    }
    return tuple(counted(each, found) for each, found in sorted(groups.items()) if found)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store to read from."""
    url = empty_store(request, tmp_path_factory.mktemp("filled"))
    fill(url, OUTCOMES)
    return url


def test_rates_by_agent_are_counts_over_the_outcomes(filled: str) -> None:
    for written in WINDOWS:
        window = Window.of(written)
        assert reader(filled).by_agent(RateQuery(window)) == by(OUTCOMES, window, lambda one: one.agent)


def test_rates_by_model_are_counts_over_the_outcomes_that_came_from_one(filled: str) -> None:
    with_model = [one for one in OUTCOMES if one.model]
    for written in WINDOWS:
        window = Window.of(written)
        assert reader(filled).by_model(RateQuery(window)) == by(with_model, window, lambda one: one.model)


def test_rate_of_all_is_a_count_over_all(filled: str) -> None:
    for written in WINDOWS:
        window = Window.of(written)
        assert reader(filled).total(RateQuery(window)) == counted("", windowed(window, OUTCOMES))


def test_shares_are_counts_over_the_outcomes(filled: str) -> None:
    for written in WINDOWS:
        found, query = windowed(Window.of(written), OUTCOMES), RateQuery(Window.of(written))
        stages = Counter(one.stage for one in found if one.outcome is ParseOutcome.REFUSED)
        kinds = Counter(kind for one in found for kind in one.kinds)
        assert {one.name: (one.texts, one.parses) for one in reader(filled).by_stage(query)} == {
            name: (count, len(found)) for name, count in stages.items()
        }
        assert {one.name: one.texts for one in reader(filled).by_kind(query)} == dict(kinds)


def test_question_may_be_about_one_agent_and_one_model(filled: str) -> None:
    window = Window.of("50")
    some = [one for one in OUTCOMES if (one.agent, one.model) == ("A", "m1")]
    query = RateQuery(window, agent="A", model="m1")
    assert reader(filled).total(query) == counted("", windowed(window, some))
    assert [rate.name for rate in reader(filled).by_agent(query)] == ["A"]


def test_window_may_end_earlier(filled: str) -> None:
    until = START + 300 * SECOND
    query = RateQuery(Window.of("100"), until=until)
    assert reader(filled).total(query) == counted("", windowed(query.window, OUTCOMES, until))


def test_series_adds_up_to_the_outcomes(filled: str) -> None:
    points = reader(filled).series(RateQuery(Window.of("10m")), 60)
    assert all(point.at % (60 * SECOND) == 0 for point in points)
    assert [point.at for point in points] == sorted({point.at for point in points})
    steps = [windowed(Window(None, 60), OUTCOMES, point.at + 60 * SECOND - 1) for point in points]
    assert [(point.parses, point.repair_rate, point.repaired, point.refused) for point in points] == [
        (rate.parses, rate.repair_rate, rate.repaired, rate.refused)
        for rate in (counted("", [one for one in step if one.at > END - 600 * SECOND]).texts for step in steps)
    ]


def test_steps_without_a_text_are_left_out(url: str) -> None:
    fill(url, [Outcome(START, "a", ParseOutcome.CLEAN), Outcome(START + 100 * SECOND, "a", ParseOutcome.CLEAN)])
    points = reader(url, START + 100 * SECOND).series(RateQuery(Window(None, 200)), 10)
    assert points == (Point(START, 1, 0, 0, 0), Point(START + 100 * SECOND, 1, 0, 0, 0))


@pytest.mark.parametrize(("window", "step"), [("200", 60), ("1h", 0), (f"{MOST_POINTS + 1}s", 1)])
def test_series_needs_a_time_and_a_bounded_number_of_steps(sqlite_url: str, window: str, step: int) -> None:
    with pytest.raises(ValueError, match="a series needs a window with a time"):
        reader(sqlite_url).series(RateQuery(Window.of(window)), step)


def test_newest_refusals_come_first_with_their_damage(filled: str) -> None:
    refused = [one for one in reversed(OUTCOMES) if one.outcome is ParseOutcome.REFUSED]
    assert list(reader(filled).refusals(RateQuery(), 20)) == refused[:20]
    assert all(one.agent == "B" for one in reader(filled).refusals(RateQuery(agent="B")))


def test_facts_say_how_much_there_is(filled: str) -> None:
    facts = reader(filled).facts()
    assert (facts.oldest, facts.newest, facts.writers, facts.dropped) == (START, END, 1, 0)


def test_empty_store_has_no_rates(url: str) -> None:
    fill(url, [Outcome(START + 5, "a", ParseOutcome.CLEAN)])
    before = reader(url, START)
    assert (before.by_agent(), before.total(), before.by_kind(), before.refusals()) == (
        (),
        Rate("", RepairRate()),
        (),
        (),
    )


def test_more_agents_than_one_statement_takes_are_counted(url: str) -> None:
    names = [f"agent {number:03}" for number in range(NAMES_AT_ONCE * 2 + 1)]
    fill(url, [Outcome(START, name, ParseOutcome.CLEAN) for name in names])
    assert [rate.name for rate in reader(url).by_agent()] == names


def test_same_batch_again_changes_nothing(url: str) -> None:
    writer = OutcomeWriter(Store(url))
    batch = Batch(1, made(20))
    writer.write(batch, 0)
    writer.write(batch, 0)
    assert reader(url).total().texts.parses == 20


def test_later_batch_changes_an_outcome(url: str) -> None:
    writer, one = OutcomeWriter(Store(url)), Outcome(START, "a", ParseOutcome.REFUSED, stage="extract")
    writer.write(Batch(1, [one]), 0)
    one.outcome, one.stage, one.asked, one.damage = ParseOutcome.MODEL_REPAIRED, "", True, ("comma",)
    one.kinds, one.repair_code = {"trailing_comma": 1}, ""
    writer.write(Batch(2, [], {1: one}), 0)
    assert reader(url).total() == counted("", [one])


def test_dropped_outcomes_are_counted_in_the_store(url: str) -> None:
    writer = OutcomeWriter(Store(url))
    for number, dropped in enumerate((0, 3, 5), 1):
        writer.write(Batch(number, made(1)), dropped)
    assert reader(url).facts().dropped == 5


def test_writers_do_not_mix(url: str) -> None:
    fill(url, made(30))
    fill(url, made(30, seed=2))
    assert (reader(url).total().texts.parses, reader(url).facts().writers) == (60, 2)


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
    day = 86_400 * SECOND
    old = [Outcome(START + number, "a", ParseOutcome.CLEAN, kinds={"trailing_comma": 1}) for number in range(4_500)]
    clock = At(START)
    writer = OutcomeWriter(Store(url), days=2, clock=clock)
    writer.write(Batch(1, old), 0)
    clock.now = START + 3 * day
    writer.write(Batch(4_501, [Outcome(clock.now, "b", ParseOutcome.CLEAN)]), 0)
    everything = RateQuery(Window(None, 10 * 86_400))
    assert [rate.name for rate in reader(url, clock.now).by_agent(everything)] == ["b"]
    assert reader(url, clock.now).by_kind(everything) == ()


def test_old_outcomes_are_looked_for_once_an_hour(url: str) -> None:
    clock = At(START)
    writer = OutcomeWriter(Store(url), days=1, clock=clock)
    writer.write(Batch(1, [Outcome(START - 86_400 * SECOND + 1, "a", ParseOutcome.CLEAN)]), 0)
    clock.now += 1_800 * SECOND
    writer.write(Batch(2, [Outcome(START, "b", ParseOutcome.CLEAN)]), 0)
    assert reader(url).facts().oldest == START - 86_400 * SECOND + 1


def test_nothing_is_removed_where_outcomes_are_kept_for_ever(url: str) -> None:
    fill(url, [Outcome(1, "a", ParseOutcome.CLEAN)])
    assert reader(url).facts().oldest == 1


def test_share_names_are_those_of_the_vocabulary(filled: str) -> None:
    shares = reader(filled).by_kind(RateQuery(Window.of("600")))
    assert shares == tuple(sorted(shares, key=lambda one: (-one.texts, one.name)))
    assert {one.name for one in shares} <= {kind.value for kind in RepairKind}
