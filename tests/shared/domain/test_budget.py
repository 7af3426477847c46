"""A budget with other bounds."""

from src.shared.domain.budget import Budget


def test_bounds_that_are_not_given_stay() -> None:
    budget = Budget(max_retries=1, max_seconds=30.0, max_tokens=100)

    assert budget.bounded() == budget
    assert budget.bounded(max_retries=0) == Budget(max_retries=0, max_seconds=30.0, max_tokens=100)
    assert budget.bounded(max_seconds=20.0) == Budget(max_retries=1, max_seconds=20.0, max_tokens=100)
