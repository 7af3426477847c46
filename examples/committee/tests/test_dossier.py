"""A dossier is one JSON document; what is wrong with it is said where it is, with what to do."""

import json
from datetime import date, timedelta
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import pytest

from examples.committee.domain.dossier import dossier_schema
from examples.committee.domain.exceptions import DossierError
from examples.committee.domain.price_history import MOST_DAYS
from examples.committee.infrastructure.dossier_reader import MOST_BYTES, MOST_PROBLEMS, load_dossier, read_dossier
from src.modules.research.infrastructure.agents.technical_analyst.adapter import TechnicalAnalystTask
from src.shared.application.prompted_agent import describe_data
from tests.modules.inputs import DOSSIER_FILE

EXAMPLE: dict[str, Any] = json.loads(DOSSIER_FILE.read_text(encoding="utf-8"))
STOCK = {"symbol": "688999.SH", "name": "临溪传感（虚构）", "as_of": "2025-11-21"}


def refusal(document: object) -> DossierError:
    text = document if isinstance(document, str) else json.dumps(document)
    with pytest.raises(DossierError) as caught:
        read_dossier(text)
    return caught.value


def problem(**sections: object) -> tuple[str, str]:
    """Where the one problem of a dossier with these sections is, and what it is."""
    (found,) = refusal({"version": 1, "stock": STOCK, **sections}).details["problems"]
    return found["path"], found["problem"]


# --- the example -------------------------------------------------------------------------------------------


def test_shipped_example_is_read_whole() -> None:
    assert load_dossier(DOSSIER_FILE).model_dump(mode="json", exclude_unset=True) == EXAMPLE


def test_shipped_example_says_that_it_is_fictional() -> None:
    assert "虚构" in EXAMPLE["note"]
    assert "虚构" in EXAMPLE["stock"]["name"]


def test_shipped_example_lacks_some_data_on_purpose() -> None:
    example = load_dossier(DOSSIER_FILE)
    assert example.technical is not None
    assert example.macro is not None
    assert (example.technical.turnover_rate, example.macro.liquidity) == (None, None)


def test_stock_alone_is_a_dossier() -> None:
    assert read_dossier(json.dumps({"version": 1, "stock": STOCK})).technical is None


def test_schema_describes_every_field_and_refuses_others() -> None:
    schema = dossier_schema()
    models = [schema, *schema["$defs"].values()]
    assert all(model["additionalProperties"] is False for model in models)
    fields = [field for model in models for field in model["properties"].values()]
    assert all(field.get("description") for field in fields)


# --- the daily closes --------------------------------------------------------------------------------------


def example_closes() -> list[float]:
    return [day["close"] for day in EXAMPLE["price_history"]]


@pytest.mark.parametrize("days", [5, 10, 20, 60, 120])
def test_averages_of_the_example_are_those_of_its_daily_closes(days: int) -> None:
    assert round(fmean(example_closes()[-days:]), 2) == EXAMPLE["technical"][f"ma{days}"]


@pytest.mark.parametrize(("days", "digits"), [(1, 2), (20, 1), (60, 1)])
def test_changes_of_the_example_are_those_of_its_daily_closes(days: int, digits: int) -> None:
    closes = example_closes()
    assert round((closes[-1] / closes[-1 - days] - 1) * 100, digits) == EXAMPLE["technical"][f"change_{days}d"]


def test_close_and_bollinger_bands_of_the_example_are_those_of_its_daily_closes() -> None:
    closes, technical = example_closes(), EXAMPLE["technical"]
    middle, width = fmean(closes[-20:]), 2 * pstdev(closes[-20:])
    bands = [round(middle - width, 2), round(middle, 2), round(middle + width, 2)]
    assert closes[-1] == technical["close"]
    assert bands == [technical[f"bollinger_{name}"] for name in ("lower", "middle", "upper")]


def test_days_of_the_example_are_weekdays_up_to_its_date() -> None:
    history = load_dossier(DOSSIER_FILE).price_history
    assert history is not None
    assert history[-1].date.isoformat() == EXAMPLE["stock"]["as_of"]
    assert all(day.date.weekday() < 5 for day in history)


