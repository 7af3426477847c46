"""Builds the parser's errors, with every message in one place.

Each is a `Message`. Callers match on four terms of the Chinese, which must stay:
为空, 不是合法 JSON, 根节点须为对象, 不符合契约.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeAlias

from pydantic import ValidationError
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from src.shared.domain.exceptions import LLMJsonParseError, Told
from src.shared.domain.language import Language, Message, Phrase
from src.shared.domain.one_line import shorten
from src.shared.domain.parse_reasons import TIMEOUT, Reason
from src.shared.domain.type_shapes import ROOTS, Root, name_of_roots

Loc: TypeAlias = tuple[str | int, ...]

SUMMARY_LIMIT = 500
"""Most characters of `details["data_summary"]`."""
VALIDATION_ERRORS_LIMIT = 50
"""Most entries of `details["validation_errors"]`; `validation_error_count` has the whole number."""
NO_KNOWN_FIELD = "no_known_field"
"""Type of the validation error of an object that has nothing of the type."""
HANDED_BACK = "schema_handed_back"
"""Type of the validation error of a JSON Schema in place of an answer."""
SCHEMA_HANDED_BACK = Phrase(
    "this is the JSON Schema, not data that satisfy it; give the data, and not inside of properties"
)
TEMPLATE_HANDED_BACK = "template_handed_back"
"""Type of the validation error of a template, whose values are placeholders, in place of an answer."""
NO_VALUES = Phrase("this repeats the template with its placeholders, and is no answer; put values in their place")
MESSAGE = "message"
"""Where the context of a problem holds its `Message`, so that it is told in the language asked for."""
_SHOWN = 3
"""Most problems a message names."""
EMPTY = Phrase("the model's output is empty")


def parse_error(message: Message, stage: str, raw: str, **details: Any) -> LLMJsonParseError:  # noqa: ANN401 - facts of any JSON type
    """An error of one stage; details that are None are left out."""
    facts = {"stage": stage, "raw_length": len(raw), **details}
    error = LLMJsonParseError(message.text(), {key: value for key, value in facts.items() if value is not None})
    error.told = _told(message)
    return error


def _told(headline: Message, problems: tuple[Message | str, ...] = ()) -> Told:
    """The two in every language, and in the one that is asked for now."""
    return Told("", said=(headline, problems)).spoken()


def not_json(reason: Reason, stage: str, raw: str, **details: Any) -> LLMJsonParseError:  # noqa: ANN401 - as above
    """The text is not JSON; `json_error` holds the English reason."""
    details.setdefault("json_error", reason.en)
    message = Phrase("not valid JSON: {reason}", reason=reason)
    return parse_error(message, stage, raw, **details)


def speak(error: LLMJsonParseError, language: Language) -> None:
    """Have an error, which was made in this language, tell its problems in it whenever it is asked."""
    error.told = (error.told or Told(error.message))._replace(call_language=language)
    for problem, text in zip(error.details.get("validation_errors", ()), error.told.problems, strict=False):
        problem["msg"] = text


def tell_problems(error: LLMJsonParseError, broken: ValidationError) -> LLMJsonParseError:
    """The error, with what is wrong with an object of the text that does not satisfy the type."""
    found = found_in(broken)
    error.details |= _details_of(found)
    headline = error.told.said[0] if error.told and error.told.said else Message(error.message, error.message)
    error.told = _told(headline, _in_words(found))
    return error


def time_is_up(raw: str, seconds: float) -> LLMJsonParseError:
    """The time that the caller gave to read the text is over, whatever is in it."""
    message = Phrase("not read within the {seconds:g} s that the call allows", seconds=seconds)
    return parse_error(message, TIMEOUT, raw, json_error="not read in time", timeout=seconds)


_ROOTS = {
    "object": Phrase("an object"),
    "array": Phrase("an array"),
    "any": Phrase("an object or an array"),
    "scalar": Phrase("one value"),
}


def wrong_root(data: object, raw: str, repairs: list[str], roots: frozenset[Root]) -> LLMJsonParseError:
    """The root is JSON, but not what the type is read from."""
    name = type(data).__name__
    kind = _JSON_TYPES.get(type(data), Message(name, name))
    message = Phrase("the root must be {root}, not {kind}", root=_ROOTS[name_of_roots(roots)], kind=kind)
    facts = {"json_error": f"the root is {kind.en}", "data_summary": data_summary(data), "repairs": repairs or None}
    return parse_error(message, "root", raw, **facts)


def tell_root(error: LLMJsonParseError, roots: frozenset[Root]) -> None:
    """Record in the error which root was looked for, if not an object, so that `feedback()` asks for it."""
    if roots != ROOTS["object"]:
        facts = {"root": name_of_roots(roots)}
        error.details.update(facts)


def normalizer_failed(name: str, problem: str, data: object, raw: str) -> LLMJsonParseError:
    """A normalizer raised, or did not return an object; `data` is what the first one was given."""
    return parse_error(
        Phrase("the normalizer {name} failed: {problem}", name=name, problem=problem),
        "normalize",
        raw,
        json_error=f"the normalizer {name} failed",
        normalizer=name,
        normalizer_error=problem,
        data_summary=data_summary(data),
    )


def broken_contract(
    found: list[ErrorDetails], dto_name: str, data: object, raw: str, repairs: Sequence[str] = ()
) -> LLMJsonParseError:
    """The data does not satisfy the type; values of the input are not repeated, `data_summary` apart."""
    told = _told(_broken(dto_name, [], 0), _in_words(found))
    pairs = zip(found, told.problems[:_SHOWN], strict=False)
    shown = [f"{'.'.join(map(str, p['loc'])) or '$'}: {text}" for p, text in pairs]
    facts = _details_of(found) | {"repairs": repairs or None, "data_summary": data_summary(data)}
    broken = parse_error(_broken(dto_name, shown, len(found)), "validate", raw, **facts)
    broken.told = told
    return broken


def _broken(dto_name: str, shown: list[str], count: int) -> Message:
    """The message with some of the problems, or the headline without any."""
    return Phrase(
        "does not match the contract {name}{listed}{more}",
        name=dto_name,
        listed=Phrase(": {problems}", problems=Phrase.joined("{one}; {other}", shown)) if shown else "",
        more=Phrase("; {count} problems in all", count=count) if count > len(shown) else "",
    )


def validator_failed(error: Exception, dto_name: str, data: object, raw: str, repairs: list[str]) -> LLMJsonParseError:
    """The type's own code raised what no validator may raise: whether the data satisfies it is not known."""
    kind = type(error).__name__
    message = Phrase(
        "does not match the contract {dto_name}: a validator of the program failed with {kind}; that is no "
        "fault of the model's output",
        dto_name=dto_name,
        kind=kind,
    )
    return parse_error(
        message,
        "validate",
        raw,
        validation_errors=[{"loc": (), "type": kind, "msg": str(error) or kind}],
        validation_error_count=1,
        repairs=repairs or None,
        data_summary=data_summary(data),
    )


