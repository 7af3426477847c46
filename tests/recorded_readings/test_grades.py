"""Over the recorded readings: each result's grade is as its edits say, and one that is `lossless` has lost nothing."""

import json
from functools import cache
from itertools import islice
from typing import Any

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.grade import Grade, least_sure
from src.shared.infrastructure.llm_json import DecodedJson, decode_llm_json
from tests.recorded_readings.recording import Recorded, recorded
from tests.thorough import at_length

EVERY = at_length(5, 1)


def _read(text: str) -> DecodedJson[Any] | None:
    try:
        return decode_llm_json(text, root="any", finished=True)
    except LLMJsonParseError:
        return None


@cache
def read() -> list[tuple[Recorded, DecodedJson[Any]]]:
    """The recorded texts that are read, one of `EVERY`, and what they give."""
    return [(one, decoded) for one in islice(recorded(), 0, None, EVERY) if (decoded := _read(one.text))]


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))


def _written(data: object) -> str:
    """All that a value says, without any sign of JSON and without escapes."""
    if isinstance(data, dict):
        return "".join(key + _written(value) for key, value in data.items())
    if isinstance(data, list):
        return "".join(map(_written, data))
    return data if isinstance(data, str) else json.dumps(data)


def test_grade_is_as_the_edits_say() -> None:
    otherwise = [
        one.text
        for one, decoded in read()
        if decoded.repairs
        and decoded.grade is not least_sure(repair.kind.grade for repair in decoded.repairs)
        and not any(note.action == "passed over" for note in decoded.notes)
    ]
    assert not otherwise


def test_text_that_needed_no_edit_is_clean_or_wrapped_unless_something_was_passed_over() -> None:
    grades = {
        decoded.grade
        for _, decoded in read()
        if not decoded.repairs and not any(note.action == "passed over" for note in decoded.notes)
    }
    assert grades <= {Grade.CLEAN, Grade.WRAPPED}


def test_lossless_result_is_the_expected_value() -> None:
    """The recorded texts that are read have the value they were made from."""
    sure = [(one, decoded) for one, decoded in read() if not decoded.grade.is_behind(Grade.LOSSLESS)]
    wrong = [one.text for one, decoded in sure if json.dumps(decoded.data) != json.dumps(one.reading["value"])]
    assert (wrong, len(sure) > 500 / EVERY) == ([], True)


def test_lossless_result_has_every_letter_of_its_text_in_the_same_order() -> None:
    """Only delimiters and escapes went in or out; texts with a backslash, whose letters may be escapes, apart."""
    sure = [
        (one.text, decoded)
        for one, decoded in read()
        if not decoded.grade.is_behind(Grade.LOSSLESS) and "\\" not in one.text and "&" not in one.text
    ]
    chosen = [
        (text[note.span.start : note.span.end], decoded.data)
        for text, decoded in sure
        for note in decoded.notes
        if note.action == "chosen"
    ]
    otherwise = [(text, data) for text, data in chosen if _letters(text) != _letters(_written(data))]
    assert (otherwise, len(chosen) > 400 / EVERY) == ([], True)
