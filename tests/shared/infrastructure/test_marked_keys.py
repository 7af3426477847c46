"""Marks around keys do not hide that they are the type's: such an object is no aside beside an example."""

import pytest
from pydantic import BaseModel, Field

from src.shared.infrastructure.parsing.target_type import MARKED_LIMIT, target_type
from tests.shared.reading import refusal_by


class Review(BaseModel):
    score: int
    note: str = ""


class Verdict(BaseModel):
    conclusion: str = Field(alias="结论")


MARKED = {
    "bold": "**{}**",
    "bold with underscores": "__{}__",
    "italics": "*{}*",
    "backticks": "`{}`",
    "struck out": "~~{}~~",
    "highlighted": "=={}==",
    "a colon": "{}:",
    "a full-width colon": "{}：",
    "bold and a colon": "**{}:**",
    "blanks": " {} ",
    "an invisible blank": "\ufeff{}",
    "smart quotes": "“{}”",
    "single quotes": "'{}'",
    "escaped quotes": '\\"{}\\"',
    "an entity": "&quot;{}&quot;",
    "a tag": "<b>{}</b>",
    "a tag with an attribute": '<span class=\\"k\\">{}</span>',
    "brackets": "【{}】",
    "a dollar sign": "${}",
    "an at sign": "@{}",
    "a bullet": "- {}",
    "a number": "1. {}",
    "a number in brackets": "(a) {}",
    "a circled number": "① {}",
    "a remark behind it": "{} (0-100)",
    "a full-width remark behind it": "{}（评分）",
    "an emoji": "⭐ {}",
}
VALUES = {"clean": '"ok"', "with quotes inside": '"a "b" c"'}
AROUND = {
    "before an example": '{}\nExample of the format: {{"score": 1, "note": "x"}}',
    "after a template": 'Format: {{"score": 1, "note": "x"}}\n\n{}',
    "outside a fence": '{}\n```json\n{{"score": 1, "note": "x"}}\n```',
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND.keys())
@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
@pytest.mark.parametrize("mark", MARKED.values(), ids=MARKED.keys())
def test_object_with_keys_in_marks_does_not_give_way_to_another(mark: str, value: str, around: str) -> None:
    marked = f'{{"{mark.format("score")}": 7, "{mark.format("note")}": {value}}}'
    error = refusal_by(Review, around.format(marked))
    assert "several different objects" in error.message or "validation_errors" in error.details


@pytest.mark.parametrize("key", ["ｓｃｏｒｅ", "Score", "SCORE", "s.c.o.r.e", "&#115;core"])
def test_other_spellings_of_a_name_are_that_name(key: str) -> None:
    assert target_type(Review).marked_keys({key: 1}) == {key}


@pytest.mark.parametrize("key", ["结论：", "**结论**", "一、结论", "结论（必填）", "「结论」"])
def test_marks_around_a_chinese_name_do_not_hide_it(key: str) -> None:
    assert target_type(Verdict).marked_keys([1, {key: "x"}]) == {key}


@pytest.mark.parametrize("key", ["scores", "total score", "", "**", "1.", "score" + " " * MARKED_LIMIT])
def test_another_name_is_no_field(key: str) -> None:
    assert target_type(Review).marked_keys({key: 1}) == set()


def test_names_that_are_nothing_but_signs_are_not_alike() -> None:
    class Signs(BaseModel):
        dollar: int = Field(alias="$")

    assert target_type(Signs).marked_keys({"@": 1, "**": 2}) == set()
