"""The cases of other libraries' own suites: valid objects are read as they are, and nothing crashes."""

import json

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json
from tests.beside import needs_corpus
from tests.corpus.reading import CORPUS, decoded, is_same, lines_of
from tests.thorough import at_length

COUNT = at_length(1_000, 3_000)
FILES = sorted(path.name for path in CORPUS.glob("cases_*.jsonl"))


@needs_corpus
def test_objects_of_the_json_test_suite_are_read_as_the_standard_decoder_reads_them() -> None:
    rows = [row for row in lines_of("cases_jsontestsuite.jsonl") if isinstance(row.get("expected"), dict)]
    different = [row["id"] for row in rows if not is_same(decoded(row["input"]), json.loads(row["input"]))]
    assert (len(rows) > 10, different) == (True, [])


@needs_corpus
@pytest.mark.parametrize("name", FILES)
def test_no_case_of_another_library_crashes_the_parser(name: str) -> None:
    outcomes = [_outcome(row["input"]) for row in lines_of(name)]
    assert set(outcomes) <= {"object", "array", "refused"}


@needs_corpus
def test_no_text_of_the_pool_crashes_the_parser() -> None:
    outcomes = [_outcome(row["text"]) for row in lines_of("pool_30k.jsonl.gz", limit=COUNT)]
    assert (len(outcomes), set(outcomes)) == (COUNT, {"object", "array", "refused"})


def _outcome(raw: str) -> str:
    try:
        data = decode_llm_json(raw).data
    except LLMJsonParseError:
        return "refused"
    return "object" if type(data) is dict else "array" if type(data) is list else "something else"
