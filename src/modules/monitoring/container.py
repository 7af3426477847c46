"""The composition root of this context: which store stands behind recording, rates and alarms.

Stable, for the service: `record_outcomes`, `read_rates`, `watch_alarms` and `Recording`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from src.modules.monitoring.domain.exceptions import MonitoringSettingsError
from src.modules.monitoring.domain.rate import Window
from src.modules.monitoring.infrastructure.monitoring_settings import STORE_URL, MonitoringSettings
from src.modules.monitoring.infrastructure.store import schema
from src.modules.monitoring.infrastructure.store.connection import Store
from src.modules.monitoring.infrastructure.store.outcome_writer import OutcomeWriter
from src.modules.monitoring.infrastructure.store.read_rates import ReadRates
from src.modules.monitoring.infrastructure.store.watch_alarms import WatchAlarms
from src.shared.domain.language import Phrase

if TYPE_CHECKING:
    from src.modules.monitoring.infrastructure.webhook import HttpWebhook


class Recording(NamedTuple):
    """Outcomes on their way to a store.

    Attributes:
        events: the `EventPort` to publish to.
        writer: the same; counts what was `written`, what is `waiting` and what was `dropped`; `close` writes what is
            left, as the end of the process does by itself.
    """

    events: OutcomeWriter
    writer: OutcomeWriter


def record_outcomes(settings: MonitoringSettings | None = None) -> Recording:
    """Record outcomes in the store that the settings name. Nothing is opened before the first parse.

    Args:
        settings: None for those of the environment.

    Raises:
        MonitoringSettingsError: a setting is wrong, or no store is named.
    """
    writer = record_run(None, settings)
    return Recording(writer, writer)


def record_run(file: Path | None, settings: MonitoringSettings | None = None) -> OutcomeWriter:
    """Record the outcomes of a run that may be killed and begun again, in the store that the settings name.

    Args:
        file: remembers who writes, for the next process of the same run; None where there is none.
        settings: None for those of the environment.

    Raises:
        MonitoringSettingsError: a setting is wrong, or no store is named.
    """
    known = settings or MonitoringSettings()
    store = Store(store_url(known))
    return OutcomeWriter(store, days=known.store_days, with_text=known.store_text, run_file=file)


def read_rates(url: str) -> ReadRates:
    """Questions to the store at an address; nothing is opened before the first one."""
    return ReadRates(Store(url))


def watch_alarms(url: str, webhook: HttpWebhook | None = None, window: Window | None = None) -> WatchAlarms:
    """A watcher of the store at an address."""
    return WatchAlarms(Store(url), webhook, window or Window())


def webhook_of(settings: MonitoringSettings) -> HttpWebhook | None:
    """The receiver that the settings name; None where they name none."""
    if settings.webhook_url is None:
        return None
    from src.modules.monitoring.infrastructure.webhook import HttpWebhook  # noqa: PLC0415 - its client takes long to load

    secret = settings.webhook_secret
    return HttpWebhook(settings.webhook_url, secret.get_secret_value() if secret else None)


def upgrade_store(url: str) -> tuple[str | None, str]:
    """Make the tables of the store at an address, or bring them to this version; nothing is lost.

    Returns:
        Version of the tables before, None where there were none, and now.

    Raises:
        StoreError: it cannot be written, or is newer.
    """
    return schema.upgrade(Store(url))


def store_url(settings: MonitoringSettings, given: str | None = None) -> str:
    """The address of the store: the one given, else that of the settings.

    Raises:
        MonitoringSettingsError: there is none.
    """
    if url := given or settings.store_url:
        return url
    message = Phrase("no store is named; set {store_url} or give --store", store_url=STORE_URL)
    raise MonitoringSettingsError(message.text(), {"variables": [STORE_URL]})
