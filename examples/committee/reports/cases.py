"""The two sides of a debate, whichever of them was heard."""

from __future__ import annotations

from dataclasses import dataclass

from examples.committee.application.result import CommitteeResult
from examples.committee.reports.labels import Stance, agent_title, stance_of
from src.entrypoints.reports.words import said
from src.modules.debate.domain.dtos.bull_bear_argument import BearArgument, BullArgument


@dataclass(frozen=True, slots=True)
class CaseView:
    """One side of a debate.

    Attributes:
        title: the side's.
        label: its advocate's title.
        tone: which way it leans.
        argument: the case; None where its advocate failed.
        lists: title and items of each of its lists.
        failure: why there is no case; empty where there is one.
    """

    title: str
    label: str
    tone: str
    argument: BullArgument | BearArgument | None
    lists: tuple[tuple[str, tuple[str, ...]], ...] = ()
    failure: str = ""

    @property
    def stance(self) -> Stance | None:
        """What the advocate comes out for; None where there is no case."""
        return stance_of(self.argument.direction) if self.argument else None


def cases_of(result: CommitteeResult) -> tuple[CaseView, ...]:
    """Both sides; empty where nobody argued."""
    found = result.arguments
    if found is None:
        return ()
    failures = {name: error.message for name, error in found.failures.items()}
    bull, bear = said("多头", "Bull"), said("空头", "Bear")
    bull_label = agent_title("bull_advocate", "多头辩护人")
    bear_label = agent_title("bear_advocate", "空头辩护人")
    return (
        CaseView(bull, bull_label, "for", found.bull, _bull_lists(found.bull), failures.get("bull_advocate", "")),
        CaseView(bear, bear_label, "against", found.bear, _bear_lists(found.bear), failures.get("bear_advocate", "")),
    )


def _bull_lists(case: BullArgument | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if case is None:
        return ()
    return (
        (said("论据", "Arguments"), tuple(case.supporting_arguments)),
        (said("承认的风险", "Risks it acknowledges"), tuple(case.acknowledged_risks)),
        (said("可能推动上涨的事件", "Events that may push the price up"), tuple(case.price_catalysts)),
    )


def _bear_lists(case: BearArgument | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if case is None:
        return ()
    return (
        (said("论据", "Arguments"), tuple(case.supporting_arguments)),
        (said("承认的长处", "Strengths it acknowledges"), tuple(case.acknowledged_strengths)),
        (said("会触发风险的事件", "Events that would trigger the risks"), tuple(case.risk_triggers)),
    )
