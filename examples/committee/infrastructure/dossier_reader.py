"""Reading a dossier: strict JSON, then the model; every problem at once, in words a person can act on."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from examples.committee.domain.dossier import Dossier, dossier_schema
from examples.committee.domain.exceptions import DossierError
from src.shared.domain.language import Message

MOST_BYTES = 2_000_000
"""Size of the largest dossier that is read."""
MOST_PROBLEMS = 100
"""Most problems that are told one by one."""

_NAME_LIMIT = 60

_ADVICE = {
    "missing": "缺少必填项",
    "float_type": "须为数字，不带单位",
    "float_parsing": "须为数字，不带单位、百分号或千分位",
    "bool_for_number": "须为数字，不能是 true 或 false",
    "finite_number": "须为有限的数字",
    "greater_than": "须大于 {gt}",
    "greater_than_equal": "不得小于 {ge}",
    "less_than_equal": "不得大于 {le}",
    "string_type": "须为文字",
    "string_too_short": "不能为空；没有资料时删去此项或写 null",
    "string_too_long": "不得超过 {max_length} 个字",
    "string_pattern_mismatch": "格式不对，例如 2025Q3",
    "date_from_datetime_parsing": "须为日期，例如 2025-11-21",
    "date_type": "须为日期，例如 2025-11-21",
    "days_not_in_order": "须由远及近，每日一次；{date} 不晚于它的前一项",
    "day_after_the_dossier": "{date} 晚于资料截止日期 as_of",
    "list_type": "须为列表 [...]",
    "too_long": "最多 {max_length} 项",
    "model_type": "须为对象 {{...}}",
    "literal_error": "须为 {expected}",
}


def load_dossier(path: Path) -> Dossier:
    """Read a dossier from a file.

    Raises:
        DossierError: the file cannot be opened, is too large, or is no dossier.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        zh, en = f"文件 {path} 打不开，{error.strerror}", f"the file {path} cannot be opened, {error.strerror}"
        reason = Message.glossed(zh, en, "the file cannot be opened")
        raise DossierError.unreadable(reason) from error
    if len(data) > MOST_BYTES:
        reason = Message(f"文件超过 {MOST_BYTES} 字节", f"the file is larger than {MOST_BYTES} bytes")
        raise DossierError.unreadable(reason)
    try:
        return read_dossier(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        gloss = f"not UTF-8 from byte {error.start} on; save the file as UTF-8"
        reason = Message(f"不是 UTF-8，第 {error.start} 字节起", gloss)
        raise DossierError.unreadable(reason) from error


def read_dossier(text: str) -> Dossier:
    """Read a dossier from a JSON text.

    Raises:
        DossierError: it is not JSON, has a key twice, or does not fit the model; names every place.
    """
    try:
        return Dossier.model_validate(_decoded(text))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[:MOST_PROBLEMS]
        problems = [(problem["loc"], _advice(problem)) for problem in first]
        raise DossierError.of_problems(problems, error.error_count()) from None


def _decoded(text: str) -> Any:  # noqa: ANN401 - any JSON; the model says what it must be
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        line, column = error.lineno, error.colno
        zh, en = (
            f"第 {line} 行第 {column} 列不是合法 JSON",
            f"not valid JSON in line {line}, column {column}: {error.msg}",
        )
        reason = Message.glossed(zh, en, f"not valid JSON there: {error.msg}")
        position = {"line": error.lineno, "column": error.colno, "offset": error.pos}
        raise DossierError.unreadable(reason, position=position) from None
    except RecursionError:
        reason = Message("嵌套过深", "nested too deeply")
        raise DossierError.unreadable(reason) from None
    except ValueError:
        reason = Message("有一个整数的位数过多", "an integer with too many digits")
        raise DossierError.unreadable(reason) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a key that stands twice is refused, since one of its values would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        twice = twice[:_NAME_LIMIT]
        zh, en = f"键 {twice!r} 在同一对象中出现了不止一次", f"the key {twice!r} stands twice in one object"
        reason = Message.glossed(zh, en, "a key stands twice in one object")
        raise DossierError.unreadable(reason, key=twice)
    return found


def _no_constant(name: str) -> Any:  # noqa: ANN401 - the hook's type
    gloss = "not a JSON value; write null for what is not known"
    reason = Message.glossed(f"{name} 不是 JSON 的值；没有资料时写 null", f"{name} is {gloss}", gloss)
    raise DossierError.unreadable(reason)


def _advice(problem: ErrorDetails) -> Message:
    if problem["type"] == "extra_forbidden":
        return _unknown(str(problem["loc"][-1]))
    known, said = _ADVICE.get(problem["type"]), problem["msg"]
    return Message(known.format(**problem.get("ctx", {})), said) if known else Message(said, said, said)


def _unknown(name: str) -> Message:
    near = difflib.get_close_matches(name[:_NAME_LIMIT], _field_names(), n=1)
    if near:
        return Message(f"没有这个字段，是否应为 {near[0]}", f"no such field; did you mean {near[0]}")
    return Message("没有这个字段，请删去", "no such field; remove it")


@cache
def _field_names() -> tuple[str, ...]:
    schema = dossier_schema()
    models = (schema, *schema["$defs"].values())
    return tuple(sorted({name for model in models for name in model["properties"]}))
