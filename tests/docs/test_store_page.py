"""The page on the store names every setting, column, error and bound there is."""

import re

from src.modules.monitoring.domain import exceptions
from src.modules.monitoring.domain.exceptions import StoreError
from src.modules.monitoring.infrastructure.monitoring_settings import PREFIX, MonitoringSettings
from src.modules.monitoring.infrastructure.store.outcome_writer import FLUSH_SECONDS, GIVE_UP, QUEUE, QUEUE_WITH_TEXT
from src.modules.monitoring.infrastructure.store.schema import METADATA
from src.modules.monitoring.infrastructure.store.watch_alarms import AGAIN
from src.shared.domain.exceptions import AppException
from src.shared.domain.outcome import TEXT_LIMIT
from tests.docs.markdown import ROOT
from tests.docs.pages import PAGES, name_in, rows

PAGE = PAGES["docs/reference/store.md"]


def shown(default: object) -> str:
    return "empty" if default is None else str(default).lower()


def test_every_setting_is_described_with_its_default() -> None:
    described = {name_in(row[0]): row[1].strip("`") for row in rows(PAGE, "variable")}
    fields = MonitoringSettings.model_fields
    assert described == {PREFIX + name.upper(): shown(field.default) for name, field in fields.items()}


def test_every_column_is_described() -> None:
    """The name of a table stands in the row of its first column."""
    described, table_name = set(), ""
    for row in rows(PAGE, "table"):
        table_name = name_in(row[0]) if row[0] else table_name
        described.add((table_name, name_in(row[1])))
    assert described == {(table.name, column.name) for table in METADATA.tables.values() for column in table.columns}


def test_every_error_is_described() -> None:
    kinds = [kind for kind in vars(exceptions).values() if isinstance(kind, type) and issubclass(kind, AppException)]
    codes = {kind.default_code for kind in kinds if kind not in {AppException, StoreError}}
    assert {name_in(row[0]) for row in rows(PAGE, "code")} == codes


def test_lines_of_the_writer_are_described() -> None:
    source = (ROOT / "src/modules/monitoring/infrastructure/store/outcome_writer.py").read_text(encoding="utf-8")
    described = {name_in(row[0]) for row in rows(PAGES["docs/reference/log-events.md"], "event of the store")}
    assert described == set(re.findall(r'"(llm_\w+)"', source))


def test_bounds_are_those_of_the_code() -> None:
    text = (ROOT / "docs/reference/store.md").read_text(encoding="utf-8")
    for told in (f"{QUEUE:,} outcomes", f"({QUEUE_WITH_TEXT:,} where", f"within {FLUSH_SECONDS:.0f} seconds"):
        assert told in text
    assert f"first {TEXT_LIMIT:,} characters" in text
    assert f"every {AGAIN} seconds, for a" in text
    assert f"for {GIVE_UP / 60:.0f} minutes" in text
