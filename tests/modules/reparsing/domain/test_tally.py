"""What is counted, and that the counts of parts add up to those of the whole."""

import random
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from src.modules.reparsing.domain.comparison import MOST_NAMES, OTHERS
from src.modules.reparsing.domain.outcome import INPUT_STAGE, Answer, Outcome, Parsed, Refused, RepairMark, Traits
from src.modules.reparsing.domain.record import NAME_LIMIT, Record
from src.modules.reparsing.domain.tally import MOST_TIMES, SHOWN, Counts, Tally, Writing

CLEAN = Parsed({}, traits=Traits(("none",)))
REPAIRED = Parsed({}, (RepairMark("single_quote", 1, 1), RepairMark("single_quote", 1, 5), RepairMark("comment", 2, 1)))
REFUSED = Refused("extract", "no object here", "no object", truncated=True, traits=Traits(unknown_marks=("<a>",)))


def answer(outcome: Outcome, number: int = 0, seconds: float = 0.0, **fields: str | None) -> Answer:
    return Answer(Record(f"f:{number}", str(number), **fields), outcome, seconds)


def tally(answers: Sequence[Answer]) -> Tally:
    counted = Tally()
    for each in answers:
        counted.count(each)
    return counted


def test_texts_are_counted_by_what_came_of_them() -> None:
    assert tally([answer(CLEAN), answer(REPAIRED), answer(REFUSED)]).counts == Counts(1, 1, 1, 1)


def test_a_text_counts_once_for_each_kind_of_repair() -> None:
    assert tally([answer(REPAIRED)]).kinds == {"single_quote": 1, "comment": 1}


def test_refusals_are_counted_by_stage_and_reason_and_the_first_is_the_example() -> None:
    counted = tally([answer(REFUSED, 7), answer(REFUSED, 8)])
    assert counted.stages == {"extract": 2}
    assert (counted.reasons["extract: no object"].count, counted.reasons["extract: no object"].example.id) == (2, "7")


@pytest.mark.parametrize(("field", "group"), [("agent", "by_agent"), ("model", "by_model"), ("hour", "by_time")])
def test_texts_are_counted_by_their_fields_where_they_have_them(field: str, group: str) -> None:
    record = Record("f:1", "1", **{field: "x"})
    counted = tally([Answer(record, CLEAN), answer(CLEAN)])
    assert getattr(counted, group) == {"x": Counts(clean=1)}


def test_traits_are_counted_by_model_and_not_of_rows_without_a_text() -> None:
    no_text = Refused(INPUT_STAGE, "no text", "no text")
    counted = tally([answer(CLEAN, model="m"), answer(REFUSED, model="m"), answer(REFUSED), answer(no_text)])

    assert counted.writing["m"] == Writing(2, Counter({"none": 1}), Counter(), Counter({"<a>": 1}))
    assert counted.writing[""] == Writing(1, unknown_marks=Counter({"<a>": 1}))


def test_more_unknown_marks_than_can_be_shown_count_together() -> None:
    whole = Tally()
    for number in range(MOST_NAMES + 5):
        whole.add(tally([answer(Parsed({}, traits=Traits(unknown_marks=(f"<x{number}>",))))]))
    assert (len(whole.writing[""].unknown_marks), whole.writing[""].unknown_marks[OTHERS]) == (MOST_NAMES + 1, 5)


def test_slowest_and_largest_are_kept_the_greatest_first() -> None:
    answers = [answer(CLEAN, number, seconds=number, text="x" * (100 - number)) for number in range(50)]
    counted = tally(answers)
    assert [measured.id for measured in counted.slowest] == [str(number) for number in range(49, 49 - SHOWN, -1)]
    assert [measured.id for measured in counted.largest] == [str(number) for number in range(SHOWN)]


def test_more_names_than_can_be_shown_count_together() -> None:
    whole = Tally()
    for number in range(MOST_NAMES + 5):
        whole.add(tally([answer(CLEAN, model=str(number))]))
    assert (len(whole.by_model), whole.by_model[OTHERS]) == (MOST_NAMES + 1, Counts(clean=5))


