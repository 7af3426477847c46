"""`llm-output rates`, `alarms` and `store upgrade`: what the store of outcomes tells, and the store itself."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer
from rich.table import Table

from src.entrypoints.agents import agent_word
from src.entrypoints.cli.exit_codes import ExitCode
from src.entrypoints.cli.options import StoreOption, command, option, switch
from src.entrypoints.cli.plain_output import json_text, spoken, visible, write_stdout
from src.entrypoints.cli.screen import error_line, plain_table, print_table, say
from src.entrypoints.reports.batch.words import grouped, share
from src.entrypoints.reports.grouping import Grouping
from src.entrypoints.reports.monitoring_json import RatesAnswer, alarm_event_json, alarm_json, answer_of, moment_json
from src.modules.monitoring.domain.alarm import Alarm, AlarmEvent
from src.modules.monitoring.domain.exceptions import StoreUnavailableError
from src.modules.monitoring.domain.rate import Share, Window
from src.shared.domain.language import Language, language
from src.shared.domain.one_line import one_line
from src.shared.domain.repair_rate import RateLevel, RateScope

if TYPE_CHECKING:
    from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings
    from src.modules.monitoring.infrastructure.store.watch_alarms import WatchAlarms

EXAMPLES = {
    "rates": (
        "llm-output rates --store sqlite:///outcomes.db",
        "llm-output rates --by model --window 24h",
        "llm-output rates --by kind --window 1000 --json",
    ),
    "alarms": (
        "llm-output alarms --store sqlite:///outcomes.db",
        "llm-output alarms --watch --webhook https://chat.example/hooks/alarms",
    ),
    "upgrade": ("llm-output store upgrade --store sqlite:///outcomes.db",),
}
_NAME = 60

WindowOption: TypeAlias = Annotated[
    str,
    option(
        "N|TIME|N,TIME",
        "Which texts are counted: the last 200 of each, those of a time such as 24h (s, m, h, d), or of those the last "
        "200: 200,24h.",
    ),
]


def _settings(webhook: str | None = None) -> MonitoringSettings:
    from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings  # noqa: PLC0415 - an extra

    given: dict[str, Any] = {"webhook_url": webhook} if webhook else {}
    return MonitoringSettings(**given)


@command()
def rates(
    *,
    store: StoreOption = None,
    by: Annotated[
        Grouping,
        option(
            "|".join(Grouping),
            "One line an agent or a model, each over its own last texts; a stage that refused; or a kind of repair.",
        ),
    ] = Grouping.AGENT,
    window: WindowOption = "200",
    agent: Annotated[str | None, option("LABEL", "Texts of this agent only, by its label.")] = None,
    model: Annotated[str | None, option("NAME", "Texts of this model only.")] = None,
    as_json: Annotated[bool, switch("--json", "Write JSON instead of a table.")] = False,
) -> None:
    """Show how often texts were repaired or refused.

    The numbers are counts over the store of outcomes, and so over all processes that write to it. The repair rate is
    the share of outputs, each with its re-asks, for which the repair agent asked a model: from 5 % a warning, above
    10 % an alarm, from 50 outputs on.
    """
    from src.modules.monitoring import container  # noqa: PLC0415 - the store's libraries

    reading = container.read_rates(container.store_url(_settings(), store))
    found = answer_of(reading, by, window, agent, model)
    if as_json:
        write_stdout(json_text(found.json()))
        return
    print_table(_rates_table(found))
    if found.dropped:
        dropped = found.dropped
        say(spoken("{dropped} outcomes were dropped and are not counted", dropped=dropped))


@command()
def alarms(
    *,
    store: StoreOption = None,
    window: WindowOption = "200",
    watch: Annotated[bool, switch("--watch", "Go on looking until it is stopped.")] = False,
    every: Annotated[float, option("SECONDS", "How often --watch looks.", min=0.1, max=3_600)] = 10.0,
    webhook: Annotated[
        str | None,
        option(
            "URL",
            "Tell this address of every alarm and recovery; by default OUTPUT_WEBHOOK_URL.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, switch("--json", "Write JSON; with --watch, one line an event.")] = False,
) -> None:
    """Tell of agents and models repaired too often.

    A rate that rises to 5 % is a warning, above 10 % an alarm, below 4 % again a recovery. Each is told once, however
    many watchers look at one store. To the webhook it is sent, signed with OUTPUT_WEBHOOK_SECRET, until it is taken:
    by --watch or the next call, every 30 seconds for a day.
    """
    from src.modules.monitoring import container  # noqa: PLC0415 - the store's libraries

    settings = _settings(webhook)
    url = container.store_url(settings, store)
    watcher = container.watch_alarms(url, container.webhook_of(settings), Window.of(window))
    if watch:
        _watch(watcher, every, as_json=as_json)
    events, standing = watcher.look(), watcher.alarms()
    if as_json:
        found = {"events": [*map(alarm_event_json, events)], "alarms": [*map(alarm_json, standing)]}
        write_stdout(json_text(found))
    else:
        for event in events:
            write_stdout(_line(event))
        if standing:
            print_table(_alarms_table(standing))
        elif not events:
            write_stdout(spoken("no alarms"))
    if not _deliver(watcher):
        raise typer.Exit(ExitCode.MODEL_ERROR)


@command()
def upgrade(*, store: StoreOption = None) -> None:
    """Bring the tables of a store to this version, or make them.

    Nothing that is stored is lost. It is one transaction: a store is upgraded as a whole or not at all. Stop what
    writes to it with an earlier version first.
    """
    from src.modules.monitoring import container  # noqa: PLC0415 - the store's libraries

    before, after = container.upgrade_store(container.store_url(_settings(), store))
    if before == after:
        write_stdout(spoken("The store is of version {after} already.", after=after))
    elif before is None:
        write_stdout(spoken("Made a store of version {after}.", after=after))
    else:
        write_stdout(spoken("Upgraded from version {before} to {after}.", before=before, after=after))


def _watch(watcher: WatchAlarms, every: float, *, as_json: bool) -> None:
    """Look until somebody stops it; a store that is away for a while is waited for."""
    is_away = False
    while True:
        try:
            for event in watcher.look():
                write_stdout(json.dumps(alarm_event_json(event)) if as_json else _line(event))
            _deliver(watcher)
        except StoreUnavailableError as error:
            if not is_away:
                error_line(error.message)
            is_away = True
        else:
            is_away = False
        time.sleep(every)


def _deliver(watcher: WatchAlarms) -> bool:
    failure = watcher.deliver()
    if failure:
        error_line(failure.message)
    return failure is None


def _line(event: AlarmEvent) -> str:
    return f"{moment_json(event.at)} {event.kind} {visible(event.message)}"


def _rates_table(found: RatesAnswer) -> Table:
    """One line an agent, or a model; a stage, or a kind of repair."""
    first = {
        Grouping.AGENT: spoken("agent"),
        Grouping.MODEL: spoken("model"),
        Grouping.STAGE: spoken("refused by"),
        Grouping.KIND: spoken("kind of repair"),
    }
    if found.by in {Grouping.STAGE, Grouping.KIND}:
        columns = [spoken("share")]
    else:
        columns = [spoken("clean"), spoken("repaired"), spoken("refused"), spoken("re-asked")]
        columns += [spoken("repair agent"), spoken("level")]
    table = plain_table(first[found.by], spoken("texts"), *columns)
    for rate in found.rates:
        if isinstance(rate, Share):
            table.add_row(_name(rate.name), grouped(rate.texts), share(rate.texts, rate.parses))
            continue
        texts = rate.texts
        counts = (rate.clean, texts.repaired, texts.refused, texts.re_asked)
        shares = [f"{grouped(count)} ({share(count, texts.parses)})" for count in counts]
        asked = f"{grouped(texts.asked)} ({share(texts.asked, texts.outputs)})"
        name = _named(RateScope(found.by), rate.name)
        table.add_row(name, grouped(texts.parses), *shares, asked, _level_word(rate.level))
    return table


def _alarms_table(alarms: Sequence[Alarm]) -> Table:
    """One line for each rate that is too high."""
    table = plain_table(spoken("level"), spoken("of"), spoken("name"), spoken("since"))
    for alarm in alarms:
        scope = spoken("agent") if alarm.scope is RateScope.AGENT else spoken("model")
        name = _named(alarm.scope, alarm.name)
        table.add_row(_level_word(alarm.level), scope, name, moment_json(alarm.since))
    return table


def _level_word(level: RateLevel) -> str:
    words = {
        RateLevel.NORMAL: spoken("normal"),
        RateLevel.WARNING: spoken("warning"),
        RateLevel.ALARM: spoken("alarm"),
    }
    return words[level]


def _named(scope: RateScope, name: str) -> str:
    is_translated = scope is RateScope.AGENT and language() is not Language.ZH
    return _name(agent_word(name, Language.EN) if is_translated else name)


def _name(name: str) -> str:
    return visible(one_line(name, _NAME)) or "-"
