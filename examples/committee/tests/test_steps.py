"""Which failures a run that goes on takes as they are."""

import pytest

from examples.committee.container import CommitteeContainer
from examples.committee.domain.steps import STEPS, settled, step_of
from tests.shared.routed_llm import RoutedLLM, typed_llm


def test_agents_are_asked_in_the_order_of_the_steps() -> None:
    agents = CommitteeContainer(llm=typed_llm(RoutedLLM({}))).agents()
    steps = [step_of(agent.name) for agent in agents]
    assert steps == sorted(steps)
    assert len(set(steps)) == STEPS


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ((), []),
        (("macro_intelligence",), []),
        (("macro_intelligence", "bull_advocate"), ["macro_intelligence"]),
        (("macro_intelligence", "bull_advocate", "resolution"), ["macro_intelligence", "bull_advocate"]),
        (("macro_intelligence", "bull_advocate", "verdict"), ["macro_intelligence", "bull_advocate"]),
    ],
)
def test_failure_is_settled_when_a_later_agent_was_asked(asked: tuple[str, ...], expected: list[str]) -> None:
    failed = {name: "down" for name in asked if name in ("macro_intelligence", "bull_advocate", "verdict")}
    assert list(settled(asked, failed)) == expected
