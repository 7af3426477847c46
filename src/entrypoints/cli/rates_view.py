"""Rates and alarms as tables."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from src.entrypoints.agents import agent_word
from src.entrypoints.cli.plain_output import spoken, visible
from src.entrypoints.cli.screen import plain_table
from src.entrypoints.reports.batch.words import grouped, share
from src.entrypoints.reports.monitoring_json import moment_json
from src.modules.monitoring.domain.alarm import Alarm
from src.modules.monitoring.domain.rate import Rate, Share, ShareOf
from src.shared.domain.language import Language
from src.shared.domain.one_line import one_line
from src.shared.domain.ports.repair_rates import RateLevel, RateScope

_NAME = 60


def rates_table(scope: RateScope, rates: Sequence[Rate]) -> Table:
    """One line an agent, or a model."""
    table = plain_table(
        scope_word(scope),
        spoken("文本", "texts"),
        spoken("原样读出", "clean"),
        spoken("修复", "repaired"),
        spoken("拒绝", "refused"),
        spoken("重问", "re-asked"),
        spoken("修复智能体", "repair agent"),
        spoken("级别", "level"),
    )
    for rate in rates:
        texts = rate.texts
        counts = (rate.clean, texts.repaired, texts.refused, texts.re_asked)
        shares = [f"{grouped(count)} ({share(count, texts.parses)})" for count in counts]
        asked = f"{grouped(texts.asked)} ({share(texts.asked, texts.outputs)})"
        name = _named(scope, rate.name)
        table.add_row(name, grouped(texts.parses), *shares, asked, level_word(rate.level))
    return table


def shares_table(of: ShareOf, shares: Sequence[Share]) -> Table:
    """One line a stage, or a kind of repair."""
    name = spoken("拒绝阶段", "refused by") if of is ShareOf.STAGE else spoken("修复种类", "kind of repair")
    table = plain_table(name, spoken("文本", "texts"), spoken("占比", "share"))
    for one in shares:
        table.add_row(_name(one.name), grouped(one.texts), share(one.texts, one.parses))
    return table


def alarms_table(alarms: Sequence[Alarm]) -> Table:
    """One line for each rate that is too high."""
    table = plain_table(spoken("级别", "level"), spoken("对象", "of"), spoken("名称", "name"), spoken("自", "since"))
    for alarm in alarms:
        name = _named(alarm.scope, alarm.name)
        table.add_row(level_word(alarm.level), scope_word(alarm.scope), name, moment_json(alarm.since))
    return table


def scope_word(scope: RateScope) -> str:
    """Whose rate it is."""
    return spoken("智能体", "agent") if scope is RateScope.AGENT else spoken("模型", "model")


def level_word(level: RateLevel) -> str:
    """How a rate stands to the thresholds."""
    words = {
        RateLevel.NORMAL: spoken("正常", "normal"),
        RateLevel.WARNING: spoken("警告", "warning"),
        RateLevel.ALARM: spoken("报警", "alarm"),
    }
    return words[level]


def _named(scope: RateScope, name: str) -> str:
    return _name(spoken(name, agent_word(name, Language.EN) if scope is RateScope.AGENT else name))


def _name(name: str) -> str:
    return visible(one_line(name, _NAME)) or "-"
