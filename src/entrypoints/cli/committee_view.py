"""A committee's result as text on stdout."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table

from src.committee.application.result import CommitteeResult
from src.committee.domain.dossier import Dossier
from src.entrypoints.cli.plain_output import visible, write_stdout
from src.entrypoints.cli.screen import print_table
from src.entrypoints.cli.tables import plain_table
from src.entrypoints.reports.effort import AgentEffort
from src.entrypoints.reports.labels import Stance
from src.entrypoints.reports.templates_of import percent
from src.entrypoints.reports.view import ReportView, report_view
from src.shared.domain.ports.llm import TokenUsage


def print_result(dossier: Dossier, result: CommitteeResult) -> None:
    """Print the verdict, what to heed, the experts, the debate, the risks, and what it took."""
    view, stock = report_view(dossier, result), dossier.stock
    write_stdout(visible(f"{stock.name} {stock.symbol}, {stock.as_of}") + "\n")
    _print_verdict(view)
    _print_experts(view)
    _print_debate(view)
    _print_effort(view)


def _print_verdict(view: ReportView) -> None:
    verdict = view.result.verdict
    heed = [("warning", text) for text in view.result.warnings]
    heed += [("missing", f"{expert.label}没有给出结论：{expert.failure}") for expert in view.without_result]
    heed += [("cut off", agent.label) for agent in view.result.unfinished]
    if verdict is None:
        _section("No verdict", [("stopped in", view.failed_in), ("because", view.failure), *heed])
        return
    facts = [
        ("action", _named(view.verdict)),
        ("position", percent(verdict.position_percent)),
        ("confidence", percent(verdict.confidence)),
        ("entry", verdict.entry_strategy),
        ("stop loss", verdict.stop_loss),
        ("take profit", verdict.take_profit),
        ("horizon", verdict.time_horizon),
        ("reasoning", verdict.reasoning),
        *(("risk", text) for text in verdict.risk_warnings),
    ]
    _section("Verdict", [*facts, *heed])


def _print_experts(view: ReportView) -> None:
    if not view.experts:
        return
    table = plain_table("expert", "signal", "confidence")
    for expert in view.experts:
        signal = _named(expert.stance) if expert.stance else "(no conclusion)"
        table.add_row(visible(expert.label), visible(signal), percent(expert.confidence) if expert.stance else "")
    _titled("Experts", table)


def _print_debate(view: ReportView) -> None:
    debate = view.result.debate
    if debate is None:
        return
    sides = (("bull", debate.bull_case), ("bear", debate.bear_case))
    facts = [(f"{name} {percent(side.confidence)}", side.core_thesis) for name, side in sides]
    settled = [(f"settled {percent(debate.confidence)}", f"{_named(view.direction)}：{debate.conflict_resolution}")]
    open_points = [("disagreement", text) for text in debate.key_disagreements]
    _section("Debate", [*facts, *open_points, *settled])
    table = plain_table("risk", "probability", "impact", "mitigation")
    for row in debate.risk_matrix:
        table.add_row(*map(visible, (row.risk, row.probability, row.impact, row.mitigation)))
    if debate.risk_matrix:
        _titled("Risks", table)


def _print_effort(view: ReportView) -> None:
    totals = view.result.totals
    table = plain_table("agent", "asked", "repaired, or why asked again", "tokens", "seconds")
    for effort in view.efforts:
        row = (effort.label, str(effort.asked), _handling(effort), _tokens(effort.usage), f"{effort.seconds:.1f}")
        table.add_row(*map(visible, row))
    _titled("How it came about", table)
    cost = f", {totals.cost:.4f} {totals.currency}" if totals.cost is not None else ""
    cut = "" if totals.complete else "; what was cut off is not counted"
    tokens = _tokens(totals.usage)
    write_stdout(visible(f"{totals.calls} answers, {tokens} tokens, {totals.seconds:.1f} s in all{cost}{cut}"))


def _handling(effort: AgentEffort) -> str:
    repaired = [f"{kind} ×{count}" for kind, count in effort.repaired]
    by_agent = ["asked the repair agent"] if effort.by_repair_agent else []
    return "; ".join((*effort.refused, *by_agent, ", ".join(repaired))).strip("; ")


def _tokens(usage: TokenUsage) -> str:
    return f"{usage.total_tokens:,}" if usage.total_tokens else "unknown"


def _named(stance: Stance | None) -> str:
    if stance is None:
        return ""
    return stance.word if stance.word in stance.raw else f"{stance.word} {stance.raw}"


def _section(title: str, facts: Iterable[tuple[str, str]]) -> None:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in facts:
        if text:
            table.add_row(name, visible(text))
    _titled(title, table)


def _titled(title: str, table: Table) -> None:
    write_stdout(title)
    print_table(table)
    write_stdout("")