def day(date: str, close: object = 38.62) -> dict[str, object]:
    return {"date": date, "close": close}


def test_dossier_may_have_no_daily_closes_or_none_yet() -> None:
    assert read_dossier(json.dumps({"version": 1, "stock": STOCK})).price_history is None
    assert read_dossier(json.dumps({"version": 1, "stock": STOCK, "price_history": []})).price_history == []


@pytest.mark.parametrize(
    ("days", "path", "advice"),
    [
        (
            [day("2025-11-20"), day("2025-11-19")],
            "$.price_history",
            "须由远及近，每日一次；2025-11-19 不晚于它的前一项",
        ),
        ([day("2025-11-20"), day("2025-11-20")], "$.price_history", "2025-11-20 不晚于它的前一项"),
        ([day("2025-11-21"), day("2025-11-24")], "$.price_history", "2025-11-24 晚于资料截止日期 as_of"),
        ([day("2025-11-20", 0)], "$.price_history[0].close", "须大于 0"),
        ([day("2025-11-20", "inf")], "$.price_history[0].close", "须为有限的数字"),
        ([day("昨天")], "$.price_history[0].date", "须为日期，例如 2025-11-21"),
        ([{"date": "2025-11-20"}], "$.price_history[0].close", "缺少必填项"),
    ],
)
def test_daily_closes_are_in_order_and_positive_and_not_after_the_dossier(
    days: list[dict[str, object]], path: str, advice: str
) -> None:
    found = problem(price_history=days)
    assert found[0] == path
    assert advice in found[1]


def test_daily_closes_have_a_bound() -> None:
    def history(length: int) -> list[dict[str, object]]:
        last = date(2025, 11, 21)
        return [day((last - timedelta(days=back)).isoformat()) for back in reversed(range(length))]

    most = read_dossier(json.dumps({"version": 1, "stock": STOCK, "price_history": history(MOST_DAYS)}))
    assert len(most.price_history or ()) == MOST_DAYS
    assert problem(price_history=history(MOST_DAYS + 1)) == (
        "$.price_history",
        f"最多 {MOST_DAYS} 项 (List should have at most {MOST_DAYS} items after validation, not {MOST_DAYS + 1})",
    )


def test_no_expert_is_shown_the_daily_closes() -> None:
    dossier = load_dossier(DOSSIER_FILE)
    shown = describe_data(dossier.task(TechnicalAnalystTask))
    assert "38.62" in shown
    assert "2025-11-20" not in shown


# --- what is wrong -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sections", "path", "advice"),
    [
        ({"technical": {"rsi14": 180}}, "$.technical.rsi14", "不得大于 100"),
        ({"technical": {"rsi14": -1}}, "$.technical.rsi14", "不得小于 0"),
        ({"technical": {"close": 0}}, "$.technical.close", "须大于 0"),
        ({"technical": {"close": "38.6元"}}, "$.technical.close", "须为数字，不带单位"),
        ({"technical": {"close": []}}, "$.technical.close", "须为数字"),
        ({"technical": {"close": True}}, "$.technical.close", "不能是 true 或 false"),
        ({"technical": {"patterns": "三角形"}}, "$.technical.patterns", "须为列表 [...]"),
        ({"technical": {"patterns": [""]}}, "$.technical.patterns[0]", "不能为空"),
        ({"technical": {"patterns": ["形"] * 61}}, "$.technical.patterns", "最多 60 项"),
        ({"technical": {"patterns": [7]}}, "$.technical.patterns[0]", "须为文字"),
        ({"technical": {"ris14": 50}}, "$.technical.ris14", "是否应为 rsi14"),
        (
            {"technical": {"天气": "晴"}},
            '$.technical["天气"]' if not "天气".isidentifier() else "$.technical.天气",
            "请删去",
        ),
        ({"technical": []}, "$.technical", "须为对象 {...}"),
        ({"financial": {"report_period": "三季报"}}, "$.financial.report_period", "例如 2025Q3"),
        ({"financial": {"quarters": [{"revenue": 1}]}}, "$.financial.quarters[0].quarter", "缺少必填项"),
        ({"macro": {"policy": [{"text": "字" * 8001, "source": "x"}]}}, "$.macro.policy[0].text", "不得超过 8000 个字"),
        (
            {"macro": {"policy": [{"text": "降准", "source": "x", "published": "上周"}]}},
            "$.macro.policy[0].published",
            "须为日期，例如 2025-11-21",
        ),
        ({"version": 2}, "$.version", "须为 1"),
        ({"stock": STOCK | {"as_of": "2025-13-01"}}, "$.stock.as_of", "须为日期"),
        ({"stock": STOCK | {"as_of": "2025-11-21T10:00:00"}}, "$.stock.as_of", "zero time"),
    ],
)
def test_problem_is_named_by_its_path_with_what_to_do(sections: dict[str, object], path: str, advice: str) -> None:
    found = problem(**sections)
    assert found[0] == path
    assert advice in found[1]


