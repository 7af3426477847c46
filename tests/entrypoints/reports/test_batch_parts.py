"""What the page of a batch is made of: shares, columns of time, marked values, advice."""

import re
from collections import Counter
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.entrypoints.cli.batch_reader import batch_reader
from src.entrypoints.reports.batch.advice import advice_for
from src.entrypoints.reports.batch.drawing import COLUMN_HEIGHT, DRAWN, MOST_COLUMNS, bar, columns, time_columns
from src.entrypoints.reports.batch.page_view import marked
from src.entrypoints.reports.batch.words import STAGES, duration, share, size
from src.modules.reparsing.domain.outcome import INPUT_STAGE, refusal_at
from src.modules.reparsing.domain.record import FieldNames, Record, Row, record_of
from src.shared.domain import parse_reasons
from src.shared.infrastructure.parsing.inspection import STAGES as PIPELINE

# --- shares ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "whole", "shown"),
    [
        (0, 0, "–"), (0, 30_000, "0%"), (1, 30_000, "<0.1%"), (14, 30_000, "<0.1%"), (15, 30_000, "0.1%"),
        (1, 3, "33.3%"), (29_985, 30_000, ">99.9%"), (29_984, 30_000, "99.9%"), (30_000, 30_000, "100%"),
    ],
)  # fmt: skip
def test_share_is_rounded_to_a_tenth_but_never_to_nothing_or_all(count: int, whole: int, shown: str) -> None:
    assert share(count, whole) == shown


@given(st.integers(1, 10**12).flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole))))
def test_share_says_nothing_or_all_only_where_it_is(pair: tuple[int, int]) -> None:
    count, whole = pair
    assert (share(count, whole) == "0%") == (count == 0)
    assert (share(count, whole) == "100%") == (count == whole)
    assert not re.match(r"0\.0|100\.", share(count, whole))


@pytest.mark.parametrize(
    ("count", "shown"), [(0, "0 B"), (999, "999 B"), (1000, "1.0 KB"), (999_950, "1.0 MB"), (5 * 10**18, "5,000.0 PB")]
)
def test_size_has_the_largest_unit(count: int, shown: str) -> None:
    assert size(count) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.0004, "0.4 毫秒"), (0.25, "250 毫秒"), (1.25, "1.2 秒"), (4000, "4,000.0 秒")]
)
def test_short_times_are_told_in_thousandths(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


# --- drawing --------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=3).filter(any))
def test_every_part_of_a_bar_or_column_is_seen_and_none_leaves_it(counts: list[int]) -> None:
    tones = dict(zip(DRAWN, counts, strict=False))
    some = Counter({**tones, "texts": sum(counts)})
    (column,) = columns([("2026-11-23", some)])
    for parts, whole, least in ((bar(tones.items()), 100, 0.5), (column["parts"][::-1], COLUMN_HEIGHT, 1.4)):
        assert {part.tone for part in parts} == {tone for tone in tones if some[tone]}
        assert min(part.length for part in parts) > least
        assert parts[0].start == pytest.approx(0, abs=0.01)
        assert sum(part.length for part in parts) == pytest.approx(whole, abs=0.01)


def test_column_without_refusals_has_a_mark_and_one_without_texts_has_none() -> None:
    drawn = columns([("a", Counter(texts=2, clean=2)), ("b", Counter()), ("c", Counter(texts=2, refused=1, clean=1))])

    assert [[part.tone for part in one["refused"]] for one in drawn] == [["none"], [], ["refused"]]
    assert [one["refused"][0].length for one in drawn if one["refused"]] == [1.5, COLUMN_HEIGHT]


# --- time -----------------------------------------------------------------------------------------------------


def times(*names: str) -> dict[str, Counter[str]]:
    return {name: Counter(texts=1, clean=1) for name in names}


@pytest.mark.parametrize(
    ("names", "first", "second", "count"),
    [
        (("2026-11-20T22", "2026-11-21T01"), "2026-11-20 22:00", "2026-11-20 23:00", 4),
        (("2026-11-20T22", "2026-11-24T01"), "2026-11-20 18:00", "2026-11-21 00:00", 14),
        (("2026-11-01T22", "2026-11-24"[:10] + "T01"), "2026-11-01", "2026-11-02", 24),
        (("2026-11-01", "2026-11-24"), "2026-11-01", "2026-11-02", 24),
        (("2026-01-01", "2026-11-23"), "2025-12-29", "2026-01-05", 48),
        (("2024-12", "2026-11"), "2024-12", "2025-01", 24),
        (("2020", "2026"), "2020", "2021", 7),
        (("1970-01-01T00", "2199-01-01T00"), "1970", "1980", 23),
        (("19", "99"), "1000", "2000", 9),
    ],
)
def test_columns_are_as_fine_as_there_is_room_and_show_every_gap(
    names: tuple[str, ...], first: str, second: str, count: int
) -> None:
    _, drawn = time_columns(times(*names))
    assert (drawn[0][0], drawn[1][0], len(drawn)) == (first, second, count)
    assert [counts["texts"] for _, counts in drawn] == [1, *[0] * (count - 2), 1]


FIRST = datetime(1970, 1, 1)  # noqa: DTZ001 - as names have no zone


@given(st.sets(st.datetimes(FIRST), min_size=1, max_size=40), st.sampled_from([13, 10, 7, 4, 2]))
def test_every_text_is_in_one_of_a_bounded_number_of_columns(moments: Any, length: int) -> None:  # noqa: ANN401 - a set
    names = {moment.isoformat()[:length] for moment in moments}
    _, drawn = time_columns(times(*names))
    assert len(drawn) <= MOST_COLUMNS
    assert sum(counts["texts"] for _, counts in drawn) == len(names)


# --- marked values --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "marks"),
    [
        ('{"a": 1, "b": [2]}', '{"a": 10, "b": [2]}', ["1"]),
        (r'{"a b": "q\"}", "c": 1}', r'{"a b": "q\"]", "c": 1}', [r'"q\"}"']),
        ('{"a": [1, 2', '{"a": [1, 3', ["2"]),
        ('{"a": "cut here', '{"a": "', ['"cut here']),
        ('{"a": 1, "b": true}', '{"a": 1}', [', "b": true']),
        ('{"a": 1}', "", []),
        ("", '{"a": 1}', []),
    ],
)
def test_values_that_the_other_reading_does_not_have_are_marked(old: str, new: str, marks: list[str]) -> None:
    assert [part for part, is_marked in marked(old, new) if is_marked] == marks


