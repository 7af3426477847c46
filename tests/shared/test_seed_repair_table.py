"""Every row of the table in the repair agent's specification (seed 004, 支持的修复类型) is undone without a model."""

from __future__ import annotations

import pytest

from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.beside import SHARED, needs_seeds

SEED = SHARED / "seeds/004_2a94b235e2e7db5d.txt"

ROWS: dict[str, tuple[str, dict[str, object], set[RepairKind]]] = {
    "中文引号": ("{“key”:“value”}", {"key": "value"}, {RepairKind.SMART_QUOTE}),
    "未转义换行": ('{"text":"line1\nline2"}', {"text": "line1\nline2"}, {RepairKind.CONTROL_CHARACTER}),
    "未转义引号": ('{"text":"say "hi""}', {"text": 'say "hi"'}, {RepairKind.UNESCAPED_QUOTE}),
    "末尾多余逗号": ('{"a":1,}', {"a": 1}, {RepairKind.TRAILING_COMMA}),
    "缺少引号": ("{key:value}", {"key": "value"}, {RepairKind.UNQUOTED_KEY, RepairKind.UNQUOTED_VALUE}),
    "缺少括号": ('{"a":1', {"a": 1}, {RepairKind.MISSING_BRACKET}),
    "属性名未加引号": ('{name:"John"}', {"name": "John"}, {RepairKind.UNQUOTED_KEY}),
    "单引号字符串": ("{'key':'value'}", {"key": "value"}, {RepairKind.SINGLE_QUOTE}),
    "Markdown 包裹": ('```json\n{"a": 1}\n```', {"a": 1}, set()),
    "包含解释文字": ('这是JSON:\n{"a": 1}', {"a": 1}, set()),
}


@pytest.mark.parametrize("row", ROWS)
def test_row_of_the_table_is_repaired_and_named(row: str) -> None:
    """The table speaks of texts that are whole, which of `{"a":1` only the caller can say."""
    text, expected, kinds = ROWS[row]

    decoded = decode_llm_json(text, finished=True)

    assert decoded.data == expected
    assert {repair.kind for repair in decoded.repairs} == kinds


@needs_seeds
def test_table_of_the_specification_has_no_other_row() -> None:
    table = SEED.read_text(encoding="utf-8").partition("| 问题类型 |")[2].partition("\n\n")[0]
    rows = [line.split("|")[1].strip() for line in table.splitlines()[2:]]

    assert rows == list(ROWS)
