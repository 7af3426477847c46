"""Edits of one text."""

from src.shared.domain.edits import Edit, merged
from src.shared.domain.repair import RepairKind as K


def test_two_collections_of_edits_are_one_in_the_order_of_their_offsets() -> None:
    one = [Edit(0, 1, '"', K.SINGLE_QUOTE), Edit(9, 1, '"', K.SINGLE_QUOTE)]
    other = [Edit(4, 3, "1e9", K.NON_FINITE_NUMBER)]
    both = merged(one, other)
    assert [edit.offset for edit in both] == [0, 4, 9]
