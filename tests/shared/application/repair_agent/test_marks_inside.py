"""A mark inside of an object is not its end: an answer that ends there has lost something."""

import pytest

from src.shared.application.repair_agent.proof import prove
from src.shared.domain.repair_errors import DifferenceKind, RepairRefusedError
from src.shared.infrastructure.parsing.inspection import read_object


@pytest.mark.parametrize(
    ("damaged", "answer"),
    [
        ('{"a": 1, "b": [1, 2 ~~~ 3, 4', '{"a": 1, "b": [1, 2]}'),
        ('{"a": 1, "amount": "100" </b> "c" 3', '{"a": 1, "amount": "100"}'),
    ],
)
def test_repair_agent_is_not_believed_that_the_object_ends_at_a_mark_inside(damaged: str, answer: str) -> None:
    for finished in (None, True):
        with pytest.raises(RepairRefusedError) as refused:
            prove(damaged, answer, read_object, finished=finished)
        assert refused.value.difference
        assert refused.value.difference.kind is DifferenceKind.LOST


def test_repair_agent_may_close_an_object_at_the_end_of_its_wrapping() -> None:
    prove('<b>{"a": [1, 2</b>', '{"a": [1, 2]}', read_object)
