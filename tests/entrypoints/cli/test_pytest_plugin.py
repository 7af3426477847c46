"""The fixture `recorded_output`, in the real pytest: it records texts, and fails where one reads otherwise."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.entrypoints.cli.harness import invoke
from tests.paths import ROOT

SHOP = """
from pydantic import BaseModel

class Order(BaseModel):
    order: int
    paid: bool = False
"""
NOW = """
from itertools import count
from pydantic import BaseModel, Field

class Now(BaseModel):
    a: int
    now: int = Field(default_factory=count().__next__)
"""
ORDERS = """
from pathlib import Path
import pytest
from llm_output import LLMJsonParseError
from stall import Order

ANSWER = "Sure:\\n{'order': 7, 'paid': true,}\\r\\n"

def ask(text):
    def asked():
        with Path("asked.txt").open("a") as file:
            file.write(".")
        return text
    return asked

def test_read(recorded_output):
    assert recorded_output("answers/order.txt", ask(ANSWER), Order) == Order(order=7, paid=True)

def test_refused(recorded_output):
    with pytest.raises(LLMJsonParseError, match="cut off"):
        recorded_output("answers/cut.txt", ask('{"order": 7'), "stall:Order", finish_reason="length")

def test_plain(recorded_output):
    assert recorded_output("notes/a.txt", ask('{"a": [1]}')) == {"a": [1]}
