"""`llm-output rates`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from src.entrypoints.cli.guard import guarded
from src.entrypoints.cli.options import StoreOption, WindowOption
from src.entrypoints.cli.plain_output import json_text, spoken, write_stdout
from src.entrypoints.cli.screen import print_table, stderr
from src.entrypoints.reports.grouping import Grouping

EXAMPLES = (
    "llm-output rates --store sqlite:///outcomes.db",
    "llm-output rates --by model --window 24h",
    "llm-output rates --by kind --window 1000 --json",
)


ByOption: TypeAlias = Annotated[
    Grouping,
    typer.Option(
        "--by",
        metavar="|".join(Grouping),
        help="One line an agent or a model, each over its own last texts; a stage that refused; or a kind of repair.",
    ),
]
AgentOfOption: TypeAlias = Annotated[
    str | None, typer.Option("--agent", metavar="LABEL", help="Texts of this agent only, by its label.")
]
ModelOfOption: TypeAlias = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="Texts of this model only.")
]


@guarded
def rates(
    *,
    store: StoreOption = None,
    by: ByOption = Grouping.AGENT,
    window: WindowOption = "200",
    agent: AgentOfOption = None,
    model: ModelOfOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON instead of a table.")] = False,
) -> None:
    """Show how often texts were repaired or refused.

    The numbers are counts over the store of outcomes, and so over all processes that write to it. The repair rate is
    the share of outputs, each with its re-asks, for which the repair agent asked a model: from 5 % a warning, above
    10 % an alarm, from 50 outputs on.
    """
    from src.entrypoints.cli.rates_view import rates_table, shares_table  # noqa: PLC0415 - rich and the store
    from src.entrypoints.reports.monitoring_json import answer_of  # noqa: PLC0415 - as above
    from src.modules.monitoring.container import read_rates, store_url  # noqa: PLC0415 - as above
    from src.modules.monitoring.domain.rate import ShareOf  # noqa: PLC0415 - as above
    from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings  # noqa: PLC0415 - as above
    from src.shared.domain.ports.repair_rates import RateScope  # noqa: PLC0415 - as above

    reading = read_rates(store_url(MonitoringSettings(), store))
    found = answer_of(reading, by, window, agent, model)
    if as_json:
        write_stdout(json_text(found.json()))
        return
    is_scope = by in {Grouping.AGENT, Grouping.MODEL}
    print_table(rates_table(RateScope(by), found.rates) if is_scope else shares_table(ShareOf(by), found.shares))
    if found.dropped:
        dropped = found.dropped
        text = spoken(f"另有 {dropped} 条结果未能写入存储", f"{dropped} outcomes were dropped and are not counted")
        stderr().print(text, soft_wrap=True)
