"""Classes of a code base are found by name, without running it, and only in what is its own."""

from pathlib import Path

import pytest

from src.entrypoints.cli.commands.vendor import classes_named

ERRORS = "import re\n\n\nclass AppException(Exception):\n    pattern = '\\d'\n"


def found(top: Path) -> list[tuple[Path, int]]:
    return list(classes_named("AppException", top, outside=top / "src" / "llm_output"))


def write(path: Path, text: str = ERRORS) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_class_is_found_with_its_file_and_line(tmp_path: Path) -> None:
    write(tmp_path / "src/shared/domain/exceptions.py")

    assert found(tmp_path) == [(Path("src/shared/domain/exceptions.py"), 4)]


@pytest.mark.parametrize(
    "path", [".tox/a.py", "env/lib/a.py", "x/site-packages/a.py", "src/llm_output/a.py", "__pycache__/a.py", "a.txt"]
)
def test_what_is_not_the_hosts_code_is_not_looked_into(tmp_path: Path, path: str) -> None:
    write(tmp_path / path)
    write(tmp_path / "env/pyvenv.cfg", "")

    assert found(tmp_path) == []


@pytest.mark.parametrize(
    "code",
    [
        "class AppExceptionGroup: ...",
        "# class AppException: ...",
        "def f():\n    class AppException: ...",
        "class AppException(:",
        "class AppException: ...\0",
    ],
    ids=["another name", "a comment", "inside a function", "no Python", "a NUL"],
)
def test_what_only_looks_like_the_class_is_none(tmp_path: Path, code: str) -> None:
    write(tmp_path / "a.py", code)

    assert found(tmp_path) == []