def test_all_problems_are_told_at_once_and_long_lists_are_cut() -> None:
    error = refusal({"version": 1, "stock": STOCK, "technical": {f"x{n}": 1 for n in range(14)}})
    assert error.details["problem_count"] == 14
    assert error.message.splitlines()[0].startswith("档案有 14 处需要修改")
    assert error.message.splitlines()[-1] == "… 另有 4 处 (4 more)"


def test_many_problems_and_long_names_cost_little_and_are_told_in_short() -> None:
    names = {f"{n}" + "x" * 300: 1 for n in range(5_000)}
    error = refusal({"version": 1, "stock": STOCK, "technical": names})
    assert error.details["problem_count"] == 5_000
    assert len(error.details["problems"]) == MOST_PROBLEMS
    assert len(error.message) < 4_000


def test_doubled_key_is_found_among_many_and_cut() -> None:
    keys = [f'"{n}": 1' for n in range(50_000)] + [f'"{"k" * 100}": 1'] * 2
    assert refusal("{" + ", ".join(keys) + "}").details == {"key": "k" * 60}


def test_values_of_the_document_are_not_repeated() -> None:
    error = refusal({"version": 1, "stock": STOCK, "technical": {"close": "secret-4711"}})
    assert "secret-4711" not in error.message + str(error.details)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"version": 1 "stock"}', "第 1 行第 15 列不是合法 JSON"),
        ("", "第 1 行第 1 列不是合法 JSON"),
        ('{"version": NaN}', "NaN 不是 JSON 的值"),
        ('{"version": 1, "version": 2}', "键 'version' 在同一对象中出现了不止一次"),
        ("[" * 200_000, "嵌套过深"),
        ('{"version": ' + "9" * 5000 + "}", "位数过多"),
    ],
)
def test_text_that_is_not_plain_json_is_refused_with_the_reason(text: str, reason: str) -> None:
    assert reason in refusal(text).message


@pytest.mark.parametrize("document", [[], 1, None, "x"])
def test_root_must_be_an_object(document: object) -> None:
    assert "$：须为对象" in refusal(json.dumps(document)).message


# --- files -------------------------------------------------------------------------------------------------


def file_refusal(path: Path) -> DossierError:
    with pytest.raises(DossierError) as caught:
        load_dossier(path)
    return caught.value


def test_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert "nowhere.json" in file_refusal(tmp_path / "nowhere.json").message


def test_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_bytes('{"note": "临"}'.encode("gbk"))
    assert "不是 UTF-8，第 10 字节起" in file_refusal(tmp_path / "d.json").message


def test_file_beyond_the_limit_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_bytes(b" " * (MOST_BYTES + 1))
    assert f"超过 {MOST_BYTES} 字节" in file_refusal(tmp_path / "d.json").message


def test_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text(json.dumps({"version": 1, "stock": STOCK}), encoding="utf-8-sig")
    assert load_dossier(tmp_path / "d.json").stock.symbol == "688999.SH"
