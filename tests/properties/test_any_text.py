"""Any text at all gives a value that stands in it, or the parser's own error, and a trace that tells the truth."""

import json
import re
from typing import Any

from hypothesis import example, given
from pydantic import BaseModel

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.repair import RepairKind
from src.shared.infrastructure.llm_json import DecodedJson, decode_llm_json, parse_llm_json_output
from tests.properties.damaged_texts import any_text, broken_json
from tests.properties.json_texts import numbers_in, strings_in
from tests.shared.reading import position

ESCAPES = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f", "\a": "a", "\v": "v"}
NUMBER = re.compile(r"(?=([+-]?(?:\d[\d_]*)?\.?(?:\d[\d_]*)?(?:[eE][+-]?\d+)?))")
JOINT = "(?:[\"'`’”]\\s*\\+\\s*[\"'`‘“])?"


class Target(BaseModel):
    a: int
    b: list[str] = []


def decoded_or_refused(raw: str) -> DecodedJson[dict[str, Any]] | None:
    try:
        return decode_llm_json(raw)
    except LLMJsonParseError:
        return None


def occurs(text: str, raw: str) -> bool:
    """Whether a text stands in the raw text, each character as it is, escaped, or across a `" + "`."""
    joint = JOINT if "+" in raw else ""
    return re.search(joint.join(map(_written, text)), raw, re.IGNORECASE) is not None


def _written(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    points = "".join(rf"\\+u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
    short = rf"|\\+{ESCAPES[char]}" if char in ESCAPES else ""
    python = rf"|\\+x{ord(char):02x}|\\+U{ord(char):08x}|\\+0{{0,2}}{ord(char):o}"
    return rf"(?:\\*{re.escape(char)}|{points}{short}{python})"


def numbers_of(raw: str) -> set[float]:
    """Every number that stands anywhere in the raw text, in any spelling."""
    spelt = {match.group(1).replace("_", "") for match in NUMBER.finditer(raw)}
    return {float(text) for text in spelt if re.search(r"\d", text.partition("e")[0].partition("E")[0])}


@given(any_text)
@example("\ud800")
def test_decoding_any_text_gives_an_object_or_the_parsers_error(raw: str) -> None:
    decoded = decoded_or_refused(raw)
    assert decoded is None or type(decoded.data) is dict


@given(any_text)
def test_salvaging_any_text_gives_an_object_or_the_parsers_error(raw: str) -> None:
    try:
        assert type(decode_llm_json(raw, salvage=True).data) in {dict, list}
    except LLMJsonParseError as error:
        assert error.details["stage"]  # noqa: PT017 - either outcome is right


@given(any_text)
def test_parsing_any_text_gives_the_type_or_the_parsers_error(raw: str) -> None:
    try:
        assert type(parse_llm_json_output(raw, Target)) is Target
    except LLMJsonParseError as error:
        assert error.details["stage"]  # noqa: PT017 - either outcome is right


@given(broken_json)
def test_every_string_of_a_result_stands_in_the_raw_text(raw: str) -> None:
    decoded = decoded_or_refused(raw)
    invented = [text for text in strings_in(decoded.data) if not occurs(text, raw)] if decoded else []
    assert invented == []


@given(broken_json)
def test_every_number_of_a_result_stands_in_the_raw_text(raw: str) -> None:
    decoded = decoded_or_refused(raw)
    found = [number for number in numbers_in(decoded.data) if abs(number) < float("inf")] if decoded else []
    assert {float(number) for number in found} <= numbers_of(raw)


@given(broken_json)
def test_reading_what_was_read_changes_nothing(raw: str) -> None:
    decoded = decoded_or_refused(raw)
    if decoded is not None:
        again = decode_llm_json(json.dumps(decoded.data))
        assert repr(again.data) == repr(decoded.data)
        assert {repair.kind for repair in again.repairs} <= {RepairKind.NON_FINITE_NUMBER}


@given(broken_json)
def test_trace_agrees_with_the_raw_text(raw: str) -> None:
    decoded = decoded_or_refused(raw)
    for repair in decoded.repairs if decoded else ():
        assert {"line": repair.line, "column": repair.column, "offset": repair.offset} == position(raw, repair.offset)
        found = repair.found.removesuffix("…") if len(repair.found) == 40 else repair.found
        assert raw.startswith(found, repair.offset)


@given(any_text)
def test_positions_of_an_error_agree_with_the_raw_text(raw: str) -> None:
    try:
        decode_llm_json(raw)
    except LLMJsonParseError as error:
        places = [error.details.get("position", position(raw, 0)), *error.details.get("candidates", [])]
        assert places == [position(raw, place["offset"]) for place in places]
