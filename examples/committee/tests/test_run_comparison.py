"""Which run is compared with which, and what of a list is new, the same in other words, or gone."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from examples.committee.domain.run_comparison import (
    COMPARED_CHARACTERS,
    COMPARED_TEXTS,
    State,
    in_order,
    run_before,
    tracked,
)
from examples.committee.domain.run_record import RecordedRun, record_of


def run(symbol: str, as_of: str | None, hour: int = 0) -> RecordedRun:
    data = {"symbol": symbol, "as_of": as_of} if as_of else {"symbol": symbol}
    return RecordedRun(
        Path(f"{symbol}-{as_of}-{hour}"), record_of(data)[0], created=datetime(2026, 1, 1, hour, tzinfo=UTC)
    )


def states(before: list[str] | None, now: list[str]) -> list[State]:
    return [entry.state for entry in tracked(before, now).entries]


# --- order -----------------------------------------------------------------------------------------------------


def test_runs_of_one_stock_are_in_the_order_of_their_dossiers() -> None:
    late, early, undated = run("A", "2025-11-21"), run("A", "2025-08-20"), run("A", None)
    assert in_order([undated, late, early]) == (early, late, undated)


def test_runs_on_one_dossier_are_in_the_order_in_which_they_were_begun() -> None:
    second, first = run("A", "2025-11-21", 2), run("A", "2025-11-21", 1)
    assert in_order([second, first]) == (first, second)


def test_stocks_keep_the_order_in_which_they_are_given() -> None:
    runs = in_order([run("B", "2025-11-21"), run("A", "2025-01-01"), run("B", "2025-02-01")])
    assert [one.symbol for one in runs] == ["B", "B", "A"]


def test_run_is_compared_with_the_one_before_it_of_the_same_stock() -> None:
    runs = in_order([run("A", "2025-01-01"), run("A", "2025-02-01"), run("B", "2025-03-01")])
    assert [run_before(runs, at) for at in range(3)] == [None, runs[0], None]


def test_run_of_an_unknown_stock_is_compared_with_none() -> None:
    runs = in_order([run("", "2025-01-01"), run("", "2025-02-01")])
    assert run_before(runs, 1) is None


# --- lists -----------------------------------------------------------------------------------------------------


def test_text_that_stood_there_is_still_there_and_another_is_new() -> None:
    found = tracked(["解禁", "降价"], ["降价 ", "汇率"])
    assert [entry.state for entry in found.entries] == [State.STILL, State.NEW]
    assert found.gone == ("解禁",)


def test_text_in_other_words_is_named_with_what_stood_there() -> None:
    found = tracked(["首发前股东解除限售后减持"], ["首发前股东解除限售并减持"])
    assert [(entry.state, entry.earlier) for entry in found.entries] == [(State.REWORDED, "首发前股东解除限售后减持")]
    assert found.gone == ()


def test_old_text_stands_for_one_new_text_only_the_most_similar() -> None:
    found = tracked(["应收账款回款变慢"], ["应收账款回款变差了些", "应收账款回款变慢了"])
    assert [entry.state for entry in found.entries] == [State.NEW, State.REWORDED]


def test_texts_with_little_in_common_are_one_gone_and_one_new() -> None:
    assert states(["海外龙头降价"], ["汇率波动影响出口"]) == [State.NEW]
    assert states(["甲乙丙丁戊己"], ["己戊丁丙乙甲"]) == [State.NEW]  # the same characters in another order


def test_nothing_is_said_of_a_list_where_there_is_none_to_compare_with() -> None:
    assert tracked(None, ["解禁"]).gone == ()
    assert states(None, ["解禁"]) == [State.UNKNOWN]


def test_empty_list_before_makes_every_text_new() -> None:
    assert states([], ["解禁"]) == [State.NEW]


def test_texts_beyond_the_bound_have_to_be_the_same_word_for_word() -> None:
    before = [f"{n:04d}" * 5 for n in range(COMPARED_TEXTS)] + ["海外龙头计划降价"]
    assert tracked(before, ["海外龙头计划再降价"]).entries[0].state is State.NEW
    assert tracked(before[1:], ["海外龙头计划再降价"]).entries[0].state is State.REWORDED


@pytest.mark.parametrize(("more", "state"), [(0, State.REWORDED), (COMPARED_CHARACTERS, State.NEW)])
def test_only_the_beginning_of_a_long_text_is_compared(more: int, state: State) -> None:
    alike = "甲" * 50 + "乙" * 50
    assert states(["丙" * more + alike], ["丁" * more + alike + "。"]) == [state]
