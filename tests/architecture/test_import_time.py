"""Importing the parser costs little more than importing Pydantic: what only damaged text needs comes with the first."""

import subprocess
import sys
from pathlib import Path

from tools.benchmarks.start import seconds_of

ROOT = Path(__file__).parents[2]
PARSER = "import src.shared.infrastructure.llm_json"
PYDANTIC = "from pydantic import BaseModel"
MOST = 2.2
"""Times as much processor time as Pydantic's own import; measured are 1.1 to 1.7 on a busy machine."""
FOR_OTHER_TEXT = (
    "structlog",
    "src.shared.infrastructure.parsing.stages",
    "src.shared.domain.reading.openings",
    "src.shared.domain.reading.scanner",
)


def modules_after(code: str, first: str = PARSER) -> set[str]:
    shown = f"{first}\n{code}\nimport sys\nprint(*sys.modules)"
    return set(subprocess.check_output([sys.executable, "-c", shown], cwd=ROOT, text=True).split())  # noqa: S603 - as above


def test_importing_the_parser_takes_little_longer_than_importing_pydantic() -> None:
    assert seconds_of(sys.executable, "-c", PARSER) < MOST * seconds_of(sys.executable, "-c", PYDANTIC)


def test_what_damaged_text_needs_is_not_imported_for_plain_text() -> None:
    plain = "\n".join(
        f"src.shared.infrastructure.llm_json.decode_llm_json({raw!r})"
        for raw in ('{"a": 1}', '```json\n{"a": 1}\n```', '<think>x</think>{"a": 1}', 'Here it is:\n{"a": 1}')
    )

    assert modules_after(plain).isdisjoint(FOR_OTHER_TEXT)


def test_what_damaged_text_needs_is_imported_with_the_first_of_it() -> None:
    damaged, searched = (
        modules_after(f"src.shared.infrastructure.llm_json.decode_llm_json({raw!r})")
        for raw in ('{"a": 1,}', '[x] so: {"a": 1,}')
    )

    assert set(FOR_OTHER_TEXT[2:]) <= damaged
    assert set(FOR_OTHER_TEXT[1:]) <= searched
    assert FOR_OTHER_TEXT[1] not in damaged


def test_composition_root_imports_contexts_and_the_providers_client_only_on_demand() -> None:
    imported = modules_after("src.bootstrap.Application().typed_llm", "import src.bootstrap")

    on_demand = ("src.modules", "openai", "stamina")
    assert not [name for name in imported if name.startswith(on_demand)]
