"""The packages of the extras are known to their adapters alone, and loaded only by who uses those."""

import ast
import json
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
ADAPTERS = ROOT / "src" / "shared" / "infrastructure" / "llm"
INTEGRATIONS = ROOT / "src" / "integrations"
"""Each knows its own library; pyproject.toml draws who knows which."""
SETTINGS = {
    ROOT / "src" / "entrypoints" / "gateway" / "upstream.py": {"httpx2"},
    ROOT / "src" / "entrypoints" / "http" / "service_settings.py": {"pydantic_settings"},
    ROOT / "src" / "modules" / "monitoring" / "infrastructure" / "monitoring_settings.py": {"pydantic_settings"},
    ROOT / "src" / "modules" / "monitoring" / "infrastructure" / "webhook.py": {"httpx2"},
    ROOT / "src" / "shared" / "infrastructure" / "events" / "otel_setting.py": {"dotenv"},
}
"""What is not a provider's, and what it may know."""
IMAGES = {"PIL"}
NATIVE = {"pydantic_ai", "anthropic", "google", "mistralai", "boto3", "botocore"}
VENDORS = {"openai", "pydantic_settings", "httpx", "httpx2", "httpcore2", "dotenv"} | NATIVE

WITHOUT_VENDORS = [
    "src.shared.infrastructure.llm_json",
    "src.shared.infrastructure.agents.agent_output",
    "src.shared.infrastructure.llm.replay",
    "src.shared.infrastructure.llm.exchange",
    "src.modules.judge.infrastructure.agents.verdict.output_parser",
    "examples.committee.market_facts",
    "examples.committee.prices",
    "src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser",
    "src.modules.visual_rag.application.generation_manager",
    "src.entrypoints.cli.main",
    "src.entrypoints.cli.app",
]


@cache
def imported(path: Path) -> set[str]:
    """The vendors that a module imports."""
    names: set[str] = set()
    text = path.read_text(encoding="utf-8")
    if not any(vendor in text for vendor in VENDORS | IMAGES):
        return names
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return {name.partition(".")[0] for name in names}


def test_vendors_are_imported_by_the_adapters_alone() -> None:
    files = {path for path in (ROOT / "src").rglob("*.py") if INTEGRATIONS not in path.parents}
    knowing = {path for path in files if (imported(path) & VENDORS) - SETTINGS.get(path, set())}

    assert knowing
    assert {path for path in knowing if ADAPTERS not in path.parents} == set()


def test_images_are_read_by_the_adapters_of_the_example_alone() -> None:
    assert [path for path in (ROOT / "src").rglob("*.py") if imported(path) & IMAGES] == []


def loaded_by(module: str) -> set[str]:
    code = f"import sys, {module}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    command = [sys.executable, "-c", code]
    return set(subprocess.check_output(command, cwd=ROOT, text=True).split())  # noqa: S603 - our own command


def loaded_in_turn() -> dict[str, list[str]]:
    """The packages that each module of the list loads beside those of the modules before it."""
    code = """\
import importlib, json, sys
loaded = {}
for module in sys.argv[1:]:
    before = set(sys.modules)
    importlib.import_module(module)
    loaded[module] = sorted({name.partition(".")[0] for name in set(sys.modules) - before})
print(json.dumps(loaded))"""
    command = [sys.executable, "-c", code, *WITHOUT_VENDORS]
    found: dict[str, list[str]] = json.loads(subprocess.check_output(command, cwd=ROOT, text=True))  # noqa: S603 - as above
    return found


def test_chat_completions_load_no_package_of_another_api() -> None:
    assert loaded_by("src.shared.infrastructure.llm.openai_compatible") & NATIVE == set()


def test_modules_that_need_no_vendor_load_none() -> None:
    loaded = loaded_in_turn()

    assert list(loaded) == WITHOUT_VENDORS
    vendors = VENDORS | IMAGES
    assert {module: names for module, found in loaded.items() if (names := vendors.intersection(found))} == {}
