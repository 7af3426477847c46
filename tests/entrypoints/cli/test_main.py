"""The console script itself: what happens before and around the commands."""

import builtins
import importlib.metadata
import sys
from importlib.metadata import PackageNotFoundError
from typing import Any

import pytest

from src.entrypoints.cli import app as app_module
from src.entrypoints.cli import main
from tests.entrypoints.cli.harness import invoke


@pytest.mark.parametrize("missing", ["typer", "rich", "pydantic"])
def test_without_its_extra_the_script_says_how_to_install_it_and_blames_it_for_nothing_else(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = builtins.__import__

    def importing(name: str, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - as __import__ itself
        if name == "src.entrypoints.cli.app":
            message = f"No module named {missing!r}"
            raise ModuleNotFoundError(message, name=missing)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", importing)
    with pytest.raises((SystemExit, ModuleNotFoundError)) as ended:
        main.run()

    said = capsys.readouterr().err
    if missing == "pydantic":
        assert (ended.type, said) == (ModuleNotFoundError, "")
    else:
        assert (getattr(ended.value, "code", None), said.count("\n"), missing in said) == (2, 1, True)
        assert 'pip install ".[cli]"' in said


def test_ctrl_c_before_a_command_has_begun_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(app_module, "app", interrupted)

    with pytest.raises(SystemExit) as ended:
        main.run()

    assert ended.value.code == 130
    assert capsys.readouterr().err == "Error: interrupted\n"


def test_a_copy_that_was_never_installed_says_so_instead_of_a_version(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", unknown)

    assert invoke("--version").stdout == "llm-output (not installed)\n"


def test_the_program_calls_itself_by_its_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["main.py", "--help"])

    with pytest.raises(SystemExit, match=r"^0$"):
        main.run()

    assert capsys.readouterr().out.startswith("Usage: llm-output ")
