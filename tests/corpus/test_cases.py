"""The cases of other libraries' own suites: valid objects are read as they are, and nothing crashes."""

import json

import pytest

from src.shared.domain.edits import Edit
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json
from src.shared.infrastructure.parsing.plain import plain
from src.shared.infrastructure.parsing.stages import search
from src.shared.infrastructure.parsing.state import Note, ParseState, Target
from tests.beside import needs_corpus
from tests.corpus.reading import CORPUS, decoded, is_same, lines_of
from tests.thorough import at_length

COUNT = at_length(1_000, 3_000)
STEP = at_length(12, 1)
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


@needs_corpus
@pytest.mark.parametrize("target", [Target(), Target(finished=True)])
def test_the_plain_way_reads_what_the_stages_read(target: Target) -> None:
    texts = [row["text"] for row in lines_of("pool_30k.jsonl.gz", step=STEP)]
    plainly = [state for text in texts if (state := plain(ParseState.of(text, target))).decoded]
    different = [state.raw for state in plainly if _seen(state) != _seen(search(ParseState.of(state.raw, target)))]
    mended = sum(state.notes[-1].stage == "repair" for state in plainly)
    assert (mended > len(texts) // 50, different) == (True, [])


def _seen(state: ParseState) -> tuple[str, str, list[Edit], tuple[Note, ...], bool]:
    return json.dumps(state.data), state.text, [*state.edits], state.notes, state.truncated


def _outcome(raw: str) -> str:
    try:
        data = decode_llm_json(raw).data
    except LLMJsonParseError:
        return "refused"
    return "object" if type(data) is dict else "array" if type(data) is list else "something else"
