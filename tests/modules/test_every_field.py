"""What may stand in each field of the agents' answers, and what is refused."""

import pytest

from tests.modules.agent_contract import (
    AgentContract,
    Choice,
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
from tests.modules.all_contracts import each, each_kind, places


def reads(contract: AgentContract, place: Place, written: object) -> Value:
    """Parse the complete answer with something else written at a place; return what was read there."""
    return value_at(contract.read(replaced(contract.answer, place, written)).model_dump(), place)


def refuses(contract: AgentContract, place: Place, written: object) -> bool:
    """Parse likewise, and say whether the error names exactly this place."""
    return contract.refusal(replaced(contract.answer, place, written)) == {place}


# --- choices ----------------------------------------------------------------------------------------------


@each_kind(places(Choice))
def test_every_member_of_a_choice_is_read(contract: AgentContract, place: Place, kind: Choice) -> None:
    for member in kind.members:
        answer = replaced({**contract.answer, **contract.goes_with.get(member, {})}, place, member)
        assert contract.read(answer).model_dump() == answer


@each_kind(places(Choice))
def test_unknown_choice_is_an_error_and_never_a_default(contract: AgentContract, place: Place, kind: Choice) -> None:
    """A signal that cannot be read is never HOLD, NEUTRAL or the first member."""
    first = kind.members[0]
    for unknown in ("看多", "", "UNKNOWN", first[:-1], f"{first}?", first.swapcase(), None, True, 1, [first]):
        assert refuses(contract, place, unknown), unknown


# --- numbers ----------------------------------------------------------------------------------------------


@each_kind(places(Number))
def test_number_at_and_inside_its_bounds_is_read(contract: AgentContract, place: Place, kind: Number) -> None:
    for number in (kind.low, (kind.low + kind.high) / 2, kind.high):
        assert reads(contract, place, number) == number


@each_kind([case for case in places(Number) if case[2].bounded])
def test_number_outside_its_bounds_is_an_error(contract: AgentContract, place: Place, kind: Number) -> None:
    step = 1 if kind.whole else 0.0001
    for number in (kind.low - step, kind.high + step, -(10**400), 10**400):
        assert refuses(contract, place, number), number


@each_kind(places(Number))
def test_number_written_as_text_is_read(contract: AgentContract, place: Place, kind: Number) -> None:
    assert reads(contract, place, str(kind.high)) == kind.high


@each(places(Number))
@pytest.mark.parametrize(
    "written",
    ["80%", "约0.8", "1,650", "八十", "", "nan", True, False, None, [1], {}, float("nan"), float("inf")],
    ids=repr,
)
def test_what_is_no_finite_number_is_an_error(contract: AgentContract, place: Place, written: object) -> None:
    """`true` is not 1: Pydantic alone would take it."""
    assert refuses(contract, place, written)


@each([case for case in places(Number) if case[2].whole])
def test_whole_number_may_be_written_with_a_zero_fraction_only(contract: AgentContract, place: Place) -> None:
    assert reads(contract, place, 80.0) == 80
    for written in (80.5, "80.5"):
        assert refuses(contract, place, written)


# --- text -------------------------------------------------------------------------------------------------


@each(places(Text))
def test_text_is_kept_to_the_character(contract: AgentContract, place: Place) -> None:
    for text in ("", "  ", " “引号”，全角：｛｝\n第二行 <think>保留</think> ```"):
        assert reads(contract, place, text) == text


@each(places(Text))
def test_what_is_not_text_is_an_error(contract: AgentContract, place: Place) -> None:
    for other in (True, ["文本"], {"text": "文本"}, float("nan"), float("inf")):
        assert refuses(contract, place, other)


@each_kind(places(Text))
def test_null_is_text_only_where_the_contract_fills_a_missing_one(
    contract: AgentContract, place: Place, kind: Text
) -> None:
    if kind.null_is_missing:
        assert reads(contract, place, None) == ""
    else:
        assert refuses(contract, place, None)


@each_kind(places(Text))
def test_number_is_text_only_where_a_quantity_is_due(contract: AgentContract, place: Place, kind: Text) -> None:
    for number, spelling in ((0.6, "0.6"), (0, "0"), (-15, "-15"), (1650.0, "1650.0")):
        if isinstance(kind, Quantity):
            assert reads(contract, place, number) == spelling
        else:
            assert refuses(contract, place, number)


# --- lists and objects ------------------------------------------------------------------------------------


@each(places(Texts))
def test_every_item_of_a_list_is_kept_blank_ones_too(contract: AgentContract, place: Place) -> None:
    items = ["一", "", "  ", "一"]
    assert reads(contract, place, items) == items


@each(places(Texts))
def test_item_that_is_no_text_is_an_error_that_names_it(contract: AgentContract, place: Place) -> None:
    items: tuple[object, ...] = (1, None, True, ["一"], {})
    for item in items:
        assert contract.refusal(replaced(contract.answer, place, ["一", item])) == {(*place, 1)}


@each_kind(places(Texts))
def test_list_may_be_empty_only_where_the_contract_says_so(contract: AgentContract, place: Place, kind: Texts) -> None:
    if kind.least:
        assert refuses(contract, place, [])
    else:
        assert reads(contract, place, []) == []


@each_kind(places(Texts))
def test_null_and_a_single_string_are_lists_only_where_the_contract_says_so(
    contract: AgentContract, place: Place, kind: Texts
) -> None:
    if kind.lenient:
        assert reads(contract, place, None) == []
        assert reads(contract, place, "只有一条") == ["只有一条"]
    else:
        assert refuses(contract, place, None)
        assert refuses(contract, place, "只有一条")


@each(places(Texts))
def test_what_is_no_list_of_text_is_an_error(contract: AgentContract, place: Place) -> None:
    for other in (1, True, {"一": "二"}):
        assert refuses(contract, place, other)


@each_kind(places(Objects))
def test_list_of_objects_holds_as_many_as_the_contract_says(
    contract: AgentContract, place: Place, kind: Objects
) -> None:
    item = value_at(contract.answer, (*place, 0))
    for count in range(6):
        items = [item] * count
        if count >= kind.least and (kind.most is None or count <= kind.most):
            assert reads(contract, place, items) == items
        else:
            assert refuses(contract, place, items)


@each(places(Objects))
def test_what_is_no_list_of_objects_is_an_error(contract: AgentContract, place: Place) -> None:
    for other in (None, "文本", 1, True, value_at(contract.answer, (*place, 0))):
        assert refuses(contract, place, other)


@each(places(Objects))
def test_item_that_is_no_object_is_an_error_and_never_dropped(contract: AgentContract, place: Place) -> None:
    items = value_at(contract.answer, place)
    others: tuple[object, ...] = ("文本", None, 1, [])
    for other in others:
        answer = replaced(contract.answer, place, [other, *items[1:]])
        assert contract.refusal(answer) == {(*place, 0)}


@each(places(Nested))
def test_what_is_no_object_is_an_error(contract: AgentContract, place: Place) -> None:
    others: tuple[object, ...] = ("文本", None, 1, [])
    for other in others:
        assert refuses(contract, place, other)
