"""The console script itself: what happens before and around the commands."""

import builtins
import importlib.metadata
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from typing import Any

import pytest

from src.entrypoints.cli import app as app_module
from src.entrypoints.cli import main
from tests.entrypoints.cli.harness import invoke


def _importing(missing: str) -> Callable[..., Any]:
    real = builtins.__import__

    def importing(name: str, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - as __import__ itself
        if name == "src.entrypoints.cli.app":
            message = f"No module named {missing!r}"
            raise ModuleNotFoundError(message, name=missing)
        return real(name, *arguments, **options)

    return importing


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_its_extra_the_script_says_how_to_install_it(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(builtins, "__import__", _importing(missing))

    with pytest.raises(SystemExit) as ended:
        main.run()

    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert said.count("\n") == 1
    assert 'pip install ".[cli]"' in said
    assert missing in said


def test_any_other_missing_module_is_not_blamed_on_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtins, "__import__", _importing("pydantic"))

    with pytest.raises(ModuleNotFoundError):
        main.run()


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

    with pytest.raises(SystemExit):
        main.run()

    assert capsys.readouterr().out.startswith("Usage: llm-output ")
