"""The page on building a dossier names the settings, functions and bounds that there are."""

import re

from examples.committee.application.dossier import builder, catalyst, technical
from examples.committee.domain import indicators
from examples.committee.infrastructure.market_data.settings import MarketDataSettings
from tests.docs.markdown import ROOT, code_in
from tests.docs.pages import PAGES, name_in, rows

PAGE = PAGES["docs/how-to/build-a-dossier.md"]
TEXT = PAGE.path.read_text(encoding="utf-8")
ADAPTERS = ROOT / "examples" / "committee" / "infrastructure" / "market_data"


def test_table_of_settings_has_every_variable_with_its_default() -> None:
    fields = MarketDataSettings.model_fields
    shown = {name.upper(): str(field.default or "").removesuffix(".0") for name, field in fields.items()}
    assert {name_in(row[0]): row[1] for row in rows(PAGE, "variable")} == shown


def test_every_function_that_is_called_is_named() -> None:
    told = {row[0]: set(code_in(row[2])) for row in rows(PAGE, "source")}
    akshare = (ADAPTERS / "akshare_source.py").read_text(encoding="utf-8")
    tushare = (ADAPTERS / "tushare_source.py").read_text(encoding="utf-8")
    assert told["AKShare"] == set(re.findall(r"_library\.(stock_\w++)", akshare))
    assert told["Tushare"] == set(re.findall(r'_(?:query|published)\("(\w++)"', tushare))


def test_bounds_are_those_of_the_code() -> None:
    assert f"from {indicators.WARM_UP + 1} days on" in TEXT
    assert f"the last {builder.HISTORY_DAYS} closes" in TEXT
    assert f"{builder.READY_AT}:00 in Beijing" in TEXT
    assert f"after {catalyst.LONGEST_HOLIDAY} days without one" in TEXT
    assert f"highs and lows of {technical.SWING_DAYS} days" in TEXT
    assert f"within {technical.NEAREST:.0%}".replace("%", " %") in TEXT
    assert f"of {technical.YEAR.days} days" in TEXT


def test_libraries_are_those_that_are_tested() -> None:
    import akshare  # type: ignore[import-untyped]  # noqa: PLC0415 - it takes a second
    import tushare  # type: ignore[import-untyped]  # noqa: PLC0415 - as above

    assert f"AKShare {akshare.__version__} and Tushare {tushare.__version__}" in TEXT
