"""What a result says is read field by field: an older version has fewer; what does not fit costs only itself."""

from datetime import date
from typing import Any

import pytest

from examples.committee.domain.run_record import RunRecord, record_of


def read(**data: Any) -> RunRecord:  # noqa: ANN401 - whatever a file may hold
    return record_of(data)[0]


def unread(**data: Any) -> tuple[str, ...]:  # noqa: ANN401 - as above
    return record_of(data)[2]


def test_keys_that_a_result_does_not_have_are_named() -> None:
    absent = record_of({"version": 1, "symbol": "A", "verdict": None})[1]
    assert "arguments" in absent
    assert {"version", "symbol", "verdict"}.isdisjoint(absent)


def test_key_of_a_later_version_is_left_alone() -> None:
    assert unread(symbol="A", mood="sunny") == ()


def test_value_of_another_type_is_taken_out_and_named_and_the_rest_stays() -> None:
    verdict = {"action": "BUY", "confidence": "very", "position_percent": 0.1}
    record, _, places = record_of({"symbol": "A", "verdict": verdict})
    assert record.verdict
    assert (record.verdict.action, record.verdict.confidence, record.verdict.position_percent) == ("BUY", None, 0.1)
    assert places == ("$.verdict.confidence",)


@pytest.mark.parametrize("confidence", [1.5, -0.1, True, float("nan")])
def test_number_outside_its_scale_is_not_a_confidence(confidence: float) -> None:
    assert unread(verdict={"confidence": confidence}) == ("$.verdict.confidence",)


def test_entry_without_what_it_needs_goes_and_the_others_keep_their_place() -> None:
    rows = [{"risk": "a"}, {}, {"probability": 1}, {"risk": "b"}]
    record, _, places = record_of({"debate": {"risk_matrix": rows}})
    assert record.debate
    assert [row.risk for row in record.debate.risk_matrix] == ["a", "b"]
    assert set(places) == {"$.debate.risk_matrix[2]", "$.debate.risk_matrix[1]"}


def test_warnings_without_what_they_need_take_no_other_with_them() -> None:
    record, _, places = record_of({"warnings": [{}, {"zh": "乙", "en": "b"}, {"zh": "丙"}]})
    assert [one.zh for one in record.warnings] == ["乙"]
    assert len(places) == 2


def test_levels_of_an_expert_need_both_prices() -> None:
    result = {"key_technical_levels": {"support": 1.0}, "financial_score": 70}
    record, _, places = record_of({"experts": [{"name": "technical_analyst", "result": result}]})
    assert record.experts[0].result
    assert record.experts[0].result.key_technical_levels is None
    assert record.experts[0].result.financial_score == 70
    assert places == ("$.experts[0].result.key_technical_levels",)


def test_warning_was_a_text_before_it_had_a_code() -> None:
    assert [(one.code, one.zh) for one in read(warnings=["旧的"]).warnings] == [("", "旧的")]


@pytest.mark.parametrize("value", ["none", {}, 3])
def test_warnings_that_are_no_list_are_not_there(value: object) -> None:
    record, _, places = record_of({"warnings": value})
    assert (record.warnings, places) == ([], ("$.warnings",))


def test_half_a_character_is_kept_for_the_pages_to_show() -> None:
    assert read(symbol="A\ud800", missing_data={"\udfff": []}).symbol == "A\ud800"


def test_what_never_fits_is_nothing_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("examples.committee.domain.run_record._ROUNDS", 0)
    assert record_of({"symbol": "A"})[::2] == (RunRecord(), ("$",))


def test_date_is_one() -> None:
    assert read(as_of="2025-11-21").as_of == date(2025, 11, 21)
    assert unread(as_of="yesterday") == ("$.as_of",)


def test_cases_are_those_of_the_debate_where_an_earlier_version_has_them_nowhere_else() -> None:
    case = {"confidence": 0.6, "core_thesis": "多"}
    cases = read(debate={"bull_case": case, "bear_case": None}).cases
    assert cases
    assert cases.bull
    assert (cases.bull.core_thesis, cases.bear) == ("多", None)
    assert read(symbol="A").cases is None
