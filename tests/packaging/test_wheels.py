"""What the two wheels hold, and that a code base with a package `src` of its own can use the parser."""

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

import llm_output
from src.entrypoints.vendoring import FACE, parser_files
from tests.packaging.wheels import ROOT, failure_with, install, python_with
from tests.thorough import at_length

HOST = {
    "src/__init__.py": "",
    "src/prices.py": "CURRENCY = 'EUR'\n",
    "app.py": """\
import json
import sys

import llm_output
import src.prices
from llm_output import LLMJsonParseError, parse_llm_json_output
from pydantic import BaseModel


class Price(BaseModel):
    amount: float


try:
    parse_llm_json_output("I cannot say.", Price)
except LLMJsonParseError as error:
    refused = error.details["stage"]
price = parse_llm_json_output("<think>hm</think>Here: {'amount': 4.5,}", Price)
loaded = {name: sys.modules[name].__file__ for name in ("llm_output", "src", "src.prices")}
print(json.dumps({"amount": price.amount, "refused": refused, "loaded": loaded}))
""",
}

EVERY_NAME = """\
import importlib.util

import {package} as names
from {package} import *

print(len(names.__all__), [name for name in names.__all__ if globals()[name] is not getattr(names, name)])
print(importlib.util.find_spec("src"))
call = '<tool_call>{{"name": "f", "arguments": {{"n": "85%"}}}}</tool_call>'
print(read_tool_calls(call, {{"f": dict[str, Percent]}})[0].arguments, finish_reason_of("end_turn").finished)
print(LLMJsonStream(dict[str, int]).feed('{{"a": 1}}').value)
"""
"""Uses every public name, and some of them, in an interpreter that does not see this checkout."""


