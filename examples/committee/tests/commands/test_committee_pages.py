"""`python -m examples.committee compare` and `index`: runs that were written, side by side and listed."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import structlog

from examples.committee.commands.compare import MOST_COMPARED
from examples.committee.tests.harness import ROOT, Ended, invoke
from src.entrypoints.cli.exit_codes import ExitCode
from src.shared.domain.language import VARIABLE

DOSSIER, RECORDING = (str(ROOT / "examples/committee" / name) for name in ("dossier.json", "recording.jsonl"))


@pytest.fixture(scope="module")
def sat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run on the shipped dossier."""
    place, log = tmp_path_factory.mktemp("sat"), structlog.get_config()
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith(("LLM_", "COMMITTEE_")):
                patch.delenv(name)
        patch.chdir(place)
        ended = invoke("run", DOSSIER, "--replay", RECORDING, "--out", "run")
    structlog.configure(**log)  # made before the fixture that does it for each test
    assert ended.code == ExitCode.OK
    return place / "run"


@pytest.fixture
def runs(sat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with two runs of one stock in `runs`."""
    monkeypatch.chdir(tmp_path)
    for name in ("november", "august"):
        shutil.copytree(sat, tmp_path / "runs" / name)
    changed(tmp_path / "runs/august", as_of="2025-08-20", verdict={"action": "SELL", "confidence": 0.9})
    return tmp_path


def changed(run: Path, **values: Any) -> None:  # noqa: ANN401 - of any JSON type
    file = run / "result.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(data | values), encoding="utf-8")


def compare(*arguments: str) -> Ended:
    return invoke("compare", *(arguments or ("runs/november", "runs/august")), columns=300)


def index(*arguments: str) -> Ended:
    return invoke("index", *(arguments or ("runs",)), columns=300)


# --- compare -------------------------------------------------------------------------------------------------


def test_page_is_written_and_said_where_and_the_short_text_goes_to_stdout(runs: Path) -> None:
    ended = compare()
    assert (ended.code, ended.stderr) == (ExitCode.OK, "written to compare.html\n")
    assert "2025-08-20" in ended.stdout.splitlines()[3]
    assert "持有 (此前为 卖出)" in ended.stdout
    page = (runs / "compare.html").read_text(encoding="utf-8")
    assert page.index("2025-08-20") < page.index("2025-11-21")
    assert 'href="runs/august/report.html"' in page


def test_page_elsewhere_links_from_there(runs: Path) -> None:
    (runs / "pages").mkdir()
    assert compare("runs/november", "runs/august", "--out", "pages/a.html").code == ExitCode.OK
    assert 'href="../runs/august/report.html"' in (runs / "pages/a.html").read_text(encoding="utf-8")


def test_link_to_a_folder_with_a_name_of_code_is_a_path(runs: Path) -> None:
    name = 'javascript:alert(1)"><b>%#?'
    (runs / "runs/august").rename(runs / name)
    assert compare("runs/november", name).code == ExitCode.OK
    page = (runs / "compare.html").read_text(encoding="utf-8")
    assert 'href="javascript%3Aalert%281%29%22%3E%3Cb%3E%25%23%3F/report.html"' in page
    assert "<b>" not in page


@pytest.mark.usefixtures("runs")
def test_json_holds_the_runs_and_what_changed() -> None:
    data = json.loads(compare("runs/november", "runs/august", "--format", "json").stdout)
    assert (data["version"], data["stocks"]) == (1, ["688999.SH"])
    assert [run["folder"] for run in data["runs"]] == ["runs/august", "runs/november"]
    assert {"path": "$.verdict.action", "before": "SELL", "now": "HOLD"} in data["runs"][1]["changes"]


def test_terminal_obeys_no_text_of_a_run(runs: Path) -> None:
    changed(runs / "runs/august", name="\x1b[31mred", verdict={"action": "\x1b[2J", "stop_loss": "\x07"})
    assert "\x1b" not in compare().stdout


def test_list_is_counted_on_the_terminal(runs: Path) -> None:
    risks = [{"risk": f"{n}" * 20} for n in range(3)]
    changed(runs / "runs/august", debate={"direction": "BULLISH", "risk_matrix": risks})
    assert "(新出现 5，不再列出 3)" in compare().stdout


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (("runs/november",), "2 to 20 runs"),
        (tuple(f"r{n}" for n in range(MOST_COMPARED + 1)), "2 to 20 runs"),
        (("runs/november", "runs/../runs/november"), "named twice"),
        (("runs/november", "none"), "none: 不是一次运行的文件夹 (no folder of a run)"),
        (("none", "nobody"), "(no folder of a run); nobody: 不是一次运行的文件夹 (no folder of a run)"),
        (("runs/november", "runs/august", "--out", "runs/august/page.html"), "holds its own files only"),
        (("runs/november", "runs/august", "--out", "none/page.html"), "cannot write"),
    ],
    ids=["one", "too many", "one twice", "no run", "no runs", "into a run", "no folder"],
)
@pytest.mark.usefixtures("runs")
def test_what_cannot_be_compared_is_a_mistake_in_the_call(arguments: tuple[str, ...], advice: str) -> None:
    ended = compare(*arguments)
    assert (ended.code, ended.stdout) == (ExitCode.USAGE, "")
    assert advice in ended.stderr
    assert not Path("compare.html").exists()


def test_run_that_has_not_ended_says_how_to_go_on(runs: Path) -> None:
    (runs / "runs/august/result.json").unlink()
    ended = compare()
    assert ended.code == ExitCode.USAGE
    assert "go on with python -m examples.committee run --resume runs/august" in ended.stderr


@pytest.mark.usefixtures("runs")
def test_page_of_ours_is_replaced_and_another_ones_is_not() -> None:
    assert [compare().code, compare().code] == [ExitCode.OK, ExitCode.OK]
    Path("compare.html").write_text("mine", encoding="utf-8")
    ended = compare()
    assert (ended.code, ended.stdout, Path("compare.html").read_text(encoding="utf-8")) == (ExitCode.USAGE, "", "mine")
    assert compare("runs/november", "runs/august", "--out", "compare.html").code == ExitCode.OK


# --- index ---------------------------------------------------------------------------------------------------


def test_index_is_written_into_the_folder_and_says_how_many_runs_there_are(runs: Path) -> None:
    ended = index()
    assert (ended.code, ended.stdout) == (ExitCode.OK, "")
    assert ended.stderr.splitlines() == [
        "written to runs/index.html",
        "runs with a result: 2, unfinished: 0, folders not read: 0",
    ]
    page = (runs / "runs/index.html").read_text(encoding="utf-8")
    assert 'href="august/report.html"' in page
    assert "python -m examples.committee compare runs/november runs/august" in page


def test_index_is_made_again_in_another_order(runs: Path) -> None:
    changed(runs / "runs/august", as_of="2025-12-01")
    places = []
    for order in ("date", "verdict"):
        assert index("runs", "--sort", order).code == ExitCode.OK
        page = (runs / "runs/index.html").read_text(encoding="utf-8")
        places.append(page.index("august/report") < page.index("november/report"))
    assert places == [True, False]


def test_commands_of_the_index_are_quoted_for_a_shell(runs: Path) -> None:
    (runs / "runs/august").rename(runs / "runs/in august; rm")
    (runs / "runs/in august; rm/result.json").unlink()
    assert index().code == ExitCode.OK
    page = (runs / "runs/index.html").read_text(encoding="utf-8")
    assert "python -m examples.committee run --resume &#39;runs/in august; rm&#39;" in page


def test_path_in_a_command_is_never_an_option(runs: Path) -> None:
    (runs / "runs").rename(runs / "-r")
    (runs / "-r/august/result.json").unlink()
    assert index("--", "-r").code == ExitCode.OK
    assert "--resume ./-r/august" in (runs / "-r/index.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("runs")
def test_run_can_still_be_gone_on_with_after_an_index_was_made() -> None:
    index()
    ended = invoke("run", "--resume", "runs/november", "--replay", RECORDING)
    assert ended.code == ExitCode.OK


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (("none",), "none is no folder"),
        (("runs/august",), "holds its own files only"),
        (("runs", "--sort", "mood"), "mood"),
    ],
    ids=["no folder", "a run", "no order"],
)
@pytest.mark.usefixtures("runs")
def test_what_cannot_be_listed_is_a_mistake_in_the_call(arguments: tuple[str, ...], advice: str) -> None:
    ended = index(*arguments)
    assert (ended.code, ended.stdout) == (ExitCode.USAGE, "")
    assert advice in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.usefixtures("runs")
def test_folder_that_cannot_be_read_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_folder: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.scandir", refuse)
    ended = index()
    assert (ended.code, ended.stderr) == (ExitCode.USAGE, "Error: cannot read runs: Permission denied\n")


@pytest.mark.usefixtures("runs")
def test_index_that_is_not_whole_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("examples.committee.infrastructure.run_finder.MOST_RUNS", 1)
    assert index().stderr.splitlines()[-1] == "too many folders: only a part of them is listed"


@pytest.mark.parametrize(("spoken", "said"), [("zh", "已写入"), ("en", "written to")])
@pytest.mark.usefixtures("runs")
def test_both_commands_speak_the_language(monkeypatch: pytest.MonkeyPatch, spoken: str, said: str) -> None:
    monkeypatch.setenv(VARIABLE, spoken)
    assert compare().stderr.startswith(said)
    assert index().stderr.startswith(said)
    assert f'lang="{"en" if spoken == "en" else "zh-CN"}"' in Path("compare.html").read_text(encoding="utf-8")
