"""A committee as text: each event as a line on stderr while it sits, its result on stdout."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pydantic import BaseModel
from rich.cells import cell_len, set_cell_size
from rich.table import Table

from examples.committee.dossier import Dossier
from examples.committee.result import CommitteeResult, Stage
from examples.committee.words import Conclusion, agent_title, conclusion_of, said, spoken, stage_title
from src.entrypoints.cli.plain_output import visible, write_stdout
from src.entrypoints.cli.screen import plain_table, print_table, say
from src.entrypoints.reports.templates_of import percent
from src.modules.debate.domain.dtos.debate_outcome import DebateArguments
from src.shared.application.prompted_agent import AgentAnswer, AgentId
from src.shared.domain.exceptions import error_of
from src.shared.domain.ports.llm import TokenUsage
from src.shared.domain.repair import how_often

_LABEL_WIDTH = 12
_ERROR_SHOWN = 100
_EVENTS = {"stage": "阶段", "asking": "提问中", "answered": "已答复", "failed": "失败"}


@dataclass
class PrintedResult(CommitteeResult):
    """A result that says each event in a line as it happens."""

    began: dict[str, float] = field(default_factory=dict)

    def stage_started(self, stage: Stage) -> None:
        """Say which stage begins."""
        super().stage_started(stage)
        _say("stage", stage.value)

    def agent_started(self, agent: AgentId) -> None:
        """Say who is asked."""
        super().agent_started(agent)
        self.began[agent.name] = time.monotonic()
        _say("asking", agent_title(agent.name, agent.label))

    def agent_answered(self, answer: AgentAnswer[BaseModel]) -> None:
        """Say what came of it."""
        super().agent_answered(answer)
        seconds = time.monotonic() - self.began[answer.agent.name]
        title = agent_title(answer.agent.name, answer.agent.label)
        wide = set_cell_size(title, max(_LABEL_WIDTH, cell_len(title)))
        event = "failed" if answer.outcome.parsed is None else "answered"
        _say(event, f"{wide} {seconds:6.1f} s  {_in_short(answer)}")


def _say(event: str, text: str) -> None:
    with contextlib.suppress(OSError):  # who watches has gone: that ends no committee
        say(f"{set_cell_size(spoken(_EVENTS[event], event), 9)} {text}")


def _in_short(answer: AgentAnswer[BaseModel]) -> str:
    """What an agent's answer comes to, and what it took to read it."""
    outcome = answer.outcome
    if outcome.parsed is None:
        text = error_of(outcome.error).message
        return visible(text if len(text) <= _ERROR_SHOWN else text[: _ERROR_SHOWN - 1] + "…")
    found = conclusion_of(outcome.parsed.value)
    told, times = [f"{found.word} {found.confidence:g}"], _times_asked(answer)
    if times > 1:
        told.append(spoken(f"提问 {times} 次", f"asked {times} times"))
    if repairs := len(outcome.parsed.repairs):
        told.append(spoken(f"修复 {repairs} 处", f"{repairs} repairs"))
    return visible(", ".join(told))


def _times_asked(answer: AgentAnswer[BaseModel]) -> int:
    return sum(not attempt.by_repair_agent for attempt in answer.outcome.attempts)


def print_result(dossier: Dossier, result: CommitteeResult) -> None:
    """Print the verdict, what to heed, the experts, the debate, the risks, and what it took."""
    stock = dossier.stock
    write_stdout(visible(f"{stock.name} {stock.symbol}, {stock.as_of}") + "\n")
    _print_verdict(result)
    _print_experts(result)
    _print_debate(result)
    _print_effort(result)


def _print_verdict(result: CommitteeResult) -> None:
    verdict = result.verdict
    heed = list(_to_heed(result))
    if verdict is None:
        stopped = spoken("停在", "stopped in"), stage_title(result.stage)
        because = spoken("原因", "because"), error_of(result.error).message
        _print_section(spoken("没有裁决", "No verdict"), [stopped, because, *heed])
        return
    facts = [
        (spoken("行动", "action"), _named(conclusion_of(verdict))),
        (spoken("仓位", "position"), percent(verdict.position_percent)),
        (spoken("置信度", "confidence"), percent(verdict.confidence)),
        (spoken("进场", "entry"), verdict.entry_strategy),
        (spoken("止损", "stop loss"), verdict.stop_loss),
        (spoken("止盈", "take profit"), verdict.take_profit),
        (spoken("期限", "horizon"), verdict.time_horizon),
        (spoken("理由", "reasoning"), verdict.reasoning),
        *((spoken("风险", "risk"), text) for text in verdict.risk_warnings),
    ]
    _print_section(spoken("裁决", "Verdict"), [*facts, *heed])


