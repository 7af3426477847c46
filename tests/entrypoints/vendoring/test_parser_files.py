"""Which files the parser needs is found by its imports, and every import is turned into one of the new package."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from src.entrypoints.vendoring import parser_files

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PACKAGE = "shop.llm_output"
CATALOGUE = "src/shared/domain/locale/zh.toml"
FACE = "from src.reader import read\n"


def imports_of(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    """Our own."""
    return parser_files(ROOT / "src", ROOT / "llm_output", PACKAGE)


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    for name, text in {
        "llm_output/__init__.py": FACE,
        "src/__init__.py": "",
        "src/reader.py": "def read():\n    from src.parts import words\n    return words\n",
        "src/parts/__init__.py": '"""Parts, as in `from src.parts import words`."""\n',
        "src/parts/words.py": 'import json, src_like\nfrom src_like import thing\nfrom attrs import define\n"words"',
        "src/unused.py": "NOT_SAID = 'unread'",
        CATALOGUE: '# The words.\n\n"unread" = "未读"\n"words" = { zh = "词", gloss = "w" }\n',
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def files_of(sources: Path) -> dict[str, str]:
    return parser_files(sources / "src", sources / "llm_output", "new.name")


def test_what_is_imported_is_there_with_the_packages_it_is_in_and_nothing_else(sources: Path) -> None:
    assert set(files_of(sources)) == {
        *("__init__.py", "reader.py", "parts/__init__.py", "parts/words.py"),
        *("shared/domain/locale/zh.toml", "py.typed"),
    }


def test_copy_has_the_chinese_of_what_it_says_and_of_nothing_else(sources: Path) -> None:
    catalogue = files_of(sources)["shared/domain/locale/zh.toml"]

    assert catalogue == '# The words.\n\n"words" = { zh = "词", gloss = "w" }\n'


def test_imports_are_rewritten_where_they_are_and_text_is_not(sources: Path) -> None:
    files = files_of(sources)

    assert files["__init__.py"] == "from new.name.reader import read\n"
    assert "    from new.name.parts import words\n" in files["reader.py"]
    assert "from src.parts import words" in files["parts/__init__.py"]
    assert "from src_like import thing" in files["parts/words.py"]


def test_the_parser_imports_all_that_the_distribution_requires_without_an_extra(files: dict[str, str]) -> None:
    modules = (text for path, text in files.items() if path.endswith(".py"))
    imported = {name.partition(".")[0] for text in modules for name in imports_of(text)}

    assert {re.split(r"\W", each, maxsplit=1)[0] for each in PROJECT["dependencies"]} <= imported


def test_the_parser_imports_nothing_by_its_old_names(files: dict[str, str]) -> None:
    names = {name for path, text in files.items() if path.endswith(".py") for name in imports_of(text)}

    assert {name.partition(".")[0] for name in names}.isdisjoint({"src", "llm_output"})
    assert f"{PACKAGE}.shared.infrastructure.llm_json" in names


def test_the_parser_comes_without_what_asks_a_model(files: dict[str, str]) -> None:
    assert not [path for path in files if path.startswith(("modules", "entrypoints", "shared/application"))]
    assert not [path for path in files if "/llm/" in path]
