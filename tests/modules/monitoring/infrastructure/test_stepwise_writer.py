"""Outcomes of a past, written when they are told to be."""

from __future__ import annotations

from src.modules.monitoring.container import read_rates, record_stepwise
from src.modules.monitoring.domain.rate import RateQuery, Window
from tests.modules.monitoring.stored import START, At, asked, clean, refused


def test_outcomes_have_the_clocks_moments_and_are_there_after_each_step(url: str) -> None:
    clock = At()
    recording = record_stepwise(url, clock)
    recording.events.publish(refused())
    recording.flush()
    clock.now += 5_000_000
    for event in (asked(), clean()):
        recording.events.publish(event)
    recording.flush()
    recording.close()
    rates = read_rates(url)
    assert (rates.facts().oldest, rates.facts().newest) == (START, START + 5_000_000)
    total = rates.total(RateQuery(Window(None, 60), until=clock.now)).texts
    assert (total.parses, total.refused, total.asked) == (2, 1, 1)
