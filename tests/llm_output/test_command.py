"""`python -m llm_output` is the command `llm-output`."""

import runpy
import sys
from importlib import metadata

import pytest


def test_package_can_be_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["llm_output", "--version"])
    monkeypatch.delitem(sys.modules, "llm_output.__main__", raising=False)

    with pytest.raises(SystemExit) as ended:
        runpy.run_module("llm_output", run_name="__main__")

    assert not ended.value.code
    assert capsys.readouterr().out == f"llm-output {metadata.version('llm-output')}\n"
