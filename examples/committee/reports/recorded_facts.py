"""What a recorded run says, in the reports' words; what it does not say is None or empty."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from examples.committee.domain.run_record import (
    RecordedAgent,
    RecordedCase,
    RecordedDebate,
    RecordedError,
    RecordedExpert,
    RecordedRun,
    RecordedTotals,
    RecordedVerdict,
)
from examples.committee.reports.labels import agent_title, warning_title
from examples.committee.reports.missing import missing_in
from src.entrypoints.reports.words import COLON, said

MOST_UNREAD = 20
"""Places of a result that cannot be read and are named; the rest is counted."""
Scores: TypeAlias = dict[tuple[str, str], float]
_ADVOCATES = {"bull_advocate": ("多头辩护人", "bull"), "bear_advocate": ("空头辩护人", "bear")}


def verdict_of(run: RecordedRun) -> RecordedVerdict:
    """The decision; an empty one where there is none."""
    return run.record.verdict or RecordedVerdict()


def debate_of(run: RecordedRun) -> RecordedDebate:
    """The debate; an empty one where there was none."""
    return run.record.debate or RecordedDebate()


def totals_of(run: RecordedRun) -> RecordedTotals:
    """What the run took; nothing where that is not known."""
    return run.record.totals or RecordedTotals()


def expert_of(run: RecordedRun, name: str) -> RecordedExpert | None:
    """One expert; None where the run does not list it."""
    return next((expert for expert in run.record.experts if expert.name == name), None)


def case_of(run: RecordedRun, side: str) -> RecordedCase:
    """The case of a side, `bull` or `bear`; an empty one where it made none."""
    case: RecordedCase | None = getattr(run.record.cases, side, None)
    return case or RecordedCase()


def risks_of(run: RecordedRun) -> dict[str, str] | None:
    """By the text of each risk of the matrix how likely and how bad it is; None where there was no debate."""
    if run.record.debate is None:
        return None
    found: dict[str, list[str]] = {}
    for one in run.record.debate.risk_matrix:
        told = ((said("概率", "probability"), one.probability), (said("影响", "impact"), one.impact))
        found.setdefault(one.risk, []).extend(f"{title}{COLON.text()}{text}" for title, text in told if text)
    return {risk: said("；", "; ").join(notes) for risk, notes in found.items()}


def scores_of(run: RecordedRun) -> Scores:
    """By expert and dimension the score that was given."""
    found: Scores = {}
    for expert in run.record.experts:
        if expert.result is None:
            continue
        if expert.result.financial_score is not None:
            found[expert.name, said("总分", "overall score")] = expert.result.financial_score
        scored = ((one.dimension, one.score) for one in expert.result.dimension_analyses)
        found |= {(expert.name, dimension): score for dimension, score in scored if score is not None}
    return found


def without_result(run: RecordedRun) -> dict[str, str]:
    """By the title of each member without a conclusion, the reason; empty where that is not told."""
    found = {
        agent_title(expert.name, expert.label or expert.name): _reason(expert.error)
        for expert in run.record.experts
        if expert.opinion is None
    }
    cases = run.record.cases
    for name, (label, side) in _ADVOCATES.items():
        if cases and getattr(cases, side) is None:
            found[agent_title(name, label)] = _reason(cases.missing.get(name))
    members: tuple[RecordedAgent | RecordedExpert, ...] = (*run.record.agents, *run.record.experts)
    labels = {member.name: member.label for member in members}
    for name in run.record.unfinished:
        found.setdefault(agent_title(name, labels.get(name) or name), said("被中途停止", "was stopped midway"))
    return found


def warnings_of(run: RecordedRun) -> dict[str, str]:
    """By the title of each doubt about the verdict what it says; several of one rule are one entry."""
    found: dict[str, list[str]] = {}
    for one in run.record.warnings:
        text = said(one.zh, one.en)
        found.setdefault(warning_title(one.code) if one.code else text, []).extend([text] if one.code else [])
    return {title: said("；", "; ").join(texts) for title, texts in found.items()}


def missing_of(run: RecordedRun) -> Iterator[str]:
    """What the dossier did not say, section and field: the dossier's own, else what the result says of it."""
    sections = (
        [(section.title.text(), [field.text() for field in section.fields]) for section in missing_in(run.dossier)]
        if run.dossier
        else run.record.missing_data.items()
    )
    for section, fields in sections:
        for field in fields or [said("全部", "all of it")]:
            yield f"{section}{said('：', ': ')}{field}"


def lacking_of(run: RecordedRun) -> str:
    """Keys that a result of an earlier version does not have, and what of the run cannot be read."""
    dossier = [] if run.dossier else ["dossier.json"]
    listed = said("、", ", ").join([*run.absent, *run.unread[:MOST_UNREAD], *dossier])
    more = len(run.unread) - MOST_UNREAD
    return said(f"{listed}，另有 {more} 处", f"{listed} and {more} more") if more > 0 else listed


def tokens_of(run: RecordedRun) -> int | None:
    """Tokens that were read and written; None where that is not known."""
    tokens = totals_of(run).tokens
    return tokens.prompt + tokens.completion if tokens else None


def cost_of(run: RecordedRun) -> str:
    """The cost with its currency; empty where no price was known."""
    totals = totals_of(run)
    return "" if totals.cost is None else f"{totals.cost:.4f} {totals.currency or ''}".strip()


def seconds_of(run: RecordedRun) -> str:
    """How long the run took."""
    seconds = totals_of(run).seconds
    return "" if seconds is None else f"{seconds:.1f} {said('秒', 's')}"


def asked_in(run: RecordedRun) -> int | None:
    """How often agents were asked, the repair agent's questions aside."""
    return sum(agent.asked for agent in run.record.agents) if run.record.agents else None


def refused_in(run: RecordedRun) -> int | None:
    """How many answers could not be used."""
    return sum(len(agent.refused) for agent in run.record.agents) if run.record.agents else None


def repairs_in(run: RecordedRun) -> int | None:
    """How many places of the answers were repaired."""
    return sum(sum(agent.repaired.values()) for agent in run.record.agents) if run.record.agents else None


def models_of(run: RecordedRun) -> tuple[str, ...]:
    """The models that answered."""
    return tuple(dict.fromkeys(model for agent in run.record.agents for model in agent.models))


def counted_of(run: RecordedRun) -> str:
    """What the sums of a run leave open."""
    totals = totals_of(run)
    notes = [said("词元为估计", "tokens are estimated")] if totals.tokens and totals.tokens.estimated else []
    notes += [] if totals.complete else [said("被中途停止的不计在内", "what was cut off is not counted")]
    return said("；", "; ").join(notes)


def _reason(error: RecordedError | None) -> str:
    return error.message if error else ""
