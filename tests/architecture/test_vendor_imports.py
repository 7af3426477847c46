"""The packages of the extra `llm` are known to the adapters alone, and loaded only by who asks a real model."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ADAPTERS = ROOT / "src" / "shared" / "infrastructure" / "llm"
SETTINGS = {ROOT / "src" / "committee" / "infrastructure" / "settings.py": {"pydantic_settings"}}
"""Settings that are not a provider's, and what they may know."""
VENDORS = {"openai", "stamina", "pydantic_settings", "httpx", "httpx2", "dotenv"}

WITHOUT_VENDORS = [
    "src.shared.infrastructure.llm_json",
    "src.shared.infrastructure.agent_output",
    "src.shared.infrastructure.llm.replay",
    "src.shared.infrastructure.llm.recording",
    "src.modules.judge.infrastructure.agents.verdict.output_parser",
    "src.committee.application.committee",
    "src.committee.infrastructure.dossier_reader",
    "src.entrypoints.cli.main",
]


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return {name.partition(".")[0] for name in names}


def test_vendors_are_imported_by_the_adapters_alone() -> None:
    files = (ROOT / "src").rglob("*.py")
    knowing = {path for path in files if (imported(path) & VENDORS) - SETTINGS.get(path, set())}

    assert knowing
    assert {path for path in knowing if ADAPTERS not in path.parents} == set()


@pytest.mark.parametrize("module", WITHOUT_VENDORS)
def test_module_loads_no_vendor(module: str) -> None:
    code = f"import sys, {module}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    )

    assert set(done.stdout.split()) & VENDORS == set()
