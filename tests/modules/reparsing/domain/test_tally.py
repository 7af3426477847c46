"""What is counted, and that the counts of parts add up to those of the whole."""

import random
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from src.modules.reparsing.domain.comparison import MOST_NAMES, OTHERS
from src.modules.reparsing.domain.outcome import INPUT_STAGE, RowOutcome, refusal_at
from src.modules.reparsing.domain.record import NAME_LIMIT, Record
from src.modules.reparsing.domain.tally import MOST_TIMES, SHOWN, Tally
from src.shared.domain.language import Message

Answer: TypeAlias = tuple[Record, RowOutcome, float]


def read(*kinds: str, **traits: tuple[str, ...]) -> RowOutcome:
    repairs = [{"kind": kind} for kind in kinds]
    return RowOutcome({"repairs": repairs, "grade": "clean", "left_out": []}, traits=traits)


def refused(reason: str, stage: str = "extract", **traits: tuple[str, ...]) -> RowOutcome:
    outcome = refusal_at(stage, Message("", reason))
    return RowOutcome({**outcome.row, "truncated": True}, reason, traits)


CLEAN, REPAIRED = read(wrappings=("none",)), read("single_quote", "single_quote", "comment")
REFUSED = refused("no object", unknown_marks=("<a>",))


def answer(outcome: RowOutcome, number: int = 0, seconds: float = 0.0, **fields: str | None) -> Answer:
    return Record(f"f:{number}", str(number), **fields), outcome, seconds  # type: ignore[arg-type]


def tally(*answers: Answer) -> Tally:
    counted = Tally()
    for each in answers:
        counted.count(*each)
    return counted


def summed(tallies: Iterable[Tally]) -> Tally:
    whole = Tally()
    for each in tallies:
        whole.add(each)
    return whole


def test_texts_are_counted_by_what_came_of_them() -> None:
    counted = tally(answer(CLEAN), answer(REPAIRED), answer(REFUSED, 7), answer(REFUSED, 8))
    assert counted.counts == Counter(texts=4, clean=1, repaired=1, refused=2, truncated=2)
    assert (counted.kinds, counted.grades) == ({"single_quote": 1, "comment": 1}, {"clean": 2})
    assert (counted.stages, counted.reasons) == ({"extract": 2}, {"extract: no object": 2})
    assert counted.examples["extract: no object"]["id"] == "7"


@pytest.mark.parametrize(("field", "group"), [("agent", "by_agent"), ("model", "by_model"), ("hour", "by_time")])
def test_texts_are_counted_by_their_fields_where_they_have_them(field: str, group: str) -> None:
    named: Any = {field: "x"}
    counted = tally(answer(CLEAN, **named), answer(CLEAN))
    assert getattr(counted, group) == {"x": Counter(texts=1, clean=1)}


def test_traits_are_counted_by_model_and_not_of_rows_without_a_text() -> None:
    no_text = refused("no text", INPUT_STAGE)
    counted = tally(answer(CLEAN, model="m"), answer(REFUSED, model="m"), answer(REFUSED), answer(no_text))
    assert counted.written == {"m": 2, "": 1}
    assert counted.wrappings == {"m": {"none": 1}, "": {}}
    assert counted.unknown_marks == {"m": {"<a>": 1}, "": {"<a>": 1}}


def test_slowest_and_largest_are_kept_the_greatest_first() -> None:
    counted = tally(*(answer(CLEAN, number, seconds=number, text="x" * (100 - number)) for number in range(50)))
    assert [measured.id for measured in counted.slowest] == [str(number) for number in range(49, 49 - SHOWN, -1)]
    assert [measured.id for measured in counted.largest] == [str(number) for number in range(SHOWN)]


