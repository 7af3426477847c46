"""The grades: their order, and one for each kind of repair."""

from itertools import combinations

import pytest

from src.shared.domain.grade import Grade, least_sure
from src.shared.domain.repair import RepairKind


def test_no_repair_leaves_a_text_clean_or_only_wrapped() -> None:
    assert not {Grade.CLEAN, Grade.WRAPPED} & {kind.grade for kind in RepairKind}


@pytest.mark.parametrize(("surer", "less_sure"), [*combinations(Grade, 2)])
def test_grades_are_in_the_order_of_their_names(surer: Grade, less_sure: Grade) -> None:
    assert (less_sure.is_behind(surer), surer.is_behind(less_sure)) == (True, False)


def test_result_is_as_sure_as_the_least_sure_thing_done() -> None:
    assert least_sure([Grade.LOSSLESS, Grade.CHOSEN, Grade.READ]) is Grade.CHOSEN


def test_nothing_done_is_clean() -> None:
    assert least_sure([]) is Grade.CLEAN
