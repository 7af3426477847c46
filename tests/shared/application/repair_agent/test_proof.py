"""An answer is taken if it differs from the damaged text in syntax only."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from src.shared.application.repair_agent.answer import NotStrictJsonError
from src.shared.application.repair_agent.proof import prove
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.parse_reasons import NUMBER_OR_TEXT, Reason
from src.shared.domain.repair_errors import EXCERPT_LIMIT, PATH_LIMIT, Difference, DifferenceKind, RepairRefusedError
from src.shared.infrastructure.llm_json import decode_llm_json
from src.shared.infrastructure.parsing.inspection import read_object
from tests.properties.damages import DAMAGES
from tests.shared.application.repair_agent.changes import CHANGES, changed
from tests.shared.application.repair_agent.documents import DOCUMENTS

each_document = pytest.mark.parametrize("name", DOCUMENTS)
K = DifferenceKind


def difference(damaged: str, answer: str) -> Difference | RepairRefusedError | None:
    try:
        prove(damaged, answer, read_object)
    except RepairRefusedError as error:
        return error.difference or error
    return None


def changes_of(name: str, change: str) -> list[dict[str, Any]]:
    return [data for data in changed(DOCUMENTS[name].repaired, CHANGES[change]) if isinstance(data, dict)]


# --- what is accepted, and that nothing else is -------------------------------------------------------------


@each_document
def test_deterministic_reader_makes_of_a_document_the_same_honest_repair_or_none(name: str) -> None:
    with suppress(LLMJsonParseError):
        assert decode_llm_json(DOCUMENTS[name].damaged).data == DOCUMENTS[name].repaired


@each_document
@pytest.mark.parametrize("change", CHANGES)
def test_every_single_change_of_a_value_a_name_or_the_structure_is_refused(name: str, change: str) -> None:
    damaged = DOCUMENTS[name].damaged
    taken = [data for data in changes_of(name, change) if difference(damaged, json.dumps(data)) is None]
    assert taken == []


def test_more_than_a_thousand_changes_are_tried() -> None:
    assert sum(len(changes_of(name, change)) for name in DOCUMENTS for change in CHANGES) > 1_000


@pytest.mark.parametrize("change", CHANGES)
def test_every_kind_of_change_is_tried_on_several_documents(change: str) -> None:
    assert sum(bool(changes_of(name, change)) for name in DOCUMENTS) > 2


all_changes = st.sampled_from(
    [(name, change) for name in DOCUMENTS for change in CHANGES if changes_of(name, change)]
).flatmap(lambda pair: st.tuples(st.just(pair[0]), st.sampled_from(changes_of(*pair))))


@given(all_changes, st.sampled_from(sorted(CHANGES)), st.data())
def test_two_changes_at_once_are_refused(one: tuple[str, dict[str, Any]], change: str, data: st.DataObject) -> None:
    name, changed_once = one
    others = [other for other in changed(changed_once, CHANGES[change]) if isinstance(other, dict)]
    assume(others)
    twice = data.draw(st.sampled_from(others))
    assume(json.dumps(twice) != json.dumps(DOCUMENTS[name].repaired))
    assert difference(DOCUMENTS[name].damaged, json.dumps(twice)) is not None


@given(st.data())
def test_answer_with_any_character_changed_is_refused_or_says_the_same(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(DOCUMENTS)))
    text = json.dumps(DOCUMENTS[name].repaired, ensure_ascii=False)
    at = data.draw(st.integers(0, len(text) - 1))
    other = text[:at] + data.draw(st.sampled_from(["", "0", "-", '"', " ", "x", "，", "\\"])) + text[at + 1 :]
    try:
        taken = difference(DOCUMENTS[name].damaged, other) is None
    except NotStrictJsonError:
        return
    assert not taken or json.loads(other) == DOCUMENTS[name].repaired


LOSSLESS = ("trailing commas", "unquoted keys", "Python's literals", "smart quotes", "single quotes")


@given(st.sampled_from(LOSSLESS), st.data())
def test_what_the_deterministic_reader_makes_of_damage_is_accepted_from_a_model_too(
    name: str, data: st.DataObject
) -> None:
    texts = list(DAMAGES[name].texts(data.draw(DAMAGES[name].values)))
    assume(texts)
    damaged = data.draw(st.sampled_from(texts))
    assert difference(damaged, json.dumps(decode_llm_json(damaged).data)) is None


# --- single cases ------------------------------------------------------------------------------------------

ACCEPTED = {
    "number in another spelling": ('{"a": +1; "b": .5; "c": 1_000; "d": 2.}', '{"a":1,"b":0.5,"c":1000,"d":2.0}'),
    "number with an exponent": ('{"a": 1.5e-3; "b": 2E5}', '{"a": 1.5e-3, "b": 2E5}'),
    "literal of another language": ('{"a": None; "b": undefined}', '{"a": null, "b": null}'),
    "escape of two surrogates": (r'{"a": "\ud83d\ude00"; }', '{"a": "😀"}'),
    "lone surrogate": (r'{"a": "\ud83dx"; "b": "\ude00"}', r'{"a": "\ud83dx", "b": "\ude00"}'),
    "escape of one character": (r'{"a": "\u4e2d\/\'x\t\""; }', r'{"a": "中/' + "'" + r'x\t\""}'),
    "backslash that starts no escape": (r'{"a": "C:\work \d"; }', r'{"a": "C:\\work \\d"}'),
    "LaTeX command": (r'{"a": "3 \times 4 \frac12"; }', r'{"a": "3 \\times 4 \\frac12"}'),
    "quotes around a word": ('{"a": "he said "no" twice"; }', '{"a": "he said \\"no\\" twice"}'),
    "quote in the middle": ('{"a": "a 5" screen"; }', '{"a": "a 5\\" screen"}'),
    "quotes of the text in a list": ('{"a": ["say "hi" now"; "x"]}', '{"a": ["say \\"hi\\" now", "x"]}'),
    "full-width brackets": ("｛“a”：［1；2］｝", '{"a": [1, 2]}'),
    "arrow for a colon": ('{"a" => 1; "b" = 2}', '{"a": 1, "b": 2}'),
    "colon forgotten": ('{"a" 1; "b" "x"}', '{"a": 1, "b": "x"}'),
    "comma forgotten": ('{"a": [{"b": 1} {"b": 2}]; "c": "x" "d": "y"}', '{"a":[{"b":1},{"b":2}],"c":"x","d":"y"}'),
    "comma forgotten at a line's end": ('{"a": 1\n"b": [1\n2];}', '{"a": 1, "b": [1, 2]}'),
    "brackets missing before the end": ('```\n{"a": [1; {"b": "x"\n```', '{"a": [1, {"b": "x"}]}'),
    "brackets missing before a fence": ('```\n{"a": [1; 2\n```', '{"a": [1, 2]}'),
    "wrong last bracket": ('{"a": 1; "b": 2]', '{"a": 1, "b": 2}'),
    "semicolon behind the object": ('```js\n{"a": 1;};\n```', '{"a": 1}'),
    "comma behind the object": ('{"a": 1;},', '{"a": 1}'),
    "list closed by its object": ('{"a": {"b": [1; 2}}', '{"a": {"b": [1, 2]}}'),
    "invisible characters": ('\ufeff{\u200b"a":\u00a01;}', '{"a": 1}'),
    "block comment with structure": ('{"a": 1; /* "b": {2} */ "c": 3}', '{"a": 1, "c": 3}'),
    "bare text before a comment": ('{"a": some text // note\n; "b": 1}', '{"a": "some text", "b": 1}'),
    "bare name of underscores": ("{_: 1; __: []}", '{"_": 1, "__": []}'),
    "bare name with a quote too many": ('{a": 1; b: 2}', '{"a": 1, "b": 2}'),
    "name with quotes inside": ('{"a"b"c": 1;}', '{"a\\"b\\"c": 1}'),
    "empty text": ('{"a": ""; "b": “”}', '{"a": "", "b": ""}'),
    "string of JSON with a list": ('{"a": "[{"b": 1}]"; }', '{"a": "[{\\"b\\": 1}]"}'),
    "object closed at the end of its wrapping": ('<b>{"a": [1, 2</b>', '{"a": [1, 2]}'),
    "reasoning that holds an object": ('<think>{"a": 2}</think>{"a": 1;}', '{"a": 1}'),
}


@pytest.mark.parametrize(("damaged", "answer"), ACCEPTED.values(), ids=ACCEPTED.keys())
def test_repair_of_syntax_is_accepted(damaged: str, answer: str) -> None:
    assert difference(damaged, answer) is None


REFUSED = {
    "digit": (K.VALUE_CHANGED, '{"a": 12;}', '{"a": 13}'),
    "sign": (K.VALUE_CHANGED, '{"a": -12;}', '{"a": 12}'),
    "decimal point": (K.VALUE_CHANGED, '{"a": 1.25;}', '{"a": 12.5}'),
    "number spelled anew": (K.VALUE_CHANGED, '{"a": 1e3;}', '{"a": 1000}'),
    "translation": (K.VALUE_CHANGED, '{"a": "汇率风险";}', '{"a": "exchange rate risk"}'),
    "literal": (K.VALUE_CHANGED, '{"a": True;}', '{"a": false}'),
    "inner quotes dropped": (K.VALUE_CHANGED, '{"a": "say "hi" now";}', '{"a": "say hi now"}'),
    "escape escaped": (K.VALUE_CHANGED, r'{"a": "x\ny";}', r'{"a": "x\\ny"}'),
    "LaTeX read as a tab": (K.VALUE_CHANGED, r'{"a": "3 \times 4";}', r'{"a": "3 \times 4"}'),
    "Windows path read with a tab": (K.VALUE_CHANGED, r'{"a": "C:\temp\work";}', r'{"a": "C:\temp\\work"}'),
    "white space in a string": (K.VALUE_CHANGED, '{"a": "x  y";}', '{"a": "x y"}'),
    "full-width mark in a string": (K.VALUE_CHANGED, '{"a": "x，y";}', '{"a": "x,y"}'),
    "half of a bare text": (K.VALUE_CHANGED, '{"a": 约 100 元; "b": 1}', '{"a": "约 100", "b": 1}'),
    "stray quote taken as text": (K.STRUCTURE_CHANGED, '{"a": "x"";}', '{"a": "x\\""}'),
    "name": (K.NAME_CHANGED, '{"a": 1;}', '{"b": 1}'),
    "name in capitals": (K.NAME_CHANGED, '{"ab": 1;}', '{"AB": 1}'),
    "number in quotes": (K.TYPE_CHANGED, '{"a": 12;}', '{"a": "12"}'),
    "quotes dropped from a number": (K.TYPE_CHANGED, '{"a": "12";}', '{"a": 12}'),
    "literal in quotes": (K.TYPE_CHANGED, '{"a": true;}', '{"a": "true"}'),
    "null for a string": (K.TYPE_CHANGED, '{"a": "x";}', '{"a": null}'),
    "null for a number": (K.TYPE_CHANGED, '{"a": 1;}', '{"a": null}'),
    "null for NaN": (K.TYPE_CHANGED, '{"a": NaN;}', '{"a": null}'),
    "null for an ellipsis": (K.TYPE_CHANGED, '{"a": …;}', '{"a": null}'),
    "null for a value that is not there": (K.ADDED, '{"a": ; "b": 1}', '{"a": null, "b": 1}'),
    "two numbers as one text": (K.TYPE_CHANGED, '{"a": 1 2; "b": 1}', '{"a": "1 2", "b": 1}'),
    "field at the end": (K.ADDED, '{"a": 1;}', '{"a": 1, "b": ""}'),
    "field at the beginning": (K.ADDED, '{"a": 1;}', '{"b": 1, "a": 1}'),
    "item at the end": (K.ADDED, '{"a": [1;]}', '{"a": [1, 2]}'),
    "field left out at the end": (K.LOST, '{"a": 1; "b": 2}', '{"a": 1}'),
    "field left out at the beginning": (K.LOST, '{"a": 1; "b": 2}', '{"b": 2}'),
    "last item left out": (K.LOST, '{"a": [1; 2]; "b": 3}', '{"a": [1], "b": 3}'),
    "unit left out": (K.LOST, '{"a": 50%; "b": 3}', '{"a": 50, "b": 3}'),
    "members behind a tag inside": (K.LOST, '{"a": 1, "b": "x" </b> "c" 3', '{"a": 1, "b": "x"}'),
    "items behind a mark inside": (K.LOST, '{"a": 1, "b": [1, 2 ~~~ 3, 4', '{"a": 1, "b": [1, 2]}'),
    "second object left out": (K.LOST, '{"a": 1;} {"b": 2}', '{"a": 1}'),
    "members behind a surplus brace left out": (K.LOST, '{"a": 1;}, "b": 2}', '{"a": 1}'),
    "member before the object left out": (K.STRUCTURE_CHANGED, '"a": 1, {"b": 2;}', '{"b": 2}'),
    "no object": (K.STRUCTURE_CHANGED, "没有", '{"a": "没有"}'),
    "list for an object": (K.STRUCTURE_CHANGED, '{"a": {"b": 1;}}', '{"a": ["b", 1]}'),
    "level more": (K.STRUCTURE_CHANGED, '{"a": 1;}', '{"a": [1]}'),
    "bracket in another place": (K.CUT_OFF, '{"a": {"b": 1; "c": 2}', '{"a": {"b": 1}, "c": 2}'),
    "two items as one": (K.STRUCTURE_CHANGED, '{"a": ["x"; "y"]}', '{"a": ["x\\"; \\"y"]}'),
    "two members as one": (K.STRUCTURE_CHANGED, '{"a": "x"; "b": "y"}', '{"a": "x\\"; \\"b\\": \\"y"}'),
    "two items without a comma as one": (K.STRUCTURE_CHANGED, '{"a": ["x" "y"];}', '{"a": ["x\\" \\"y"]}'),
    "item taken apart at a comma": (K.STRUCTURE_CHANGED, '{"a": ["x, y"];}', '{"a": ["x", "y"]}'),
    "item taken apart at a line end": (K.STRUCTURE_CHANGED, '{"a": ["x\ny"];}', '{"a": ["x", "y"]}'),
    "text behind a number as an item": (K.STRUCTURE_CHANGED, '{"a": [5 (about);]}', '{"a": [5, "(about)"]}'),
    "bare name without a colon": (K.STRUCTURE_CHANGED, "{a; b: 1}", '{"a": "b"}'),
    "literal as a name without a colon": (K.STRUCTURE_CHANGED, '{true "a"}', '{"true": "a"}'),
    "sign as a name without a colon": (K.STRUCTURE_CHANGED, '{) {"a": 1;}}', '{")": {"a": 1}}'),
    "member with arrows behind a separator": (K.LOST, '{"a": [1;]}; "b" -> [2]', '{"a": [1]}'),
    "item behind a wrong last bracket": (K.LOST, '{"a": 1; ] "b"}', '{"a": 1}'),
    "list behind the object": (K.LOST, '{"a": 1;} ["b"]', '{"a": 1}'),
    "key before the object and a mark": (K.STRUCTURE_CHANGED, '"k": * {"a": 1;}', '{"a": 1}'),
    "member in a comment at the end": (K.LOST, '{"a": 1; // "b": 2', '{"a": 1}'),
    "comma before the first member": (K.STRUCTURE_CHANGED, '{"a": {; "b": 1}', '{"a": {"b": 1}}'),
    "string cut off": (K.CUT_OFF, '{"a": 1; "b": "only if the price fal', '{"a": 1, "b": "only if the price fal"}'),
    "string cut off and completed": (K.CUT_OFF, '{"a": 1; "b": "only if', '{"a": 1, "b": "only if the price falls"}'),
    "value cut off": (K.CUT_OFF, '{"a": 1; "b":', '{"a": 1, "b": null}'),
    "bare text cut off": (K.CUT_OFF, '{"a": 1; "b": BU', '{"a": 1, "b": "BU"}'),
    "members cut off": (K.CUT_OFF, '{"a": 1; "b": 2,', '{"a": 1, "b": 2}'),
    "list on lines cut off": (K.CUT_OFF, '{"a": 1; "b": [\n 1,\n 2', '{"a": 1, "b": [1, 2]}'),
    "comment that may be a member": (K.LOST, '{"a": 1; // "b": 2}', '{"a": 1}'),
    "comment taken as text": (K.VALUE_CHANGED, '{"a": x // y\n; "b": 1}', '{"a": "x // y", "b": 1}'),
}


@pytest.mark.parametrize(("kind", "damaged", "answer"), REFUSED.values(), ids=REFUSED.keys())
def test_departure_from_the_text_is_named(kind: DifferenceKind, damaged: str, answer: str) -> None:
    found = difference(damaged, answer)
    assert isinstance(found, Difference)
    assert found.kind is kind


LEFT_TO_THE_READER = {
    "object of a list without the list": ("the root is array", '[{"a": 1;}]', '{"a": 1}'),
    "numbers with no comma": (NUMBER_OR_TEXT, '{"a": [1 2];}', '{"a": [1, 2]}'),
}


@pytest.mark.parametrize(("reason", "damaged", "answer"), LEFT_TO_THE_READER.values(), ids=LEFT_TO_THE_READER.keys())
def test_what_brackets_and_commas_say_is_for_the_reader(reason: Reason | str, damaged: str, answer: str) -> None:
    refused = difference(damaged, answer)
    assert isinstance(refused, RepairRefusedError)
    assert refused.details["json_error"] == getattr(reason, "en", reason)


def test_difference_says_where_it_is_and_what_stands_there() -> None:
    found = difference('{"rows": [{"n": 1}; {"n": 25}]}', '{"rows": [{"n": 1}, {"n": 26}]}')
    assert found == Difference(K.VALUE_CHANGED, "$.rows[1].n", 26, "25}]}", "26")


def test_difference_is_bounded() -> None:
    name = "名" * 5_000
    found = difference(f'{{"{name}": "{name}";}}', f'{{"{name}": "{name[1:]}"}}')
    assert isinstance(found, Difference)
    assert (len(found.path), len(found.found), len(found.answered)) == (PATH_LIMIT, EXCERPT_LIMIT, EXCERPT_LIMIT)