@pytest.mark.parametrize(
    ("of", "counts"),
    [
        (
            lambda name: answer(CLEAN, model=name),
            lambda whole: {one: of["texts"] for one, of in whole.by_model.items()},
        ),
        (lambda name: answer(read(unknown_marks=(name,))), lambda whole: whole.unknown_marks[""]),
        (lambda name: answer(refused(name)), lambda whole: whole.reasons),
    ],
    ids=["models", "marks", "reasons"],
)
def test_more_names_than_can_be_shown_count_together(
    of: Callable[[str], Answer], counts: Callable[[Tally], dict[str, int]]
) -> None:
    whole = summed(tally(of(str(number))) for number in range(MOST_NAMES + 5))
    found = counts(whole)
    assert (len(found), found[OTHERS]) == (MOST_NAMES + 1, 5)
    assert {*whole.examples} <= {*whole.reasons}


def test_tally_survives_being_written() -> None:
    adapter = TypeAdapter(Tally)
    counted = tally(answer(CLEAN, agent="a"), answer(REPAIRED, hour="2026-11-23T09"), answer(REFUSED, seconds=0.25))
    assert adapter.validate_json(adapter.dump_json(counted)) == counted


@given(st.lists(st.sampled_from([CLEAN, REPAIRED, REFUSED])), st.randoms(use_true_random=False))
def test_tallies_of_any_parts_add_up(outcomes: list[RowOutcome], dice: random.Random) -> None:
    answers = [
        answer(outcome, number, seconds=dice.randrange(5) / 4, agent=dice.choice("ab"), text="x" * dice.randrange(9))
        for number, outcome in enumerate(outcomes)
    ]
    parts, begin = [], 0
    while begin < len(answers):
        end = begin + dice.randrange(1, 4)
        parts.append(tally(*answers[begin:end]))
        begin = end
    assert summed(parts) == tally(*answers)


@pytest.mark.parametrize("size", [1, 7, 250, 1000])
def test_reasons_are_the_same_in_any_grouping_also_where_there_are_too_many(size: int) -> None:
    reasons = [str(number % 300 if number % 2 else number) for number in range(1_000)]
    answers = [answer(refused(reason, "validate"), number) for number, reason in enumerate(reasons)]
    parts = (tally(*answers[begin : begin + size]) for begin in range(0, len(answers), size))
    assert summed(parts).reasons == summed([tally(*answers)]).reasons


# --- times ------------------------------------------------------------------------------------------------

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def at(*names: str) -> Tally:
    return Tally(by_time={name: Counter(texts=1, clean=1) for name in names})


@pytest.mark.parametrize(
    ("step", "name", "longer"),
    [
        (timedelta(hours=1), "2026-01-01T00", "2026-01-01"),
        (timedelta(days=1), "2026-01-01", "2026-01"),
        (timedelta(days=31), "2026-01", "2026"),
        (timedelta(days=366), "2026", "20"),
    ],
)
def test_times_are_counted_as_longer_ones_where_there_are_too_many(step: timedelta, name: str, longer: str) -> None:
    names = [(BEGIN + step * number).isoformat()[: len(name)] for number in range(MOST_TIMES + 1)]
    whole = summed([at(*names[:-1]), Tally()])
    assert list(whole.by_time) == names[:-1]
    whole.add(at(names[-1]))
    assert min(whole.by_time) == longer
    assert sum(counts["texts"] for counts in whole.by_time.values()) == MOST_TIMES + 1


def test_times_are_the_same_in_any_grouping() -> None:
    first, second, third = (
        at(*((BEGIN + timedelta(hours=hour)).isoformat()[:13] for hour in range(*hours)))
        for hours in ((0, 600), (600, 1_100), (0, 9))
    )
    whole = summed([first, second, third])
    assert whole.by_time == summed([third, second, first]).by_time
    assert len(whole.by_time) == 46


def test_names_and_ids_are_counted_by_their_beginning() -> None:
    long = "n" * (NAME_LIMIT + 1)
    counted = tally((Record("f:1", long, agent=long, model=long), REFUSED, 0.0))
    assert [*counted.by_agent, *counted.by_model, *counted.written] == [long[:-1]] * 3
    (example,) = counted.examples.values()
    assert {example["id"], counted.largest[0].id, counted.slowest[0].id} == {long[:-1]}
