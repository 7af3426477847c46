"""What may stand in each field of the agents' answers, and what is refused: values for each kind of place."""

from collections.abc import Iterator
from typing import TypeAlias

from tests.modules.agent_contract import (
    AgentContract,
    Choice,
    Kind,
    Nested,
    Number,
    Objects,
    Place,
    Quantity,
    Text,
    Texts,
    Value,
    replaced,
    value_at,
)
from tests.modules.all_contracts import each_kind, every_place, places

Case: TypeAlias = tuple[Value, Value]
"""What is written at a place, and what is read there, or `Refused`."""


class Refused:
    """An error that names exactly a place below the one that was written."""

    def __init__(self, *below: str | int) -> None:
        self.below = below


REFUSED = Refused()
NO_NUMBERS: tuple[Value, ...] = (
    "80%",
    "约0.8",
    "1,650",
    "八十",
    "",
    "nan",
    True,
    False,
    None,
    [1],
    {},
    float("nan"),
    float("inf"),
)
"""`true` is not 1: Pydantic alone would take it."""
NO_OBJECTS: tuple[Value, ...] = ("文本", None, 1, [])
KEPT = ("", "  ", " “引号”，全角：｛｝\n第二行 <think>保留</think> ```")
NO_TEXTS: tuple[Value, ...] = (1, None, True, ["一"], {})
QUANTITIES = ((0.6, "0.6"), (0, "0"), (-15, "-15"), (1650.0, "1650.0"))


def of_choice(kind: Choice) -> Iterator[Case]:
    """A signal that cannot be read is never HOLD, NEUTRAL or the first member."""
    first = kind.members[0]
    for unknown in ("看多", "", "UNKNOWN", first[:-1], f"{first}?", first.swapcase(), None, True, 1, [first]):
        yield unknown, REFUSED


def of_number(kind: Number) -> Iterator[Case]:
    yield from ((number, number) for number in (kind.low, (kind.low + kind.high) / 2, kind.high))
    yield str(kind.high), kind.high
    yield from ((one, REFUSED) for one in NO_NUMBERS)
    if kind.bounded:
        step = 1 if kind.whole else 0.0001
        yield from ((one, REFUSED) for one in (kind.low - step, kind.high + step, -(10**400), 10**400))
    if kind.whole:
        yield from ((80.0, 80), (80.5, REFUSED), ("80.5", REFUSED))


def of_text(kind: Text) -> Iterator[Case]:
    yield from ((text, text) for text in KEPT)
    yield from ((other, REFUSED) for other in (True, ["文本"], {"text": "文本"}, float("nan"), float("inf")))
    yield None, "" if kind.null_is_missing else REFUSED
    is_quantity = isinstance(kind, Quantity)
    yield from ((number, spelling if is_quantity else REFUSED) for number, spelling in QUANTITIES)


def of_texts(kind: Texts) -> Iterator[Case]:
    yield ["一", "", "  ", "一"], ["一", "", "  ", "一"]
    yield from ((["一", item], Refused(1)) for item in NO_TEXTS)
    yield [], REFUSED if kind.least else []
    yield None, [] if kind.lenient else REFUSED
    yield "只有一条", ["只有一条"] if kind.lenient else REFUSED
    yield from ((other, REFUSED) for other in (1, True, {"一": "二"}))


def of_objects(kind: Objects, items: list[Value]) -> Iterator[Case]:
    for count in range(6):
        is_right = count >= kind.least and (kind.most is None or count <= kind.most)
        yield [items[0]] * count, [items[0]] * count if is_right else REFUSED
    yield from ((other, REFUSED) for other in (None, "文本", 1, True, items[0]))
    yield from (([other, *items[1:]], Refused(0)) for other in NO_OBJECTS)


def cases_of(contract: AgentContract, place: Place, kind: Kind) -> Iterator[Case]:
    match kind:
        case Choice():
            return of_choice(kind)
        case Number():
            return of_number(kind)
        case Text():
            return of_text(kind)
        case Texts():
            return of_texts(kind)
        case Objects():
            return of_objects(kind, value_at(contract.answer, place))
        case Nested():
            return ((other, REFUSED) for other in NO_OBJECTS)


@each_kind(every_place())
def test_value_is_read_or_refused_as_its_kind_of_place_says(contract: AgentContract, place: Place, kind: Kind) -> None:
    for written, expected in cases_of(contract, place, kind):
        answer = replaced(contract.answer, place, written)
        if isinstance(expected, Refused):
            assert contract.refusal(answer) == {(*place, *expected.below)}, written
        else:
            assert value_at(contract.read(answer).model_dump(), place) == expected, written


@each_kind(places(Choice))
def test_every_member_of_a_choice_is_read(contract: AgentContract, place: Place, kind: Choice) -> None:
    for member in kind.members:
        answer = replaced({**contract.answer, **contract.goes_with.get(member, {})}, place, member)
        assert contract.read(answer).model_dump() == answer


def test_kinds_of_places_are_all_there() -> None:
    assert {type(case[2]) for case in every_place()} == {Choice, Number, Text, Quantity, Texts, Objects, Nested}
