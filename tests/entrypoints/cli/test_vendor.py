"""`llm-output vendor`: the parser in somebody else's code base, which goes on as before."""

import json
import shutil
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import pytest

from src.entrypoints.cli.commands import vendor
from tests.entrypoints.cli.harness import Ended, invoke
from tests.entrypoints.cli.small_host import FILES, JOINED, PARSER, run_its_tests, run_python, write_host

INTO_SRC = ("vendor", ".", "--package", "src.llm_output")
COPY = "src/llm_output"


@pytest.fixture
def host(folder: Path) -> Path:
    """The small code base, in the current folder."""
    write_host(folder)
    return folder


@dataclass(frozen=True)
class Vendored:
    """The code base with the copy in it, and what the command said."""

    host: Path
    ended: Ended


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Vendored:
    """As the command leaves it, for all tests."""
    host = tmp_path_factory.mktemp("host")
    write_host(host)
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(host)
        return Vendored(host, invoke(*INTO_SRC))


@pytest.fixture
def vendored(first: Vendored, folder: Path) -> Vendored:
    """The same in the current folder, for a test alone."""
    shutil.copytree(first.host, folder, dirs_exist_ok=True)
    return Vendored(folder, first.ended)


def texts(folder: Path) -> dict[str, str]:
    return {name: (folder / name).read_text(encoding="utf-8") for name in FILES}


def test_its_tests_pass_and_no_file_of_its_own_is_touched(vendored: Vendored) -> None:
    assert vendored.ended.code == 0
    assert texts(vendored.host) == FILES
    assert run_its_tests(vendored.host).startswith("4 passed")


def test_its_parser_over_the_copy_passes_its_tests_and_reads_what_it_could_not(vendored: Vendored) -> None:
    host = vendored.host
    (host / PARSER).write_text(JOINED, encoding="utf-8")

    assert run_its_tests(host).startswith("4 passed")
    code = (
        "from src.modules.rating.rating_parser import *; print(parse_rating('Sure: {score: 4,} I hope {that} helps'))"
    )
    assert run_python(host, code) == "4\n"


def test_the_copy_is_the_hosts_and_needs_no_installed_one(vendored: Vendored) -> None:
    code = """\
import sys
from src.llm_output import decode_llm_json
decode_llm_json("{'a': 1,}")
print(*(module.__file__ for name, module in sys.modules.items() if "llm_output" in name), sep="\\n")
"""
    loaded = run_python(vendored.host, code).split()

    assert len(loaded) > 50
    assert all(Path(path).is_relative_to(vendored.host / COPY) for path in loaded)


def test_the_join_it_names_works(vendored: Vendored) -> None:
    join = "\n".join(line[4:] for line in vendored.ended.stderr.splitlines() if not line or line.startswith("    "))
    code = f"""\
from pydantic import BaseModel
class Review(BaseModel):
    score: int
{join}
try:
    REVIEW.parse("no")
except AppException as error:
    print(error.status_code, error.details["stage"])
"""

    assert run_python(vendored.host, code) == "400 extract\n"


def test_an_exception_of_a_package_itself_is_imported_from_the_package(folder: Path) -> None:
    (folder / "errors").mkdir()
    (folder / "errors/__init__.py").write_text("class AppException(Exception): ...\n")

    assert "    from errors import AppException\n" in invoke("vendor", ".").stderr


def test_a_code_base_without_an_exception_of_that_name_is_told_nothing(folder: Path) -> None:
    (folder / "shop.py").write_text("PRICE = 4\n")

    assert invoke("vendor", ".").stderr == ""


def test_the_copy_has_the_licence_and_says_its_version(first: Vendored) -> None:
    copy = first.host / COPY

    assert "MIT License" in (copy / "LICENSE").read_text(encoding="utf-8")
    manifest = json.loads((copy / "vendored.json").read_text(encoding="utf-8"))
    assert (manifest["version"], manifest["package"]) == (
        metadata.version("llm-output"),
        "src.llm_output",
    )


def test_run_again_it_leaves_and_names_what_the_host_has_changed(vendored: Vendored) -> None:
    host = vendored.host
    (host / COPY / "__init__.py").write_text("# mine\n")

    ended = invoke(*INTO_SRC)

    assert ended.code == 0
    assert ended.stdout.startswith(f"{COPY}: 0 written, 0 removed, ")
    assert f"Left as it is, changed since it was copied: {COPY}/__init__.py" in ended.stderr
    assert (host / COPY / "__init__.py").read_text() == "# mine\n"


def test_a_package_that_the_host_has_is_refused_before_anything_is_written(host: Path) -> None:
    ended = invoke("vendor", ".", "--package", "src")

    assert (ended.code, ended.stdout) == (2, "")
    assert "src has files that this command did not write: " in ended.stderr
    assert "choose another --package" in ended.stderr
    assert texts(host) == FILES
    assert not (host / "src/shared/infrastructure").exists()


def test_many_files_in_the_way_are_counted(vendored: Vendored) -> None:
    host = vendored.host
    (host / COPY / "vendored.json").unlink()
    for path in (host / COPY).rglob("*.py"):
        path.write_text("# mine\n")

    ended = invoke(*INTO_SRC)

    assert " more; choose another --package" in ended.stderr


@pytest.mark.parametrize("name", ["", "my-parser", "src.", "src.class", "../src", "src/llm"])
def test_what_is_no_name_of_a_package_is_a_usage_error(host: Path, name: str) -> None:
    ended = invoke("vendor", str(host), "--package", name)

    assert (ended.code, ended.stdout) == (2, "")
    assert "is not the name of a package" in ended.stderr


def test_where_the_distribution_is_not_installed_it_says_so(host: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vendor, "DISTRIBUTION", "llm-output-that-is-not-there")

    ended = invoke("vendor", str(host))

    assert (ended.code, ended.stdout) == (2, "")
    assert "is not installed" in ended.stderr