def _in_words(found: list[ErrorDetails]) -> tuple[Message | str, ...]:
    """The first problems in every language; Pydantic's own texts and those of the type stay as they are."""
    first = [(problem.get("ctx", {}).get(MESSAGE), problem["msg"]) for problem in found[:VALIDATION_ERRORS_LIMIT]]
    return tuple(own if isinstance(own, Message) else text for own, text in first)


def problem_of(kind: str, message: Message, loc: Loc, data: object, **facts: Any) -> InitErrorDetails:  # noqa: ANN401 - any context
    """One problem of a validation error that is told in the language that is asked for."""
    context = {"said": message.text(Language.BOTH), MESSAGE: message, **facts}
    return InitErrorDetails(type=PydanticCustomError(kind, "{said}", context), loc=loc, input=data)


def found_in(error: ValidationError) -> list[ErrorDetails]:
    """What is wrong, without the values."""
    return error.errors(include_url=False, include_input=False)


def _details_of(found: list[ErrorDetails]) -> dict[str, Any]:
    """What is wrong with data that does not satisfy the type; no value of it is repeated."""
    first = [{"loc": e["loc"], "type": e["type"], "msg": e["msg"]} for e in found[:VALIDATION_ERRORS_LIMIT]]
    facts = {"validation_errors": first, "validation_error_count": len(found)}
    return facts  # noqa: RET504 - the name is what the test of the page on errors looks for


def data_summary(data: object) -> str:
    """The value as JSON, cut to SUMMARY_LIMIT characters."""
    try:
        text = json.dumps(data, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        text = f"<{type(data).__name__}>"
    return shorten(text, SUMMARY_LIMIT)


_JSON_TYPES = {
    dict: Phrase("object"),
    list: Phrase("array"),
    str: Phrase("string"),
    int: Phrase("number"),
    float: Phrase("number"),
    bool: Phrase("boolean"),
    type(None): Phrase("null"),
}