"""


HERE = f"import sys; sys.path[:0] = ['', {str(ROOT)!r}]; import pytest; sys.exit(pytest.main())"
"""Runs pytest with this project, and no other one that may be installed."""


class Project:
    """A folder with tests, in which pytest runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "pytest.ini").write_text("[pytest]", encoding="utf-8")  # no settings of a folder above
        (folder / "stall.py").write_text(SHOP, encoding="utf-8")
        (folder / "test_orders.py").write_text(ORDERS, encoding="utf-8")

    def run(self, *options: str) -> tuple[int, str]:
        """The exit code of pytest, and what it says."""
        told = {**os.environ, "LLM_OUTPUT_LANG": "en", "COLUMNS": "300", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        command = [
            sys.executable,
            "-c",
            HERE,
            "-p",
            "llm_output_pytest",
            "-p",
            "no:cacheprovider",
            "-q",
            *options,
        ]
        ended = subprocess.run(  # noqa: S603 - our own code
            command, cwd=self.folder, env=told, capture_output=True, text=True, timeout=120, check=False
        )
        return ended.returncode, ended.stdout + ended.stderr

    def manifest(self, folder: str = "answers") -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads((self.folder / folder / "manifest.json").read_text(encoding="utf-8"))
        return loaded

    def change(self, file: str, before: str, after: str) -> None:
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        assert before in text
        path.write_text(text.replace(before, after), encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose texts are recorded."""
    project = Project(tmp_path_factory.mktemp("template"))
    code, told = project.run("--llm-output-record")
    assert code == 0, told
    return project.folder


@pytest.fixture
def recorded(template: Path, tmp_path: Path) -> Project:
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    return Project(tmp_path)


def test_text_that_is_not_recorded_fails_with_what_to_do(project: Project) -> None:
    code, told = project.run()

    assert (code, told.count("is not recorded; run pytest --llm-output-record")) == (1, 6), told
    assert not (project.folder / "answers").exists()
    assert not (project.folder / "asked.txt").exists()


def test_failure_has_the_place_in_the_test(project: Project) -> None:
    _, told = project.run("--tb=line")

    assert told.count(f"{project.folder / 'test_orders.py'}:") == 3, told


def test_texts_are_recorded_once_and_read_again_without_a_model(recorded: Project) -> None:
    assert (recorded.folder / "answers/order.txt").read_bytes() == b"Sure:\n{'order': 7, 'paid': true,}\r\n"
    assert recorded.manifest() == {
        "dto": "stall:Order",
        "recordings": [
            {
                "file": "order.txt",
                "value": {"order": 7, "paid": True},
                "grade": "lossless",
                "repairs": ["single_quote", "trailing_comma"],
            },
            {"file": "cut.txt", "finish_reason": "length", "refused": "repair"},
        ],
    }
    assert recorded.manifest("notes") == {
        "recordings": [{"file": "a.txt", "value": {"a": [1]}, "grade": "clean"}],
    }
    before = (recorded.folder / "answers/manifest.json").stat().st_mtime_ns
    assert recorded.run()[0] == recorded.run("--llm-output-record")[0] == 0
    assert (recorded.folder / "asked.txt").read_text() == "..."
    assert (recorded.folder / "answers/manifest.json").stat().st_mtime_ns == before


def test_check_reads_the_same_files_and_keeps_what_is_recorded(
    recorded: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(recorded.folder)
    monkeypatch.syspath_prepend(str(recorded.folder))
    monkeypatch.delitem(sys.modules, "shop", raising=False)
    before = recorded.manifest()

    assert (invoke("check", "answers", "notes").code, invoke("check", "answers", "--record").code) == (0, 0)
    assert recorded.manifest() == before

    recorded.change("answers/order.txt", "'order'", '"order"')
    recorded.change("answers/order.txt", "'paid'", '"paid"')
    recorded.change("answers/order.txt", "true,", "true")
    monkeypatch.setenv("LLM_OUTPUT_LANG", "en")
    (line, _) = invoke("check", "answers").stdout.splitlines()
    assert line == (
        "answers/order.txt: grade recorded as lossless, now wrapped; "
        "repairs recorded as single_quote, trailing_comma, now none"
    )


@pytest.mark.parametrize(
    ("file", "before", "after", "told"),
    [
        ("answers/order.txt", "7", "8", "order.txt: $.order recorded as 7, now 8"),
        ("answers/order.txt", "true,", "true", "repairs recorded as single_quote, trailing_comma, now single_quote"),
        ("answers/order.txt", "Sure:", '{"order": 1} or', "order.txt: recorded as read; now refused at repair"),
        (
            "answers/manifest.json",
            '"repair"',
            '"fence"',
            "cut.txt: recorded as refused at fence; now refused at repair",
        ),
        ("stall.py", "order: int", "order: int; currency: str", "now refused at validate: $.currency"),
        ("answers/manifest.json", "order.txt", "other.txt", "order.txt is not recorded; run pytest"),
        ("answers/manifest.json", "stall:Order", "stall:Ordr", "answers is recorded into stall:Ordr, and the test"),
        ("answers/manifest.json", "{", "", "is no manifest of recordings"),
    ],
)
def test_test_fails_with_the_difference(recorded: Project, file: str, before: str, after: str, told: str) -> None:
    recorded.change(file, before, after)
    code, said = recorded.run()

    assert code == 1
    assert told in said
    assert "Traceback" not in said
    assert "recorded_output.py" not in said


CALLS = {
    '"answers/order.txt", None, "stall:Other"': "answers is recorded into stall:Order, and the test asks for",
    '"notes/a.txt", None, Order': "notes is recorded into plain data, and the test asks for stall:Order",
    '"answers/new.txt"': "answers/new.txt, and nothing gives its text",
    '"answers/newer.txt", lambda: None': "answers/newer.txt, and nothing gives its text",
    '"answers/.new", lambda: "{}"': ".new cannot be a recorded text: give it another name",
    '"more/manifest.json", lambda: "{}"': "manifest.json cannot be a recorded text",
    '"more/a.txt", lambda: "{}", list[int]': "would not find list[int]: give it a name in a module",
    '"more/a.txt", lambda: "{}", type("Order", (Order,), {"__module__": "stall"})': "would not find Order",
    '"more/a.txt", lambda: \'{"a": 1}\', "stall:Now"': "more/a.txt cannot be recorded: $.now is another one",
}
"""What cannot be recorded, and why not."""


def test_what_cannot_be_recorded_fails_with_the_reason(recorded: Project) -> None:
    recorded.change("stall.py", "from pydantic import BaseModel", NOW)
    tests = [f"def test_{at}(recorded_output):\n    recorded_output({call})\n" for at, call in enumerate(CALLS)]
    (recorded.folder / "test_more.py").write_text("\n".join(["from stall import Order", *tests]), encoding="utf-8")
    code, said = recorded.run("--llm-output-record", "test_more.py", "-rN")

    assert (code, [why for why in CALLS.values() if said.count(why) != 1]) == (1, [])
    assert not (recorded.folder / "more/manifest.json").exists()


def test_recording_by_several_workers_is_refused(project: Project) -> None:
    (project.folder / "conftest.py").write_text("def pytest_configure(config): config.workerinput = {}")
    code, said = project.run("--llm-output-record")

    assert code == 1
    assert "run --llm-output-record without -n" in said


def test_missing_extra_is_named(project: Project) -> None:
    (project.folder / "typer.py").write_text("raise ModuleNotFoundError(name='typer')", encoding="utf-8")
    code, said = project.run()

    assert code == 1
    assert 'the package typer is missing: install llm-output with its extra "cli"' in said


def test_package_is_imported_with_the_first_use() -> None:
    shown = "import pytest, sys; before = {*sys.modules}; import llm_output_pytest; print(*{*sys.modules} - before)"
    loaded = subprocess.check_output([sys.executable, "-c", shown], cwd=ROOT, text=True).split()  # noqa: S603 - our own code

    assert loaded == ["llm_output_pytest"]
