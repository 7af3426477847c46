"""`llm-output vendor`: the parser in somebody else's code base, which goes on as before."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest

from src.entrypoints.cli.commands import vendor
from src.entrypoints.vendoring import parser_files
from tests.entrypoints.cli.harness import Ended, invoke
from tests.entrypoints.cli.small_host import FILES, JOINED, PARSER, run_its_tests, run_python, write_host

INTO_SRC = ("vendor", ".", "--package", "src.llm_output")
COPY = "src/llm_output"


@pytest.fixture(autouse=True, scope="module")
def _found_once() -> Iterator[None]:
    """Which files there are is looked for once a package."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(vendor, "parser_files", cache(parser_files))
        yield


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


def test_its_tests_pass_and_its_parser_over_the_copy_reads_what_it_could_not(
    vendored: Vendored,
) -> None:
    host = vendored.host
    assert (vendored.ended.code, texts(host)) == (0, FILES)  # no file of its own is touched
    assert run_its_tests(host).startswith("4 passed")
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


def test_the_copy_has_the_licence_and_says_its_version(first: Vendored) -> None:
    copy = first.host / COPY

    assert "MIT License" in (copy / "LICENSE").read_text(encoding="utf-8")
    manifest = json.loads((copy / "vendored.json").read_text(encoding="utf-8"))
    assert (manifest["version"], manifest["package"]) == (
        metadata.version("llm-output"),
        "src.llm_output",
    )


def test_run_again_it_leaves_and_names_what_the_host_has_changed_and_counts_what_is_in_the_way(
    vendored: Vendored,
) -> None:
    host = vendored.host
    for path in (host / COPY).rglob("*.py"):
        path.write_text("# mine\n")
    ended = invoke(*INTO_SRC)

    assert (ended.code, ended.stdout.startswith(f"{COPY}: 0 written, 0 removed, ")) == (0, True)
    assert f"Left as it is, changed since it was copied: {COPY}/__init__.py" in ended.stderr
    assert (host / COPY / "__init__.py").read_text() == "# mine\n"
    (host / COPY / "vendored.json").unlink()
    assert " more; choose another --package" in invoke(*INTO_SRC).stderr


@pytest.mark.parametrize(
    ("code", "said"),
    [("class AppException(Exception): ...\n", "    from errors import AppException\n"), ("PRICE = 4\n", "")],
)
def test_exception_of_a_package_is_imported_from_the_package_and_without_one_nothing_is_told(
    folder: Path, code: str, said: str
) -> None:
    (folder / "errors").mkdir()
    (folder / "errors/__init__.py").write_text(code)

    told = invoke("vendor", ".").stderr
    assert (said in told, bool(told)) == (True, bool(said))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("src", "src has files that this command did not write: "),
        *(
            (name, "is not the name of a package")
            for name in ("", "my-parser", "src.", "src.class", "../src", "src/llm")
        ),
        ("not_installed", "is not installed"),
    ],
)
def test_what_cannot_be_copied_is_a_usage_error_before_anything_is_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    write_host(folder)
    if name == "not_installed":
        monkeypatch.setattr(vendor, "DISTRIBUTION", "llm-output-that-is-not-there")
    ended = invoke("vendor", ".", "--package", name)

    assert (ended.code, ended.stdout, said in ended.stderr) == (2, "", True)
    assert texts(folder) == FILES
    assert not (folder / "src/shared/infrastructure").exists()
