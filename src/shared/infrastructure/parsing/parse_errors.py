"""Builds the parser's errors, with every message in one place.

Chinese first, an English gloss in brackets. Callers match on four terms, which must stay:
为空, 不是合法 JSON, 根节点须为对象, 不符合契约.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import Reason
from src.shared.domain.type_shapes import ROOTS, Root, name_of_roots

SUMMARY_LIMIT = 500
"""Most characters of `details["data_summary"]`."""
VALIDATION_ERRORS_LIMIT = 50
"""Most entries of `details["validation_errors"]`; `validation_error_count` has the whole number."""


EMPTY = "模型输出为空 (the model's output is empty)"


def parse_error(message: str, stage: str, raw: str, **details: Any) -> LLMJsonParseError:  # noqa: ANN401 - facts of any JSON type
    """An error of one stage; details that are None are left out."""
    facts = {"stage": stage, "raw_length": len(raw), **details}
    return LLMJsonParseError(message, {key: value for key, value in facts.items() if value is not None})


def not_json(reason: Reason, stage: str, raw: str, **details: Any) -> LLMJsonParseError:  # noqa: ANN401 - as above
    """The text is not JSON; `json_error` holds the English reason."""
    details.setdefault("json_error", reason.en)
    return parse_error(f"不是合法 JSON：{reason.zh} (not valid JSON: {reason.en})", stage, raw, **details)


_ROOTS = {
    "object": ("对象", "an object"),
    "array": ("数组", "an array"),
    "any": ("对象或数组", "an object or an array"),
}


def wrong_root(data: object, raw: str, repairs: list[str], roots: frozenset[Root]) -> LLMJsonParseError:
    """The root is JSON, but not what the type is read from."""
    kind = _JSON_TYPES.get(type(data), type(data).__name__)
    zh, en = _ROOTS[name_of_roots(roots)]
    message = f"JSON 根节点须为{zh}，得到的是 {kind} (the root must be {en}, not {kind})"
    facts = {"json_error": f"the root is {kind}", "data_summary": data_summary(data), "repairs": repairs or None}
    return parse_error(message, "root", raw, **facts)


def tell_root(error: LLMJsonParseError, roots: frozenset[Root]) -> None:
    """Record in the error which root was looked for, if not an object, so that `feedback()` asks for it."""
    if roots != ROOTS["object"]:
        facts = {"root": name_of_roots(roots)}
        error.details.update(facts)


def normalizer_failed(name: str, problem: str, data: object, raw: str) -> LLMJsonParseError:
    """A normalizer raised, or did not return an object."""
    return parse_error(
        f"归一化钩子 {name} 执行失败：{problem} (normalizer failed)",
        "normalize",
        raw,
        normalizer=name,
        normalizer_error=problem,
        data_summary=data_summary(data),
    )


def broken_contract(
    error: ValidationError, dto_name: str, data: object, raw: str, repairs: list[str]
) -> LLMJsonParseError:
    """The data does not satisfy the type; values of the input are not repeated, `data_summary` apart."""
    problems = _problems(error)
    shown = "；".join(f"{'.'.join(map(str, p['loc'])) or '$'}: {p['msg']}" for p in problems[:3])
    more = f"，共 {len(problems)} 处 ({len(problems)} problems)" if len(problems) > 3 else ""  # noqa: PLR2004 - as many as shown
    message = f"不符合契约 {dto_name}：{shown}{more} (does not match the contract)"
    return _not_validated(message, problems, data, raw, repairs)


def validator_failed(error: Exception, dto_name: str, data: object, raw: str, repairs: list[str]) -> LLMJsonParseError:
    """The type's own code raised what no validator may raise: whether the data satisfies it is not known."""
    kind = type(error).__name__
    message = (
        f"不符合契约 {dto_name}：程序自身的校验代码出错 {kind} "
        f"(a validator of the program failed with {kind}; that is no fault of the model's output)"
    )
    return _not_validated(message, [{"loc": (), "type": kind, "msg": str(error) or kind}], data, raw, repairs)


def _not_validated(
    message: str, problems: list[dict[str, Any]], data: object, raw: str, repairs: list[str]
) -> LLMJsonParseError:
    return parse_error(
        message,
        "validate",
        raw,
        **_details_of(problems),
        repairs=repairs or None,
        data_summary=data_summary(data),
    )


def validation_details(error: ValidationError) -> dict[str, Any]:
    """What is wrong with data that does not satisfy the type, for `details`; no value of it is repeated."""
    return _details_of(_problems(error))


def _problems(error: ValidationError) -> list[dict[str, Any]]:
    return [
        {"loc": e["loc"], "type": e["type"], "msg": e["msg"]}
        for e in error.errors(include_url=False, include_context=False, include_input=False)
    ]


def _details_of(problems: list[dict[str, Any]]) -> dict[str, Any]:
    facts = {"validation_errors": problems[:VALIDATION_ERRORS_LIMIT], "validation_error_count": len(problems)}
    return facts  # noqa: RET504 - the name is what the test of the page on errors looks for


def data_summary(data: object) -> str:
    """The value as JSON, cut to SUMMARY_LIMIT characters."""
    try:
        text = json.dumps(data, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        text = f"<{type(data).__name__}>"
    return text if len(text) <= SUMMARY_LIMIT else text[: SUMMARY_LIMIT - 1] + "…"


_JSON_TYPES = {
    dict: "object",
    list: "array",
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
}