def names_in(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def metadata_of(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


def packages_in(wheel: Path) -> set[str]:
    """The packages and modules at the top; `llm_output.py` speaks where the package of that name is broken."""
    return {name.partition("/")[0] for name in names_in(wheel) if ".dist-info/" not in name} - {f"{FACE}.py"}


def test_wheel_holds_all_that_the_page_of_the_service_sends(whole: Path) -> None:
    page = ROOT / "src/entrypoints/http/page"
    sent = [path for folder in ("static", "templates") for path in (page / folder).rglob("*") if path.is_file()]

    assert len(sent) > 10
    assert {path.relative_to(ROOT).as_posix() for path in sent} <= set(names_in(whole))


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A code base with a package `src` that has nothing to do with this one."""
    for name, text in HOST.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_wheel_of_everything_holds_both_packages_and_says_that_they_are_typed(whole: Path) -> None:
    assert packages_in(whole) == {"src", "llm_output"}
    assert {"src/py.typed", "llm_output/py.typed"} <= set(names_in(whole))


def test_wheel_of_the_parser_holds_one_typed_package_with_its_licence(core: Path) -> None:
    assert packages_in(core) == {"llm_output"}
    assert {"llm_output/py.typed", "llm_output/LICENSE"} <= set(names_in(core))


def test_wheel_of_the_parser_needs_pydantic_and_structlog_alone(core: Path) -> None:
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    metadata = metadata_of(core)

    assert metadata.get_all("Requires-Dist") == [
        each for each in whole["dependencies"] if each.startswith(("pydantic", "structlog"))
    ]
    assert metadata["Version"] == whole["version"]
    assert metadata["Requires-Python"] == whole["requires-python"]


def test_a_host_with_a_package_src_of_its_own_installs_it_and_parses(core: Path, host: Path) -> None:
    target = install(core, host / "site")
    environment = os.environ | {"PYTHONPATH": str(target), "PYTHONUTF8": "1"}

    printed = subprocess.check_output([sys.executable, "app.py"], cwd=host, env=environment, text=True)

    assert '"amount": 4.5, "refused": "extract"' in printed
    assert str(target / "llm_output" / "__init__.py") in printed
    assert str(host / "src" / "__init__.py") in printed


def test_the_parsers_wheel_can_be_built_where_only_hatchling_is_installed() -> None:
    """Its build script imports nothing of ours that needs a package."""
    code = "import sys; sys.path.insert(0, '.'); import src.entrypoints.vendoring"
    subprocess.run([sys.executable, "-I", "-S", "-c", code], cwd=ROOT, check=True)  # noqa: S603 - our own code


@pytest.mark.parametrize("package", ["llm_output", "shop.parsing.llm_output"])
def test_every_public_name_is_there_where_nothing_is_called_src(package: str, core: Path, tmp_path: Path) -> None:
    """In the wheel of the parser alone, and in a copy under a name of the host's."""
    if package == FACE:
        install(core, tmp_path)
    else:
        for path, text in parser_files(ROOT / "src", ROOT / FACE, package).items():
            file = tmp_path.joinpath(*package.split("."), path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    count, spec, call, streamed = python_with(tmp_path, code=EVERY_NAME.format(package=package)).splitlines()

    assert count == f"{len(llm_output.__all__)} []"
    assert spec == "None"
    assert call == "{'n': 0.85} True"
    assert streamed == "{'a': 1}"


def test_every_public_name_is_there_from_the_wheel_of_everything(installed: dict[str, Path]) -> None:
    target = installed["whole"]

    count, spec, *_ = python_with(target, code=EVERY_NAME.format(package=FACE)).splitlines()

    assert count == f"{len(llm_output.__all__)} []"
    assert str(target / "src" / "__init__.py") in spec


# --- both at once, or one removed ------------------------------------------------------------------------

READ = "from llm_output import decode_llm_json; print(decode_llm_json('{ok: True,}').data)"


def removed(wheel: Path, folder: Path) -> None:
    """Do as an uninstaller does: remove the files of the wheel, and the folders that are empty then."""
    for name in names_in(wheel):
        (folder / name).unlink(missing_ok=True)
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.name == "__pycache__":
            shutil.rmtree(path)
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()


@pytest.mark.parametrize("order", ["core first", "core last"])
def test_both_distributions_at_once_are_an_error_that_names_the_way_out(
    order: str, core: Path, whole: Path, tmp_path: Path
) -> None:
    for wheel in (core, whole) if order == "core first" else (whole, core):
        install(wheel, tmp_path)

    assert "two distributions that hold llm_output are installed; run `pip uninstall" in failure_with(tmp_path, READ)


def test_removing_the_whole_one_of_both_is_an_error_that_names_the_way_out(
    core: Path, whole: Path, tmp_path: Path
) -> None:
    removed(whole, install(core, install(whole, tmp_path)))

    assert "only a part of llm_output is left: run `pip uninstall" in failure_with(tmp_path, READ)


def test_removing_the_parser_alone_of_both_leaves_nothing_that_looks_like_the_package(
    core: Path, whole: Path, tmp_path: Path
) -> None:
    removed(core, install(core, install(whole, tmp_path)))

    assert "No module named 'llm_output'" in failure_with(tmp_path, READ)


@pytest.mark.parametrize("wheel", ["core", "whole"])
def test_one_distribution_alone_reads(wheel: str, installed: dict[str, Path]) -> None:
    assert python_with(installed[wheel], code=READ) == "{'ok': True}\n"


def test_module_of_the_whole_distribution_says_in_the_parser_alone_where_it_is(installed: dict[str, Path]) -> None:
    said = failure_with(installed["core"], "import llm_output.langchain")

    assert "llm_output.langchain 不在只含解析器的发行包中" in said
    assert "install unified-llm-output-parser in its place" in said


QUICK = {"agents", "asking", "events", "visual_rag"}
"""Modules that load no package of a vendor, which takes ten seconds."""
MODULES = {path.stem for path in (ROOT / FACE).glob("*.py")} - {"__init__"}
NOT_INSTALLED = {"instructor"}
"""Its packages do not fit beside those of the newest openai."""


def test_wheel_of_everything_holds_every_module_as_it_is_here(whole: Path) -> None:
    here = [path for name in ("src", FACE) for path in (ROOT / name).rglob("*.py")]

    with zipfile.ZipFile(whole) as archive:
        held = {path: archive.read(path.relative_to(ROOT).as_posix()) for path in here}
    assert held == {path: path.read_bytes() for path in here}


def test_every_name_of_a_module_is_there_from_the_wheel_of_everything(installed: dict[str, Path]) -> None:
    modules = sorted(at_length(QUICK, MODULES - NOT_INSTALLED))
    code = f"""\
import importlib
modules = [importlib.import_module("llm_output." + name) for name in {modules}]
print([(one.__name__, name) for one in modules for name in one.__all__ if not hasattr(one, name)])
print(*{{one.__file__.rpartition("/")[0] for one in modules}})"""

    assert python_with(installed["whole"], code=code) == f"[]\n{installed['whole']}/llm_output\n"
