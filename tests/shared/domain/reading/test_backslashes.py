"""The backslashes of one string in a damaged text: read in one way, or refused (ADR 0013)."""

from src.shared.domain.repair import RepairKind as K
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.shared.reading import refusal_of, trace_of


def test_refusal_names_the_backslash_that_is_one_and_the_other_that_may_be() -> None:
    error = refusal_of(r'{"a": "say \d\nor"}')
    assert [place["offset"] for place in error.details["candidates"]] == [11, 13]


def test_escape_of_pythons_is_traced_as_what_json_writes_for_it() -> None:
    repair = trace_of(r"{'a': 'x\xa0y'}")[-1]
    assert (repair.kind, repair.offset, repair.found, repair.put) == (K.BAD_ESCAPE, 8, r"\xa0", r"\u00a0")


def test_escape_that_looks_like_latex_is_noted_and_an_escaped_backslash_is_not() -> None:
    notes = decode_llm_json(r'{"a": "3 \times 4 \\frac"}').notes
    assert [note.span for note in notes if note.action == "looks_like_latex"] == [(9, 11)]
