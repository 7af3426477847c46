"""What people write for a value, read as its type; and what nobody can read for certain, refused."""

import json

import pytest

from src.shared.domain.coercion.coercion import NOT_EXACT, TWO_READINGS, CoercionKind
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import ParsedOutput, parse_llm_json_output_with_trace
from tests.shared.domain.coercion.kinds import Line, lines, model_of

PAIRS = list(lines("pairs.txt"))
TRAPS = list(lines("traps.txt"))


def written(line: Line) -> str:
    return json.dumps({"value": line.text}, ensure_ascii=False)


def read(line: Line) -> ParsedOutput[object]:
    return parse_llm_json_output_with_trace(written(line), model_of(line.kind), coerce=True)


def named(line: Line) -> str:
    return f"{line.kind}: {line.text}"


def test_there_are_two_hundred_of_each() -> None:
    assert len({named(line) for line in PAIRS}) >= 200
    assert len({named(line) for line in TRAPS}) >= 200


@pytest.mark.parametrize("line", PAIRS, ids=named)
def test_text_is_read_as_the_value_it_means(line: Line) -> None:
    assert repr(read(line).value) == repr(model_of(line.kind)(value=line.value))


@pytest.mark.parametrize("line", TRAPS, ids=named)
def test_text_that_may_mean_something_else_is_refused(line: Line) -> None:
    with pytest.raises(LLMJsonParseError) as error:
        read(line)

    assert error.value.details["stage"] == "validate"


def test_trace_has_every_change_with_before_and_after() -> None:
    for line in PAIRS:
        parsed = read(line)
        given = {"$.value": line.text}
        for coercion in parsed.decoded.coercions:
            assert coercion.before == given[coercion.path]
            given[coercion.path] = coercion.after
            if coercion.kind is CoercionKind.LIST_OF_ONE:
                given["$.value[0]"] = coercion.after[0]
        applied = [given["$.value[0]"]] if "$.value[0]" in given else given["$.value"]

        assert repr(model_of(line.kind).model_validate_json(json.dumps({"value": applied}))) == repr(parsed.value)


def test_a_doubt_says_what_it_is() -> None:
    told = {}
    for line in TRAPS:
        with pytest.raises(LLMJsonParseError) as error:
            read(line)
        told[line.text] = error.value.details["validation_errors"][0]["type"]

    assert {told[text] for text in ("1.234", "1,234", "12/11/2025", "1,5", "a, b")} == {TWO_READINGS}
    assert {told[text] for text in ("3/4", "about 5", "5-7 %", "¥12万-15万", "2025年11月")} == {NOT_EXACT}