@given(st.text('{}[],:"\\a 1', max_size=60), st.text('{}[],:"\\a 1', max_size=60))
def test_a_marked_reading_stays_as_it_is(text: str, other: str) -> None:
    assert "".join(part for part, _ in marked(text, other)) == text


# --- words and advice -----------------------------------------------------------------------------------------


def test_every_stage_of_the_parser_has_a_word() -> None:
    assert [stage.__name__ for stage in PIPELINE] == [*STAGES][: len(PIPELINE)]


FALLBACK = advice_for("repair", "")


@pytest.mark.parametrize(
    "reason", [one for one in vars(parse_reasons).values() if isinstance(one, parse_reasons.Reason)]
)
def test_every_reason_of_the_whole_parser_has_advice_of_its_own(reason: parse_reasons.Reason) -> None:
    stage = "think" if reason in (parse_reasons.UNCLOSED_THINK, parse_reasons.ONLY_THINK) else "repair"
    is_of_syntax = reason in (parse_reasons.ESCAPED_UNREADABLE, parse_reasons.ROUND_BRACKETS)
    assert (advice_for(stage, reason.en) == FALLBACK) == is_of_syntax


@pytest.mark.parametrize(
    "stage", [stage for stage in STAGES if stage not in {"fence", "control_chars", "strict", "extract", "repair"}]
)
def test_every_stage_that_fails_by_itself_has_advice_of_its_own(stage: str) -> None:
    assert advice_for(stage, "") != FALLBACK


@pytest.mark.parametrize(
    ("row", "option"),
    [
        (b'{"answer": "x"}', "--text-field"),
        (b'{"text": {}}', "--text-field"),
        (b'{"text": "\xff"}', "UTF-8"),
        (b"{", "重新导出"),
        (b'{"text": "x", "text": "y"}', "重新导出"),
    ],
)
def test_row_that_cannot_be_read_is_told_what_to_do(row: bytes, option: str) -> None:
    problem = record_of(Row("f:1", row), FieldNames()).problem
    assert problem
    outcome = refusal_at(INPUT_STAGE, problem)
    assert option in advice_for(outcome.stage, outcome.reason)


def test_agent_that_is_not_known_is_told_what_to_do() -> None:
    outcome = batch_reader()(Record("f:1", "1", "{}", agent="planner"))
    assert "--agent-field" in advice_for(INPUT_STAGE, outcome.reason)


@pytest.mark.parametrize(
    ("reason", "option"),
    [
        ("it took longer than 60 seconds", "--text-timeout"),
        ("there was not enough memory to read it", "--text-memory"),
        ("reading it raised MemoryError", "--text-memory"),
        ("reading it raised KeyError", "llm-output parse"),
        ("the reading process was killed", "--workers"),
        ("the reading process ended by itself", "llm-output parse"),
    ],
)
def test_text_that_kills_its_worker_is_told_what_to_do(reason: str, option: str) -> None:
    assert option in advice_for("worker", reason)
