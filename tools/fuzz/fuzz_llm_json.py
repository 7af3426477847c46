"""Coverage-guided fuzzing of the parser: any text gives a value or `LLMJsonParseError`, and a value is the right one.

Run by `python -m tools.fuzz --minutes 5`; a finding is written to `.cache/fuzz` and its path printed.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Any

import atheris

with atheris.instrument_imports(include=["src"]):
    import structlog
    from pydantic import BaseModel, ConfigDict

    from src.shared.domain.exceptions import FEEDBACK_LIMIT, LLMJsonParseError
    from src.shared.domain.repair import how_often
    from src.shared.infrastructure.llm_json import decode_llm_json, parse_llm_json_output_with_trace
    from src.shared.infrastructure.parsing.plain import validate_directly
    from src.shared.infrastructure.parsing.target_type import target_type

SEEDS = Path(__file__).with_name("seeds.txt")
UNSEEN_ON_THE_SHORT_WAY = {"duplicate_key", "non_finite_number"}
ADDED_BY_DECODER = {"control_character"} | UNSEEN_ON_THE_SHORT_WAY


class Row(BaseModel):
    """A DTO with the kinds of field that models fill in."""

    name: str
    score: float = 0
    tags: list[str] = []
    rows: list[Row] = []


class Anything(BaseModel):
    """A DTO that takes every object."""

    model_config = ConfigDict(extra="allow")


def oracle(text: str) -> Any:  # noqa: ANN401 - JSON
    """What the standard decoder says, or None where it refuses or the root is no object."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def check(text: str) -> None:
    """Run both entry points on one text; raise AssertionError on a broken promise."""
    expected = oracle(text)
    try:
        decoded = decode_llm_json(text)
    except LLMJsonParseError as error:
        assert expected is None, "valid JSON with an object at its root was refused"
        assert len(error.feedback()) <= FEEDBACK_LIMIT, "feedback is longer than it may be"
    else:
        for repair in decoded.repairs:
            assert text[repair.offset :].startswith(repair.found.removesuffix("…")), "the trace names what is not there"
        if expected is not None:
            assert repr(decoded.data) == repr(expected), "differs from the standard decoder"
            assert {repair.kind.value for repair in decoded.repairs} <= ADDED_BY_DECODER, "valid JSON was repaired"
    check_short_way(text)
    try:
        parse_llm_json_output_with_trace(text, Row)
        decode_llm_json(text, salvage=True)
    except LLMJsonParseError:
        pass


def check_short_way(text: str) -> None:
    """What the short way takes, the long way takes with the same value and the same number of repairs of each kind."""
    direct = validate_directly(text, target_type(Anything))
    if direct is None:
        return
    parsed = parse_llm_json_output_with_trace(text, Anything)  # a refusal here is a finding, too
    kinds = how_often(repair for repair in parsed.decoded.repairs if repair.kind not in UNSEEN_ON_THE_SHORT_WAY)
    assert repr(parsed.value) == repr(direct.value), "another value on the short way"
    assert kinds == direct.kinds, "other repairs on the short way"


def test_one_input(data: bytes) -> None:
    """Entry point of the fuzzer."""
    check(data.decode("utf-8", "surrogateescape"))


def write_seeds(folder: Path) -> None:
    """One file a seed; they stand in `seeds.txt`, separated by lines of three hashes."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS.read_text(encoding="utf-8").split("\n###\n")):
        (folder / f"seed-{number:03}").write_text(seed, encoding="utf-8")


def main() -> None:
    """Seed the corpus folder (the last argument) and fuzz."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    write_seeds(Path(sys.argv[-1]))
    atheris.Setup(sys.argv, test_one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
