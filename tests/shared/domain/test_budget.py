"""A budget and the time that somebody else gives."""

import pytest

from src.shared.domain.budget import Budget


@pytest.mark.parametrize(
    ("own", "given", "bound"),
    [
        (None, None, None),
        (30.0, None, 30.0),
        (None, 20.0, 20.0),
        (30.0, 20.0, 20.0),
        (30.0, 30.0, 30.0),
        (30.0, 40.0, 30.0),
    ],
)
def test_tighter_bound_on_the_time_counts(own: float | None, given: float | None, bound: float | None) -> None:
    assert Budget(max_retries=1, max_seconds=own).within(given) == Budget(max_retries=1, max_seconds=bound)


def test_no_time_left_is_a_bound() -> None:
    assert Budget().within(0.0).max_seconds == 0.0


def test_bounds_that_are_not_given_stay() -> None:
    budget = Budget(max_retries=1, max_seconds=30.0, max_tokens=100)

    assert budget.bounded() == budget
    assert budget.bounded(max_retries=0) == Budget(max_retries=0, max_seconds=30.0, max_tokens=100)
    assert budget.bounded(max_seconds=20.0) == Budget(max_retries=1, max_seconds=20.0, max_tokens=100)
