"""`llm-output store upgrade`."""

from __future__ import annotations

from src.entrypoints.cli.guard import guarded
from src.entrypoints.cli.options import StoreOption
from src.entrypoints.cli.plain_output import spoken, write_stdout

HELP = "Look after the store of outcomes."
EXAMPLES = ("llm-output store upgrade --store sqlite:///outcomes.db",)


@guarded
def upgrade(*, store: StoreOption = None) -> None:
    """Bring the tables of a store to this version, or make them.

    Nothing that is stored is lost. It is one transaction: a store is upgraded as a whole or not at all. Stop what
    writes to it with an earlier version first.
    """
    from src.modules.monitoring.container import store_url, upgrade_store  # noqa: PLC0415 - the store's libraries
    from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings  # noqa: PLC0415 - as above

    done = upgrade_store(store_url(MonitoringSettings(), store))
    if done.before == done.after:
        write_stdout(spoken(f"存储已是版本 {done.after}", f"The store is of version {done.after} already."))
    elif done.before is None:
        write_stdout(spoken(f"已创建存储，版本 {done.after}", f"Made a store of version {done.after}."))
    else:
        zh, en = f"已从版本 {done.before} 升级到 {done.after}", f"Upgraded from version {done.before} to {done.after}."
        write_stdout(spoken(zh, en))
