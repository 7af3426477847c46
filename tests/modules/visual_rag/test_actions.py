"""The texts of `actions.toml`: what each gives, and that every way of reading it gives the same."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from src.modules.visual_rag.application.execute_predictions import execute_predictions
from src.modules.visual_rag.domain.actions import ActionType
from src.modules.visual_rag.domain.parsed_action import ParsedAction
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import (
    parse_action,
    postprocess_predictions,
    postprocess_responses,
)
from tests.modules.visual_rag.reading import ON_IMAGE, reply, tools_call
from tests.modules.visual_rag.tools import tools

EOS = "<|im_end|>"
INVALID = "Your previous action is invalid."
FIRST_WORDS = {ActionType.CROP: "Your crop action failed.", ActionType.OCR: "Your OCR action failed."}
STANDS_FOR = {
    "@search": reply(),
    "@found": "<information>41</information>",
    "@answer41": reply("answer", answer="41"),
    "@answer": reply("answer", answer="42"),
    "@crop": reply("crop", ON_IMAGE),
    "@call": tools_call(),
    "@cut_region": '{"think": "t", "action": "crop", "answer": null, '
    '"arguments": {"image_id": "i", "region": [1, 2, 30, 40',
}
"""In this order: a name may begin another one."""


def cases() -> list[Any]:
    rows = tomllib.loads((Path(__file__).parent / "actions.toml").read_text(encoding="utf-8"))["row"]
    found = []
    for row in rows:
        for entry in row.pop("texts"):
            text, content = (entry, row.get("content")) if isinstance(entry, str) else entry
            for name, value in STANDS_FOR.items():
                text = text.replace(name, value)
            found.append(pytest.param(text, {**row, "content": content}, id=f"{row['says']}: {text[:30]!r}"))
    return found


each_case = pytest.mark.parametrize(("text", "row"), cases())


def read(text: str, row: dict[str, Any]) -> ParsedAction:
    return parse_action(text, finished=row.get("finished"), last_image=row.get("last_image"))


@each_case
def test_text_gives_what_its_row_says(text: str, row: dict[str, Any]) -> None:
    parsed = read(text, row)
    problem = parsed.problem and parsed.problem.kind.value
    assert (parsed.action_type, parsed.content, problem) == (row.get("action"), row["content"], row.get("problem"))
    assert parsed.attempted == row.get("attempts", parsed.attempted)
    assert row.get("words", "") in (parsed.problem.message if parsed.problem else "")
    assert ((parsed.action is None) == (problem is not None)) is True


@each_case
@pytest.mark.parametrize("end", [EOS, "\n</s>\n"])
def test_text_reads_the_same_with_an_end_mark(text: str, row: dict[str, Any], end: str) -> None:
    assert read(text + end, row) == read(text, row)


@each_case
def test_what_is_kept_of_a_text_reads_like_it(text: str, row: dict[str, Any]) -> None:
    (kept,) = postprocess_responses([text], EOS, finished=row.get("finished"))
    before, after = read(text, row), read(kept.removesuffix(EOS), row)
    assert (after.action_type, after.content) == (before.action_type, before.content)


@each_case
def test_text_in_a_batch_reads_like_one_without_an_image(text: str, row: dict[str, Any]) -> None:
    parsed = read(text, {**row, "last_image": None})
    assert postprocess_predictions([text], finished=row.get("finished")) == ([parsed.action_type], [parsed.content])


@pytest.mark.anyio
@pytest.mark.parametrize(("text", "row"), [case for case in cases() if "problem" in case.values[1]])
async def test_model_is_told_why_there_is_no_action_and_what_to_write(text: str, row: dict[str, Any]) -> None:
    """Criteria 3.1 to 3.3: a crop or an OCR that is none gets the message of a failed one, anything else another."""
    parsed = read(text, row)
    (observed,) = await execute_predictions([parsed], tools())
    assert parsed.problem
    first = INVALID if parsed.problem.action is None else FIRST_WORDS.get(parsed.problem.action, INVALID)
    assert (observed.error, observed.words.startswith(first)) == (row["problem"], True)
    assert f"Reason: {parsed.problem.message[:200]}" in observed.words
