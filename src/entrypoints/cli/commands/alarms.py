"""`llm-output alarms`."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from src.entrypoints.cli.exit_codes import ExitCode
from src.entrypoints.cli.guard import guarded
from src.entrypoints.cli.options import StoreOption, WindowOption
from src.entrypoints.cli.plain_output import json_text, spoken, visible, write_stdout
from src.entrypoints.cli.screen import error_line, print_table

if TYPE_CHECKING:
    from src.modules.monitoring.application.watch_alarms import WatchAlarms
    from src.modules.monitoring.domain.alarm import AlarmEvent

EXAMPLES = (
    "llm-output alarms --store sqlite:///outcomes.db",
    "llm-output alarms --watch --webhook https://chat.example/hooks/alarms",
)


@guarded
def alarms(
    *,
    store: StoreOption = None,
    window: WindowOption = "200",
    watch: Annotated[bool, typer.Option("--watch", help="Go on looking until it is stopped.")] = False,
    every: Annotated[
        float, typer.Option("--every", min=0.1, max=3_600, metavar="SECONDS", help="How often --watch looks.")
    ] = 10.0,
    webhook: Annotated[
        str | None,
        typer.Option(
            "--webhook",
            metavar="URL",
            help="Tell this address of every alarm and recovery, once; by default OUTPUT_WEBHOOK_URL.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON; with --watch, one line an event.")] = False,
) -> None:
    """Tell of agents and models repaired too often.

    A rate that rises to 5 % is a warning, above 10 % an alarm, below 4 % again a recovery. Each is told once, however
    many watchers look at one store, and once to the webhook: one that does not answer is asked again. What is sent is
    signed with OUTPUT_WEBHOOK_SECRET.
    """
    from src.modules.monitoring import container  # noqa: PLC0415 - the store's libraries
    from src.modules.monitoring.domain.window import Window  # noqa: PLC0415 - as above
    from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings  # noqa: PLC0415 - as above

    given: dict[str, Any] = {"webhook_url": webhook} if webhook else {}
    settings = MonitoringSettings(**given)
    url = container.store_url(settings, store)
    watcher = container.watch_alarms(url, container.webhook_of(settings), Window.of(window))
    if watch:
        _watch(watcher, every, as_json=as_json)
    events = watcher.look()
    _show(watcher, events, as_json=as_json)
    if not _deliver(watcher):
        raise typer.Exit(ExitCode.MODEL_ERROR)


def _watch(watcher: WatchAlarms, every: float, *, as_json: bool) -> None:
    """Look until somebody stops it; a store that is away for a while is waited for."""
    from src.modules.monitoring.domain.exceptions import StoreUnavailableError  # noqa: PLC0415 - as above

    is_away = False
    while True:
        try:
            for event in watcher.look():
                write_stdout(_json_line(event) if as_json else _line(event))
            _deliver(watcher)
        except StoreUnavailableError as error:
            if not is_away:
                error_line(error.message)
            is_away = True
        else:
            is_away = False
        time.sleep(every)


def _deliver(watcher: WatchAlarms) -> bool:
    failures = [done.error for done in watcher.deliver() if done.error]
    for failure in failures:
        error_line(failure.message)
    return not failures


def _show(watcher: WatchAlarms, events: tuple[AlarmEvent, ...], *, as_json: bool) -> None:
    from src.entrypoints.cli.rates_view import alarms_table
    from src.entrypoints.reports.monitoring_json import alarm_event_json, alarm_json  # noqa: PLC0415 - as above

    standing = watcher.store.alarms()
    if as_json:
        told = [alarm_event_json(event) for event in events]
        write_stdout(json_text({"events": told, "alarms": [alarm_json(alarm) for alarm in standing]}))
        return
    for event in events:
        write_stdout(_line(event))
    if standing:
        print_table(alarms_table(standing))
    elif not events:
        write_stdout(spoken("没有报警", "no alarms"))


def _line(event: AlarmEvent) -> str:
    from src.entrypoints.reports.monitoring_json import moment_json  # noqa: PLC0415 - as above

    return f"{moment_json(event.at)} {event.kind} {visible(event.message)}"


def _json_line(event: AlarmEvent) -> str:
    from src.entrypoints.reports.monitoring_json import alarm_event_json  # noqa: PLC0415 - as above

    return json.dumps(alarm_event_json(event))