def _to_heed(result: CommitteeResult) -> Iterator[tuple[str, str]]:
    """What the verdict contradicts, and who of the committee has no part in it, and why."""
    missing = spoken("缺失", "missing")
    for warning in result.warnings:
        yield spoken("警告", "warning"), said(warning.message.zh, warning.message.en)
    for expert in result.research.experts if result.research else ():
        if expert.error:
            title = agent_title(expert.name, expert.label)
            why = expert.error.message
            yield missing, said(f"{title}没有给出结论：{why}", f"{title} gave no conclusion: {why}")
    for side, error in result.arguments.failures.items() if result.arguments else ():
        title = agent_title(side, {"bull_advocate": "多头辩护人", "bear_advocate": "空头辩护人"}[side])
        yield missing, said(f"{title}没有给出论证：{error.message}", f"{title} made no case: {error.message}")
    for agent in result.unfinished:
        yield spoken("中断", "cut off"), agent_title(agent.name, agent.label)


def _print_experts(result: CommitteeResult) -> None:
    if result.research is None:
        return
    table = plain_table(spoken("专家", "expert"), spoken("信号", "signal"), spoken("置信度", "confidence"))
    for expert in result.research.experts:
        found = conclusion_of(expert.result) if expert.result else None
        signal = _named(found) if found else spoken("（没有结论）", "(no conclusion)")
        title = agent_title(expert.name, expert.label)
        table.add_row(visible(title), visible(signal), percent(found.confidence) if found else "")
    _print_titled(spoken("专家", "Experts"), table)


def _print_debate(result: CommitteeResult) -> None:
    sides, debate = list(_sides(result.arguments)), result.debate
    if debate is None:
        if sides:
            _print_section(spoken("辩论", "Debate"), sides)
        return
    settled = f"{_named(conclusion_of(debate))}{said('：', ': ')}{debate.conflict_resolution}"
    _print_section(
        spoken("辩论", "Debate"),
        [
            *sides,
            *((spoken("分歧", "disagreement"), text) for text in debate.key_disagreements),
            (f"{spoken('结论', 'settled')} {percent(debate.confidence)}", settled),
        ],
    )
    if debate.risk_matrix:
        table = plain_table(
            spoken("风险", "risk"),
            spoken("概率", "probability"),
            spoken("影响", "impact"),
            spoken("缓解办法", "mitigation"),
        )
        for row in debate.risk_matrix:
            table.add_row(*map(visible, (row.risk, row.probability, row.impact, row.mitigation)))
        _print_titled(spoken("风险", "Risks"), table)


def _sides(arguments: DebateArguments | None) -> Iterator[tuple[str, str]]:
    if arguments is None:
        return
    sides = ((arguments.bull, "多头", "bull"), (arguments.bear, "空头", "bear"))
    for argument, zh, en in sides:
        if argument:
            yield f"{spoken(zh, en)} {percent(argument.confidence)}", argument.core_thesis
        else:
            yield spoken(zh, en), arguments.failures[f"{en}_advocate"].message


def _print_effort(result: CommitteeResult) -> None:
    table = plain_table(
        spoken("成员", "agent"),
        spoken("提问", "asked"),
        spoken("修复，或重问的原因", "repaired, or why asked again"),
        spoken("词元", "tokens"),
        spoken("秒", "seconds"),
    )
    for answer in result.answers:
        title, outcome = agent_title(answer.agent.name, answer.agent.label), answer.outcome
        row = (title, str(_times_asked(answer)), _handling(answer), _tokens(outcome.usage), f"{outcome.latency:.1f}")
        table.add_row(*map(visible, row))
    _print_titled(spoken("形成过程", "How it came about"), table)
    tokens, seconds = _tokens(result.usage), f"{result.seconds:.1f}"
    price = result.price
    cost = f"{spoken('，', ', ')}{price.cost(result.usage):.4f} {price.currency}" if price else ""
    cut = spoken("；被中途停止的不计在内", "; what was cut off is not counted") if result.unfinished else ""
    counted = spoken(
        f"共 {result.replies} 次答复，{tokens} 词元，{seconds} 秒",
        f"{result.replies} answers, {tokens} tokens, {seconds} s in all",
    )
    write_stdout(visible(f"{counted}{cost}{cut}"))


def _handling(answer: AgentAnswer[BaseModel]) -> str:
    """Why the agent was asked again, whether the repair agent was, and what was repaired."""
    outcome = answer.outcome
    told = [attempt.error.message for attempt in outcome.attempts if attempt.error]
    if any(attempt.by_repair_agent for attempt in outcome.attempts):
        told.append(spoken("请了修复智能体", "asked the repair agent"))
    kinds = how_often(outcome.parsed.repairs if outcome.parsed else ())
    told.append(", ".join(f"{kind.value} ×{count}" for kind, count in kinds.most_common()))
    return "; ".join(filter(None, told))


def _tokens(usage: TokenUsage) -> str:
    about = spoken("约 ", "about ") if usage.is_estimated else ""
    return f"{about}{usage.total_tokens:,}" if usage.total_tokens else spoken("未知", "unknown")


def _named(found: Conclusion) -> str:
    return found.word if found.word in found.raw.casefold() else f"{found.word} {found.raw}"


def _print_section(title: str, facts: Iterable[tuple[str, str]]) -> None:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in facts:
        if text:
            table.add_row(name, visible(text))
    _print_titled(title, table)


def _print_titled(title: str, table: Table) -> None:
    write_stdout(title)
    print_table(table)
    write_stdout("")
