"""Inputs built to exhaust a parser: each is refused with the parser's own error, and each refusal is bounded work."""

import contextlib
from collections.abc import Callable
from typing import Any

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import TOO_DEEP, TWO_READINGS
from src.shared.domain.reading.machine import MAX_DEPTH
from src.shared.domain.reading.reader import read
from src.shared.domain.reading.scanner import ValueScanner
from src.shared.domain.strict_json import decode_at
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.linear.of_one_thing import FAMILIES
from tests.shared.reading import refusal_of, value_of
from tests.thorough import at_length

LARGE = at_length(100_000, 1_000_000)
DEEP = 100_000
MANY = at_length(20_000, 100_000)

REPEATED, INSIDE = FAMILIES["repeated"], FAMILIES["inside"]


@pytest.mark.parametrize("unit", REPEATED.values(), ids=REPEATED.keys())
def test_large_text_of_one_thing_is_refused(unit: str) -> None:
    refusal_of(unit * (LARGE // len(unit)))


DAMAGED_EVERYWHERE = {
    "comments that hold a member": '{"a":"' + '#"a":"b",\n' * 800 + '"}',
    "the same in a list": '{"a":["' + '#"a","b",\n' * 800 + '"]}',
    "the same with slashes": '{"a":"' + '//"a":"b",\n' * 800 + '"}',
    "the same in a fence": '```json\n{"a":"' + '#"a":"b",\n' * 800 + '"}\n```',
    "the same in Chinese": '{"键":"' + '#"键":"值"，\n' * 800 + '"}',
    "closing braces where a value is due": '{"a":' + "}" * 8_000,
    "the same with a line each": '{"a":' + "\n}" * 8_000,
    "the same with a sign that shows nothing between them": '{"a":' + "}\u200b" * 8_000,
    "closing brackets after a list": '{"a":[1' + "]" * 8_000,
}


@pytest.mark.parametrize("known", [None, True])
@pytest.mark.parametrize("raw", DAMAGED_EVERYWHERE.values(), ids=DAMAGED_EVERYWHERE.keys())
def test_text_that_is_damaged_everywhere_is_refused(raw: str, *, known: bool | None) -> None:
    refusal_of(raw, finished=known)


@pytest.mark.parametrize("unit", INSIDE.values(), ids=INSIDE.keys())
def test_hundred_kilobytes_of_one_thing_in_an_unclosed_string_are_refused(unit: str) -> None:
    refusal_of('{"a": 1, "b": "' + unit * (100_000 // len(unit)) + "x")


@pytest.mark.parametrize("bracket", ["[", "{", "［", "{[", '{"a":[', "[[{'a':"])
def test_tens_of_thousands_of_opening_brackets_are_refused(bracket: str) -> None:
    refusal_of(bracket * MANY)


@pytest.mark.parametrize("around", [("", ""), ("好 ", ""), ("```json\n", "\n```"), ("<think>x</think>", "")])
def test_valid_json_nested_too_deeply_is_refused_as_too_deep(around: tuple[str, str]) -> None:
    raw = '{"a":' * DEEP + "1" + "}" * DEEP
    assert refusal_of(around[0] + raw + around[1]).details["json_error"] == TOO_DEEP.en


def test_objects_as_deep_as_the_decoder_goes_are_compared_without_a_crash() -> None:
    for depth in range(900, 1_000, at_length(9, 1)):
        raw = '{"a":' * depth + "1" + "}" * depth
        with contextlib.suppress(LLMJsonParseError):
            assert decode_llm_json(f"{raw} {raw}").data["a"]


def test_damaged_json_is_repaired_as_deep_as_the_bound() -> None:
    inside, deeper = ('{"a" = ' * depth + "1" + "}" * depth for depth in (MAX_DEPTH, MAX_DEPTH + 1))
    assert value_of(inside)["a"]
    assert refusal_of(deeper).details["json_error"] == TOO_DEEP.en


def test_tens_of_thousands_of_members_are_read() -> None:
    assert len(value_of("{" + ",".join(f'"k{n}":{n}' for n in range(MANY)) + ",}")) == MANY


def test_thousands_of_damaged_elements_are_read() -> None:
    assert len(value_of('{"a": [' + ", ".join(f"'{n}'" for n in range(4_000)) + "]}")["a"]) == 4_000


@pytest.mark.parametrize(("unit", "more"), [("‘x’,", DEEP), ("/**/", 0)], ids=["quotes", "comments"])
def test_damage_that_is_decided_where_it_stands_may_be_everywhere(unit: str, more: int) -> None:
    assert len(value_of('{"a": [' + unit * DEEP + "1]}")["a"]) == 1 + more


def test_a_hundred_thousand_commas_are_refused() -> None:
    assert refusal_of('{"a": [' + "," * DEEP + "1]}").details["json_error"] == TWO_READINGS.en


# --- work is counted, not timed ----------------------------------------------------------------------------


def characters_read(monkeypatch: pytest.MonkeyPatch, raw: str) -> int:
    """Count the characters that the decoder and the tolerant reader go over while a text is read or refused."""
    costs: list[int] = []

    def counted(work: Callable[..., Any]) -> Callable[..., Any]:
        def run(text: str, start: int, *rest: Any, **options: Any) -> Any:  # noqa: ANN401 - stands in for two signatures
            try:
                result = work(text, start, *rest, **options)
            except ValueError as error:
                costs.append(getattr(error, "pos", start) - start)
                raise
            costs.append(result.end - start)
            return result

        return run

    monkeypatch.setattr("src.shared.domain.reading.scanner.decode_at", counted(decode_at))
    monkeypatch.setattr("src.shared.domain.reading.scanner.read", counted(read))
    with contextlib.suppress(LLMJsonParseError):
        decode_llm_json(raw)
    return sum(costs)


@pytest.mark.parametrize(
    "unit",
    ['{"a', "{'a': ", '{"a": "', "[{", '{"a": 1} {"', '{"a": "x" ', "{'a': '{", ", 'a", '"\n'],
    ids=lambda unit: unit,
)
def test_reading_a_text_twice_as_long_costs_about_twice_the_work(monkeypatch: pytest.MonkeyPatch, unit: str) -> None:
    short, long = (characters_read(monkeypatch, unit * count) for count in at_length((5_000, 10_000), (10_000, 20_000)))
    assert long < 2.5 * short + 100_000


def test_scanner_that_has_used_up_its_work_reads_nothing_more() -> None:
    scanner = ValueScanner('{"a": 1}' * 3)
    scanner.work.spend(scanner.work.left + 1)
    assert [value.problem is None for value in scanner.values(0, len(scanner.text))] == [False]
    assert scanner.covering(0, 9) == len(scanner.text)


def test_each_place_is_read_once() -> None:
    scanner = ValueScanner("{'a': 1}")
    assert scanner.value_at(0) is scanner.value_at(0)


def test_text_of_many_lines_is_read_with_the_right_position() -> None:
    raw = '{"a": 1,\n' + "\n" * DEEP + '"b": f(x)}'
    assert refusal_of(raw).details["position"]["line"] == DEEP + 2


def test_megabyte_of_raw_newlines_in_a_string_is_kept() -> None:
    text = "\n" * 100_000
    assert decode_llm_json(f'{{"a": "{text}"}}').data == {"a": text}


def test_value_nested_too_deep_for_the_decoder_covers_all_that_follows() -> None:
    depth = 100_000  # no version of Python's decoder reads so many levels
    text = '{"a": ' * depth + "1" + "}" * depth + " <think>"

    assert ValueScanner(text).covering(0, text.index("<")) == len(text)
