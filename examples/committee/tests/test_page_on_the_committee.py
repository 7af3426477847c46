"""The page on the committee names the settings, files and codes that there are."""

import pytest

from examples.committee.domain import exceptions, price_rules
from examples.committee.infrastructure.committee_settings import PREFIX, CommitteeSettings
from examples.committee.infrastructure.run_files import FILES
from examples.committee.reports.comparison_json import comparison_data
from examples.committee.reports.comparison_view import comparison_view
from examples.committee.reports.labels import warning_title
from examples.committee.reports.result_json import result_data
from examples.committee.tests.inputs import dossier
from examples.committee.tests.reports.recorded import data_of, recorded
from examples.committee.tests.run import committee
from src.modules.cowriting.domain import EnvelopeParseError
from src.modules.judge.domain import rules as judge_rules
from src.modules.research.domain.exceptions import MissingDataError, TooFewExpertsError
from src.shared.domain.exceptions import AppException
from src.shared.domain.prompt import PromptError
from tests.docs.markdown import code_in
from tests.docs.pages import PAGES, name_in, rows
from tests.modules.answers import answering

PAGE = PAGES["docs/how-to/run-the-committee.md"]


def test_table_of_settings_has_every_variable_with_its_default() -> None:
    described = {name_in(row[0]): "".join(code_in(row[1])) or row[1] for row in rows(PAGE, "variable")}
    defaults = {name: field.default for name, field in CommitteeSettings.model_fields.items()}
    shown = {name: "" if value is None else str(value).removesuffix(".0") for name, value in defaults.items()}
    assert described == {PREFIX + name.upper(): default for name, default in shown.items()}


def test_table_of_files_has_every_file_of_a_run() -> None:
    assert [name_in(row[0]) for row in rows(PAGE, "file")] == [
        "report.html",
        "report.md",
        "result.json",
        "dossier.json",
        "recording.jsonl",
        "progress.jsonl",
        "run.json",
    ]
    assert {name_in(row[0]) for row in rows(PAGE, "file")} == set(FILES)


@pytest.mark.anyio
async def test_table_of_the_result_has_every_key() -> None:
    described = [key for row in rows(PAGE, "key") for key in code_in(row[0])]
    assert described == list(result_data(dossier(), await committee(answering()).run(dossier())))


@pytest.mark.anyio
async def test_table_of_the_comparison_has_every_key() -> None:
    run = recorded(await data_of())
    (data, _) = comparison_data(comparison_view((run, run), lambda _run: ""))["runs"]
    described = [key for row in rows(PAGE, "member") for key in code_in(row[0])]
    assert sorted(described) == sorted(data)
    assert all(f"`{key}`" in row[1] for row in rows(PAGE, "member") for key in data["effort"] if "effort" in row[0])


def test_table_of_other_errors_has_every_code_beside_the_parsers() -> None:
    known: list[type[AppException]] = [
        *(kind for kind in vars(exceptions).values() if isinstance(kind, type) and issubclass(kind, AppException)),
        *(MissingDataError, TooFewExpertsError, PromptError, EnvelopeParseError),
    ]
    described = {name_in(row[0]) for row in rows(PAGES["docs/reference/errors.md"], "code")}
    assert described == {kind.default_code for kind in known} - {AppException.default_code}


def test_table_of_warnings_has_every_code_and_each_has_a_title() -> None:
    codes = {
        judge_rules.KEEPS_TO_THE_DEBATE,
        price_rules.STOP_BELOW_ENTRY,
        price_rules.TARGET_ABOVE_ENTRY,
        price_rules.ENTRY_WITHIN_DAILY_LIMITS,
        price_rules.PRICES_FROM_DOSSIER,
    }
    assert {name_in(row[0]) for row in rows(PAGE, "code")} == codes
    assert [code for code in codes if warning_title(code) == code] == []
    assert warning_title("of_another_context") == "of_another_context"
