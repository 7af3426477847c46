"""The words of reports: why an answer was not used, and what a repair is called."""

import pytest

from src.entrypoints.reports.words import reason_of
from src.shared.domain.exceptions import AppException
from src.shared.domain.language import VARIABLE
from src.shared.domain.repair import RepairKind


@pytest.mark.parametrize("kind", RepairKind)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_kind_of_repair_has_a_word(kind: RepairKind, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, language)
    assert kind.words.text().isascii() == (language == "en")


def test_reason_counts_the_places_it_does_not_tell() -> None:
    problems = [{"loc": ("rows", place), "type": "missing", "msg": "Field required"} for place in range(9)]
    told = reason_of(AppException("", {"validation_errors": problems, "validation_error_count": 12}))
    assert "rows[7]：没有给出；另有 4 处" in told


def test_reason_that_has_no_word_is_told_as_it_is() -> None:
    problem = {"loc": (), "type": "value_error", "msg": "Value error, no"}
    assert reason_of(AppException("", {"validation_errors": [problem]})) == "不符合约定：Value error, no"
    assert reason_of(AppException("没有答复")) == "没有答复"


@pytest.mark.parametrize(
    ("language", "told"), [("both", "没有答复"), ("zh", "没有答复 (no reply)"), ("en", "没有答复 (no reply)")]
)
def test_reason_in_both_languages_is_told_in_the_report_s_own(
    language: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, language)
    assert reason_of(AppException("没有答复 (no reply)")) == told
