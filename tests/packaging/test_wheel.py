"""What the wheel and the sources hold, and that a code base with a package `src` of its own can use the wheel."""

import ast
import json
import re
import shutil
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

import llm_output
from src.entrypoints.vendoring import FACE, parser_files
from tests.docs.pages import EVERY_PAGE
from tests.packaging.host import NAMES, NAMES_PRINT, check
from tests.packaging.hosts import ALONE, EXTRAS, needs_of, pages
from tests.packaging.wheels import ROOT, build, environment, failure, run
from tests.tables.rows import READINGS, texts_of
from tests.thorough import THOROUGH_ONLY, at_length

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PRINTED = NAMES_PRINT.format(count=len(llm_output.__all__))
PLUGIN = "llm_output_pytest.py"
WITH_CONTAINER = {"cli", "llm", "postgres", "providers", "serve"}
"""Extras whose code is wired by a container."""


def names_in(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def texts_in(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def metadata_of(wheel: Path) -> Message:
    (text,) = (text for name, text in texts_in(wheel).items() if name.endswith(".dist-info/METADATA"))
    return Parser().parsestr(text.decode())


def here() -> Iterator[tuple[str, Path]]:
    """The files of both packages and the plugin of pytest, by the names that they have in the wheel."""
    yield PLUGIN, ROOT / PLUGIN
    for root in ("src", FACE):
        for path in (ROOT / root).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts and path != ROOT / "src/__init__.py":
                yield f"{FACE}/{path.relative_to(ROOT / root).as_posix()}", path


# --- what it holds ---------------------------------------------------------------------------------------


def test_wheel_holds_one_typed_package_a_plugin_and_its_licence(wheel: Path) -> None:
    names = names_in(wheel)

    assert {name.partition("/")[0] for name in names} == {FACE, PLUGIN, f"{FACE}-{PROJECT['version']}.dist-info"}
    assert f"{FACE}/py.typed" in names
    assert f"{FACE}-{PROJECT['version']}.dist-info/licenses/LICENSE" in names


def test_wheel_holds_every_file_of_both_packages_and_no_other(wheel: Path) -> None:
    files = dict(here())
    held = {name: text for name, text in texts_in(wheel).items() if ".dist-info/" not in name}

    assert set(held) == set(files)
    assert [name for name, path in files.items() if path.suffix != ".py" and held[name] != path.read_bytes()] == []
    modules = {name: path.read_text(encoding="utf-8") for name, path in files.items() if path.suffix == ".py"}
    rewritten = {name: re.sub(r"\bfrom src\b", f"from {FACE}", text) for name, text in modules.items()}
    assert {name: held[name].decode() for name in modules} == rewritten


def named_modules(text: bytes) -> Iterator[str]:
    """The modules of `src` that a module imports, or names in a string, which the build does not look into."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            yield from [node.module] if node.module and node.module.partition(".")[0] == "src" else []
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name.partition(".")[0] == "src")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"^src$|\bimport src\b|(?<![\w/])src\.(?!llm_output\b)\w+", node.value)


def test_no_module_of_the_wheel_names_a_module_of_src(wheel: Path) -> None:
    modules = {name: text for name, text in texts_in(wheel).items() if name.endswith(".py")}

    assert {name: found for name, text in modules.items() if (found := [*named_modules(text)])} == {}
    assert [*named_modules(b"import src\nfrom src import a\nfrom src.b import c\nd = 'src.e:F'\ng = 'src'")] == [
        *("src", "src", "src.b", "src.e", "src"),
    ]


READ = """\
import json
import sys

from llm_output import LLMJsonParseError, decode_llm_json


def read(text, options):
    try:
        return json.dumps(decode_llm_json(text, **options).data)
    except LLMJsonParseError:
        return None


with open(sys.argv[1], encoding="utf-8") as rows:
    print([text for text, options, value in json.load(rows) if read(text, options) != value])
"""


def test_wheel_reads_the_tables_as_they_say(installed: str, tmp_path: Path) -> None:
    rows = [row for one in READINGS.values() for row in one["row"] if not {"type", "known_failure"} & row.keys()]
    texts = [
        (text, row.get("options", {}), json.dumps(json.loads(expected["value"])) if "value" in row else None)
        for row in rows
        for text, expected in texts_of(row)
    ]
    (tmp_path / "rows.json").write_text(json.dumps(texts), encoding="utf-8")
    assert len(texts) > 2_000
    assert run(installed, "-c", READ, "rows.json", folder=tmp_path).splitlines()[-1] == "[]"


# --- what it says ----------------------------------------------------------------------------------------


def test_parser_alone_needs_pydantic_and_structlog(wheel: Path) -> None:
    needed = metadata_of(wheel).get_all("Requires-Dist") or []

    assert [re.split(r"[><=]", each)[0] for each in needed if "extra ==" not in each] == ["pydantic", "structlog"]


def test_extras_that_have_a_container_bring_what_it_is_made_of(wheel: Path) -> None:
    needed = metadata_of(wheel).get_all("Requires-Dist") or []
    wiring = [each for each in needed if each.startswith("dependency-injector")]
    bring = {extra for each in wiring for extra in re.findall(r"'(.+)'", each)}

    assert bring == WITH_CONTAINER
    assert set(metadata_of(wheel).get_all("Provides-Extra") or []) == EXTRAS


def test_metadata_have_a_long_description_and_links_only_if_there_are_any(wheel: Path) -> None:
    metadata = metadata_of(wheel)

    assert metadata["Name"] == "llm-output"
    assert metadata["Version"] == PROJECT["version"]
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload() == (ROOT / "README.md").read_text(encoding="utf-8")
    assert bool(metadata.get_all("Project-URL")) == bool(PROJECT.get("urls"))


# --- the checkout and the sources ------------------------------------------------------------------------


def test_editable_installation_leads_to_the_checkout_where_src_stays_the_root(tmp_path: Path) -> None:
    held = texts_in(build(tmp_path, "wheel:editable"))

    (path,) = (text.decode() for name, text in held.items() if name.endswith(".pth"))
    assert Path(path.strip()) == ROOT
    assert not any(name.startswith((f"{FACE}/", "src/")) for name in held)


def test_build_script_imports_nothing_of_ours_that_needs_a_package() -> None:
    code = "import sys; sys.path.insert(0, '.'); import src.entrypoints.vendoring"
    run(sys.executable, "-I", "-S", "-c", code, folder=ROOT)


def test_wheel_can_be_built_from_the_sources_and_is_the_same(sources: Path, wheel: Path, tmp_path: Path) -> None:
    assert texts_in(build(tmp_path, project=sources)) == texts_in(wheel)


def test_sources_hold_what_their_documents_name(sources: Path) -> None:
    linked = {
        (page.path.parent / target).resolve().relative_to(ROOT)
        for page in EVERY_PAGE.values()
        for target in (link.partition("#")[0] for link in page.links())
        if target and not target.startswith("https://")
    }
    named = {
        Path(found)
        for page in EVERY_PAGE.values()
        for line in page.prose
        for found in re.findall(r"`(\.?\w[\w.-]*(?:/[\w.-]+)*)`", line)
        if (ROOT / found).exists() and not found.startswith((".cache", ".venv", "dist"))
    }

    assert [path for path in sorted(linked | named) if not (sources / path).exists()] == []
    assert len(linked | named) > 100
    assert (sources / "LICENSE").is_file()


def test_what_the_container_is_built_from_is_enough_for_the_wheel(wheel: Path, tmp_path: Path) -> None:
    allowed = set((ROOT / "tools/deploy/Dockerfile.dockerignore").read_text(encoding="utf-8").split())
    copied = [
        name
        for line in re.findall(r"^COPY (?!--)(.+)", (ROOT / "tools/deploy/Dockerfile").read_text("utf-8"), re.MULTILINE)
        for name in line.split()[:-1]
    ]
    for name in copied:
        assert f"!{name}" in allowed
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        (tmp_path / "project" / name).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / name, tmp_path / "project" / name)

    assert texts_in(build(tmp_path / "built", project=tmp_path / "project")) == texts_in(wheel)


# --- in somebody else's project --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "is_package",
    [pytest.param(True, id="with __init__.py"), pytest.param(False, id="without", marks=THOROUGH_ONLY)],
)
def test_a_host_with_a_package_src_of_its_own_uses_it_and_runs_its_own_tests(
    installed: str, tmp_path: Path, *, is_package: bool
) -> None:
    """`python -m tools.dist --hosts` does the same with each extra alone, on each Python."""
    check(installed, tmp_path, at_length(["cli"], EXTRAS - {ALONE}), is_package=is_package)


def test_every_public_name_is_there_from_a_copy_under_a_name_of_the_hosts(installed: str, tmp_path: Path) -> None:
    for path, text in parser_files(ROOT / "src", ROOT / FACE, "shop.parsing.llm_output").items():
        file = tmp_path / "shop/parsing/llm_output" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    assert run(installed, "-c", NAMES.format(package="shop.parsing.llm_output"), folder=tmp_path) == PRINTED


def test_copy_that_the_wheel_makes_is_that_of_the_checkout(installed: str, tmp_path: Path) -> None:
    run(installed, "-m", "llm_output", "vendor", ".", "--package", "src.copied", folder=tmp_path)

    files = parser_files(ROOT / "src", ROOT / FACE, "src.copied")
    assert {name: (tmp_path / "src/copied" / name).read_text("utf-8") for name in files} == files


def test_without_its_extra_a_module_says_how_to_install_it(installed: str, tmp_path: Path) -> None:
    code = "import sys; sys.modules['dependency_injector'] = None; import llm_output.asking"

    assert 'run pip install ".[llm]" in a checkout of llm-output' in failure(installed, code, tmp_path)


def test_distribution_of_the_former_name_beside_it_is_told(wheel: Path, tmp_path: Path) -> None:
    python = environment(wheel, tmp_path / "environment")
    (site,) = (tmp_path / "environment").rglob("llm_output")
    (site.parent / "unified_llm_output_parser-0.1.0.dist-info").mkdir()

    assert "former name" in failure(python, "import llm_output", tmp_path)


# --- what the pages say that they need -------------------------------------------------------------------


def test_extras_that_the_pages_name_are_extras() -> None:
    assert {extra for needs in pages().values() for extra in needs.extras} <= EXTRAS


def test_page_that_calls_a_command_needs_the_command_line() -> None:
    assert needs_of(EVERY_PAGE["docs/how-to/coming-from-json-repair.md"]).extras == {"cli"}
