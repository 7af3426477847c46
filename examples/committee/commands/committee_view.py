"""A committee's result as text on stdout."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.table import Table

from examples.committee.application.result import CommitteeResult
from examples.committee.domain.dossier import Dossier
from examples.committee.reports.cases import CaseView
from examples.committee.reports.effort import AgentEffort
from examples.committee.reports.expert_view import ExpertView
from examples.committee.reports.labels import Stance
from examples.committee.reports.view import ReportView, report_view
from src.entrypoints.cli.plain_output import spoken, visible, write_stdout
from src.entrypoints.cli.screen import plain_table, print_table
from src.entrypoints.reports.templates_of import percent
from src.entrypoints.reports.words import COLON
from src.shared.domain.language import Message
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
    heed = [(spoken("警告", "warning"), text) for _, text in view.warnings]
    heed += [(spoken("缺失", "missing"), _without(expert)) for expert in view.without_result]
    heed += [(spoken("缺失", "missing"), _unheard(case)) for case in view.unheard]
    heed += [(spoken("中断", "cut off"), label) for label in view.unfinished]
    if verdict is None:
        stopped = [(spoken("停在", "stopped in"), view.failed_in), (spoken("原因", "because"), view.failure)]
        _section(spoken("没有裁决", "No verdict"), [*stopped, *heed])
        return
    facts = [
        (spoken("行动", "action"), _named(view.verdict)),
        (spoken("仓位", "position"), percent(verdict.position_percent)),
        (spoken("置信度", "confidence"), percent(verdict.confidence)),
        (spoken("进场", "entry"), verdict.entry_strategy),
        (spoken("止损", "stop loss"), verdict.stop_loss),
        (spoken("止盈", "take profit"), verdict.take_profit),
        (spoken("期限", "horizon"), verdict.time_horizon),
        (spoken("理由", "reasoning"), verdict.reasoning),
        *((spoken("风险", "risk"), text) for text in verdict.risk_warnings),
    ]
    _section(spoken("裁决", "Verdict"), [*facts, *heed])


def _print_experts(view: ReportView) -> None:
    if not view.experts:
        return
    table = plain_table(spoken("专家", "expert"), spoken("信号", "signal"), spoken("置信度", "confidence"))
    for expert in view.experts:
        signal = _named(expert.stance) if expert.stance else spoken("（没有结论）", "(no conclusion)")
        table.add_row(visible(expert.label), visible(signal), percent(expert.confidence) if expert.stance else "")
    _titled(spoken("专家", "Experts"), table)


def _print_debate(view: ReportView) -> None:
    debate = view.result.debate
    facts = list(_sides(view.cases))
    if debate is None:
        if facts:
            _section(spoken("辩论", "Debate"), facts)
        return
    settled_on = f"{_named(view.direction)}{COLON.text()}{debate.conflict_resolution}"
    settled = [(f"{spoken('结论', 'settled')} {percent(debate.confidence)}", settled_on)]
    open_points = [(spoken("分歧", "disagreement"), text) for text in debate.key_disagreements]
    _section(spoken("辩论", "Debate"), [*facts, *open_points, *settled])
    table = plain_table(
        spoken("风险", "risk"),
        spoken("概率", "probability"),
        spoken("影响", "impact"),
        spoken("缓解办法", "mitigation"),
    )
    for row in debate.risk_matrix:
        table.add_row(*map(visible, (row.risk, row.probability, row.impact, row.mitigation)))
    if debate.risk_matrix:
        _titled(spoken("风险", "Risks"), table)


def _sides(cases: Iterable[CaseView]) -> Iterator[tuple[str, str]]:
    for case in cases:
        side = spoken(case.title, "bull" if case.tone == "for" else "bear")
        if case.argument:
            yield f"{side} {percent(case.argument.confidence)}", case.argument.core_thesis
        else:
            yield side, case.failure


def _print_effort(view: ReportView) -> None:
    totals = view.result.totals
    table = plain_table(
        spoken("成员", "agent"),
        spoken("提问", "asked"),
        spoken("修复，或重问的原因", "repaired, or why asked again"),
        spoken("词元", "tokens"),
        spoken("秒", "seconds"),
    )
    for effort in view.efforts:
        row = (effort.label, str(effort.asked), _handling(effort), _tokens(effort.usage), f"{effort.seconds:.1f}")
        table.add_row(*map(visible, row))
    _titled(spoken("形成过程", "How it came about"), table)
    tokens, seconds = _tokens(totals.usage), f"{totals.seconds:.1f}"
    cost = f"{spoken('，', ', ')}{totals.cost:.4f} {totals.currency}" if totals.cost is not None else ""
    cut = "" if totals.complete else spoken("；被中途停止的不计在内", "; what was cut off is not counted")
    counted = spoken(
        f"共 {totals.calls} 次答复，{tokens} 词元，{seconds} 秒",
        f"{totals.calls} answers, {tokens} tokens, {seconds} s in all",
    )
    write_stdout(visible(f"{counted}{cost}{cut}"))


def _without(expert: ExpertView) -> str:
    zh, en = f"{expert.label}没有给出结论：{expert.failure}", f"{expert.label} gave no conclusion: {expert.failure}"
    return Message(zh, en, zh).text()


def _unheard(case: CaseView) -> str:
    zh, en = f"{case.label}没有给出论证：{case.failure}", f"{case.label} made no case: {case.failure}"
    return Message(zh, en, zh).text()


def _handling(effort: AgentEffort) -> str:
    repaired = [f"{kind} ×{count}" for kind, count in effort.repaired]
    by_agent = [spoken("请了修复智能体", "asked the repair agent")] if effort.by_repair_agent else []
    return "; ".join((*effort.refused, *by_agent, ", ".join(repaired))).strip("; ")


def _tokens(usage: TokenUsage) -> str:
    about = spoken("约 ", "about ") if usage.is_estimated else ""
    return f"{about}{usage.total_tokens:,}" if usage.total_tokens else spoken("未知", "unknown")


def _named(stance: Stance | None) -> str:
    if stance is None:
        return ""
    return stance.word if stance.word in stance.raw.casefold() else f"{stance.word} {stance.raw}"


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
