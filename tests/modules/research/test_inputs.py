"""What the experts are asked about: units in every description, nothing missing taken for 0."""

import pytest
from pydantic import BaseModel, ValidationError

from src.modules.research.domain.exceptions import MissingDataError
from src.modules.research.domain.inputs import (
    CatalystContext,
    FinancialSnapshot,
    MacroContext,
    QuarterFigures,
    ResearchInput,
    Section,
    SourcedText,
    Stock,
    TechnicalSnapshot,
    ValuationSnapshot,
)

SECTIONS = (TechnicalSnapshot, FinancialSnapshot, ValuationSnapshot, MacroContext, CatalystContext)
PARTS = (*SECTIONS, Stock, SourcedText, QuarterFigures, ResearchInput)
STOCK = {"symbol": "688999.SH", "name": "临溪传感（虚构）", "as_of": "2025-11-21"}
NO_UNIT = ("RSI", "KDJ", "ADX", "DI(14)", "分位", "如 2025Q3")


class Task(BaseModel):
    stock: Stock
    technical: TechnicalSnapshot
    macro: MacroContext


def research_input(**sections: object) -> ResearchInput:
    return ResearchInput.model_validate({"stock": STOCK, **sections})


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_every_field_says_what_it_means(part: type[BaseModel]) -> None:
    assert [name for name, field in part.model_fields.items() if not field.description] == []


@pytest.mark.parametrize("part", [TechnicalSnapshot, FinancialSnapshot, ValuationSnapshot, QuarterFigures])
def test_every_number_has_a_unit_or_a_scale(part: type[BaseModel]) -> None:
    numbers = {
        name: str(field.description) for name, field in part.model_fields.items() if "float" in str(field.annotation)
    }
    assert numbers
    unitless = [text for text in numbers.values() if "单位：" not in text and not any(n in text for n in NO_UNIT)]
    assert unitless == []


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.__name__)
def test_every_value_of_a_section_may_be_missing(section: type[Section]) -> None:
    assert section().is_empty()


def test_zero_is_a_value() -> None:
    assert not TechnicalSnapshot(change_1d=0).is_empty()


def test_empty_lists_say_nothing() -> None:
    assert MacroContext(policy=[], economy=[]).is_empty()


@pytest.mark.parametrize(
    "wrong",
    [
        {"close": 0},
        {"close": -1},
        {"rsi14": 101},
        {"adx14": -1},
        {"close": float("nan")},
        {"close": True},
        {"close": "80%"},
        {"closing_price": 1},
        {"patterns": [""]},
        {"patterns": ["形"] * 61},
    ],
)
def test_impossible_value_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match=f"for TechnicalSnapshot\n{next(iter(wrong))}"):
        TechnicalSnapshot.model_validate(wrong)


def test_task_takes_its_sections() -> None:
    whole = research_input(technical={"close": 1}, macro={"policy": [{"text": "降准", "source": "公告"}]})
    task = whole.task(Task)
    assert (task.stock, task.technical, task.macro) == (whole.stock, whole.technical, whole.macro)


@pytest.mark.parametrize(
    ("sections", "missing"),
    [
        ({}, ["technical", "macro"]),
        ({"technical": {"close": 1}}, ["macro"]),
        ({"technical": {}, "macro": {"policy": [{"text": "降准", "source": "公告"}]}}, ["technical"]),
        ({"technical": {"close": 1}, "macro": {"policy": []}}, ["macro"]),
    ],
)
def test_section_that_is_missing_or_says_nothing_is_named(sections: dict[str, object], missing: list[str]) -> None:
    with pytest.raises(MissingDataError) as caught:
        research_input(**sections).task(Task)
    assert caught.value.details == {"sections": missing}
