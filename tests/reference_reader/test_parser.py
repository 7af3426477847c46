"""What the parser reads is the only nearest reading, or the one that a documented rule leaves; else it refuses.

Both bounds may only be moved one way: what is read wrongly can get less, what is read more.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.reference_reader.__main__ import main
from tests.reference_reader.checking import (
    Found,
    Small,
    decided,
    is_covered,
    judged,
    read,
    reference_of,
    reread,
    small_texts,
)
from tests.reference_reader.readings import nearest
from tests.thorough import at_length

SEED = 1
COUNT = at_length(64, 192)
"""Texts with one damage, and as many with two: all in all one for each kind of damage."""
MOST_WRONG = at_length({1: 1, 2: 2}, {1: 2, 2: 5})
FEWEST_READ = at_length({1: 35, 2: 17}, {1: 99, 2: 48})
"""Of texts with one nearest reading."""


def found_in(texts: list[Small]) -> Counter[Found]:
    return Counter(judged(read(small.text), reference_of(small.text)) for small in texts)


@pytest.mark.parametrize("damages", [1, 2])
def test_parser_takes_the_only_nearest_reading_or_refuses(damages: int) -> None:
    found = found_in([small for small in small_texts(COUNT, SEED, damages) if is_covered(small.text)])

    assert found[Found.WRONG] + found[Found.TIE_WRONG] <= MOST_WRONG[damages]
    assert found[Found.READ] >= FEWEST_READ[damages]
    print(f"{damages}: {found}")  # noqa: T201 - `pytest -s` shows the counts


REREAD = {
    "HTML": ("{&quot;a&quot;: 1}", '{"a": 1}'),
    "cell of CSV": ('{""a"": 1}', '{"a": 1}'),
    "repr of a text": (repr('{"a": "\\""}'), '{"a": "\\""}'),
    "marks before lines": ('> {\n> "a": 1\n> }', '{\n"a": 1\n}'),
    "line breaks of HTML": ('{<br>"a": 1,<br/>"b": 2<br>}', '{ "a": 1, "b": 2 }'),
    "bullets": ('{\n- "a": 1\n}', '{\n"a": 1\n}'),
    "bold": ('{**"a"**: 1}', '{"a": 1}'),
    "colon inside a key's quotes": ('{"a:" 1}', '{"a": 1}'),
    "comment of HTML": ('{<!-- x -->"a": 1}', '{ "a": 1}'),
    "escaped JSON": ('{\\"a\\": 1}', '{"a": 1}'),
    "prose": ('Here it is\n{"a": 1}', '{"a": 1}'),
    "a line's number": ('1: {"a": 1}', '{"a": 1}'),
    "equal object": ('{"a": 1}\n{"a": 1}', '{"a": 1}'),
    "repeated key": ('{"a": "a": 1}', '{"a": 1}'),
}
DECIDED = {
    "key inside a text": ('{"a": 1, b": 2}', '{"a":1,"b":2}'),
    "key that stands twice": ('{"a": {"b": 1, "a": 2}', '{"a":{"b":1,"a":2}}'),
    "bracket": ('{"a": 1}]', '{"a":1}'),
    "backslash": ('{"a": "it\\\'s"}', '{"a":"it\'s"}'),
    "stray quote": ('{"a": ""x"}', '{"a":"x"}'),
}


@pytest.mark.parametrize(("text", "instead"), REREAD.values(), ids=REREAD)
def test_documented_rule_says_that_a_text_stands_for_another(text: str, instead: str) -> None:
    assert reread(text) == instead
    assert judged(read(text), reference_of(text)) is Found.READ


@pytest.mark.parametrize(("text", "left"), DECIDED.values(), ids=DECIDED)
def test_documented_rule_decides_between_readings_that_are_as_near(text: str, left: str) -> None:
    reference = nearest(text)
    assert reference is not None
    assert len(reference.texts) > 1
    assert decided(reference.texts) == (left,)
    assert judged(read(text), reference) in {Found.TIE_DECIDED, Found.TIE_REFUSED}


@pytest.mark.parametrize("text", ['{"a": "C:\\work"}', '{"a": """x"""}', '"{\\"a\\": \\"\\\\d\\"}"'])
def test_reference_says_nothing_of_backslashes_that_follow_other_rules(text: str) -> None:
    assert not is_covered(text)


@pytest.mark.parametrize("text", ['{"a": 1}', '{"a": [1, 2}', '"a": {"b": 1}}', '{"a": 1, "b": [2]'])
def test_text_that_no_rule_rereads_stays_as_it_is(text: str) -> None:
    assert reread(text) == text


def test_same_seed_makes_the_same_texts() -> None:
    assert list(small_texts(20, 3, 2)) == list(small_texts(20, 3, 2))


def test_command_prints_both_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--count", "5", "--seed", "2"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("nearest readings") == 2
    assert "1 damage, seed 2" in printed
    assert "2 damages, seed 2" in printed