def test_tally_survives_being_written() -> None:
    adapter = TypeAdapter(Tally)
    counted = tally([answer(CLEAN, agent="a"), answer(REPAIRED, hour="2026-11-23T09"), answer(REFUSED, seconds=0.25)])
    assert adapter.validate_json(adapter.dump_json(counted)) == counted


@given(st.lists(st.sampled_from([CLEAN, REPAIRED, REFUSED])), st.randoms(use_true_random=False))
def test_tallies_of_any_parts_add_up(outcomes: list[Outcome], dice: random.Random) -> None:
    answers = [
        answer(outcome, number, seconds=dice.randrange(5) / 4, agent=dice.choice("ab"), text="x" * dice.randrange(9))
        for number, outcome in enumerate(outcomes)
    ]
    whole, begin = Tally(), 0
    while begin < len(answers):
        end = begin + dice.randrange(1, 4)
        whole.add(tally(answers[begin:end]))
        begin = end
    assert whole == tally(answers)


@pytest.mark.parametrize("size", [1, 7, 250, 1000])
def test_reasons_are_the_same_in_any_grouping_also_where_there_are_too_many(size: int) -> None:
    reasons = [str(number % 300 if number % 2 else number) for number in range(1_000)]
    answers = [answer(Refused("validate", "", reason), number) for number, reason in enumerate(reasons)]
    whole = Tally()
    for begin in range(0, len(answers), size):
        whole.add(tally(answers[begin : begin + size]))
    one = Tally()
    one.add(tally(answers))
    assert {name: reason.count for name, reason in whole.reasons.items()} == {
        name: reason.count for name, reason in one.reasons.items()
    }


# --- times ------------------------------------------------------------------------------------------------


def hours(*moments: datetime) -> Tally:
    return tally([answer(CLEAN, hour=moment.isoformat()[:13]) for moment in moments])


BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
EVERY = {"hour": timedelta(hours=1), "day": timedelta(days=1), "month": timedelta(days=31), "year": timedelta(days=366)}


@pytest.mark.parametrize(
    ("step", "name", "longer"),
    [("hour", "2026-01-01T00", "2026-01-01"), ("day", "2026-01-01", "2026-01"), ("month", "2026-01", "2026")],
)
def test_times_are_counted_as_longer_ones_where_there_are_too_many(step: str, name: str, longer: str) -> None:
    names = [(BEGIN + EVERY[step] * number).isoformat()[: len(name)] for number in range(MOST_TIMES + 1)]
    whole = Tally(by_time={each: Counts(clean=1) for each in names[:-1]})
    whole.add(Tally())
    assert list(whole.by_time) == names[:-1]
    whole.add(Tally(by_time={names[-1]: Counts(clean=1)}))
    assert min(whole.by_time) == longer
    assert sum(counts.texts for counts in whole.by_time.values()) == MOST_TIMES + 1


def test_years_are_counted_as_centuries_where_there_are_too_many() -> None:
    whole = Tally()
    whole.add(hours(*(BEGIN + EVERY["year"] * number for number in range(MOST_TIMES + 30))))
    assert list(whole.by_time) == [str(century) for century in range(20, 31)]


def test_times_are_the_same_in_any_grouping() -> None:
    first, second, third = (
        hours(*(BEGIN + timedelta(hours=h) for h in range(a, b))) for a, b in ((0, 600), (600, 1_100), (0, 9))
    )
    left, right = Tally(), Tally()
    left.add(first)
    left.add(second)
    left.add(third)
    right.add(third)
    right.add(second)
    right.add(first)
    assert left.by_time == right.by_time
    assert len(left.by_time) == 46


def test_names_and_ids_are_counted_by_their_beginning() -> None:
    long = "n" * (NAME_LIMIT + 1)
    counted = tally([Answer(Record("f:1", long, agent=long, model=long), REFUSED)])
    assert [*counted.by_agent, *counted.by_model] == [long[:-1]] * 2
    (reason,) = counted.reasons.values()
    assert {reason.example.id, counted.largest[0].id, counted.slowest[0].id} == {long[:-1]}
