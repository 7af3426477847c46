"""`python -m examples.committee run`: a dossier, a model or a recording of one, a verdict, and a folder to keep."""

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from examples.committee.infrastructure.run_files import FILES
from examples.committee.tests.harness import PROGRAM, ROOT, Ended, environment, interrupted, invoke
from examples.committee.tests.inputs import SEATS
from src.entrypoints.cli.exit_codes import ExitCode
from tests.loopback.answers import Answer, ChatRequest, answer, hang
from tests.loopback.server import ChatServer
from tests.modules.answers import GOOD
from tests.processes import LIMIT, ending

DOSSIER = str(ROOT / "examples/committee/dossier.json")
RECORDING = str(ROOT / "examples/committee/recording.jsonl")
RUN = ("run",)
REPLAYED = (*RUN, DOSSIER, "--replay", RECORDING)


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither variables nor a `.env` of whoever runs the tests."""
    for name in os.environ:
        if name.startswith(("LLM_", "COMMITTEE_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


# --- what is said --------------------------------------------------------------------------------------------


def test_shipped_recording_comes_to_a_verdict_with_no_account() -> None:
    ended = invoke(*REPLAYED)
    assert ended.code == ExitCode.OK
    for said in ("持有 HOLD", "5%", "60%", "收盘跌破 34.5 元清仓"):
        assert said in ended.stdout


def test_result_tells_both_sides_the_risks_the_experts_and_what_it_took() -> None:
    told = invoke(*REPLAYED, columns=300).stdout
    for said in (
        "bull 62%",
        "bear 57%",
        "首发前股东 1,860 万股解除限售后减持",
        "看多 BULLISH",
        "估值合理 Fair",
        "full_width_punctuation ×77",
        "confidence_score: Input should be a valid number",
        "tokens",
        f"{len(SEATS) + 1} answers",
    ):
        assert said in told


def test_progress_goes_to_stderr_a_line_for_each_event() -> None:
    lines = [line.split()[:2] for line in invoke(*REPLAYED).stderr.splitlines()]
    assert lines[:2] == [["stage", "research"], ["asking", "技术分析师"]]
    assert [name for what, name in lines if what == "answered"][-1] == "裁决"
    assert sum(what == "answered" for what, _ in lines) == len(SEATS)


def test_json_holds_the_whole_result() -> None:
    data = json.loads(invoke(*REPLAYED, "--format", "json").stdout)
    assert (data["verdict"]["action"], data["totals"]["calls"]) == ("HOLD", len(SEATS) + 1)
    assert data["totals"]["tokens"]["estimated"] is True
    assert data["experts"][0]["name"] == "technical_analyst"
    assert len(data["agents"]) == len(SEATS)


def test_terminal_shows_a_board_of_all() -> None:
    main, side = pty.openpty()
    with ending(
        subprocess.Popen(  # noqa: S603 - our own program
            [*PROGRAM, *REPLAYED], stdout=subprocess.DEVNULL, stderr=side, env=environment(TERM="xterm", COLUMNS="100")
        )
    ) as process:
        os.close(side)
        seen = read_all(main)
        assert process.wait(LIMIT) == ExitCode.OK
    last = seen[seen.rindex("agent") :]
    assert last.count("answered") == len(SEATS)
    assert "asked 2 times" in last


def read_all(terminal: int) -> str:
    parts = []
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(terminal)
    return b"".join(parts).decode()


# --- what is wrong -------------------------------------------------------------------------------------------


def test_every_problem_of_a_dossier_is_listed_with_its_path(tmp_path: Path) -> None:
    document = json.loads(Path(DOSSIER).read_text(encoding="utf-8"))
    document["technical"]["close"] = "38.62 元"
    document["financial"]["gross_margn"] = 1
    (tmp_path / "wrong.json").write_text(json.dumps(document), encoding="utf-8")
    ended = invoke(*RUN, "wrong.json", "--replay", RECORDING)
    assert (ended.code, ended.stdout) == (ExitCode.USAGE, "")
    assert "$.technical.close" in ended.stderr
    assert "gross_margin" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        ((*RUN, "none.json", "--replay", RECORDING), "none.json"),
        ((*RUN, DOSSIER), "LLM_BASE_URL"),
        ((*RUN, DOSSIER, "--replay", "none.jsonl"), "none.jsonl"),
        ((*REPLAYED, "--out", DOSSIER), "is a file"),
        ((*REPLAYED, "--out", str(ROOT / "examples")), "something else than a run"),
    ],
    ids=["no dossier", "no model", "no recording", "a file as folder", "a folder of somebody else"],
)
def test_what_is_missing_is_a_mistake_in_the_call(arguments: tuple[str, ...], advice: str) -> None:
    ended = invoke(*arguments, columns=500)
    assert (ended.code, ended.stdout) == (ExitCode.USAGE, "")
    assert advice in ended.stderr
    assert "Traceback" not in ended.stderr


def test_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMITTEE_LEAST_EXPERTS", "9")
    ended = invoke(*REPLAYED, columns=300)
    assert (ended.code, ended.stdout) == (ExitCode.USAGE, "")
    assert "COMMITTEE_LEAST_EXPERTS" in ended.stderr


def test_recording_of_something_else_says_what_there_is_nothing_for(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    ended = invoke(*RUN, DOSSIER, "--replay", "empty.jsonl", columns=300)
    assert ended.code == ExitCode.USAGE
    assert "No verdict" in ended.stdout
    assert "empty.jsonl" in ended.stderr


def test_deadline_is_the_model_that_did_not_answer(chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMITTEE_DEADLINE", "0.3")
    monkeypatch.setenv("COMMITTEE_AGENT_SECONDS", "30")
    chat_server.respond(lambda _request: hang(30))
    ended = invoke(*RUN, DOSSIER, "--base-url", chat_server.url, "--model", "m", columns=300)
    assert ended.code == ExitCode.MODEL_ERROR
    assert "0.3" in ended.stderr
    assert "技术分析师没有给出结论" in ended.stdout


def test_expert_that_hangs_costs_no_verdict(chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMITTEE_DEADLINE", "4")

    def respond(request: ChatRequest) -> Answer:
        title = next(title for title in GOOD if f"**{title}**" in request.body["messages"][0]["content"])
        return hang(30) if title == "宏观情报员" else answer(GOOD[title][0])

    chat_server.respond(respond)
    ended = invoke(*RUN, DOSSIER, "--base-url", chat_server.url, "--model", "m", columns=300)
    assert ended.code == ExitCode.OK
    assert "宏观情报员没有给出结论：在 1 秒的预算内没有得到完整回答" in ended.stdout


# --- the folder ----------------------------------------------------------------------------------------------


def kept(*arguments: str) -> Ended:
    return invoke(*REPLAYED, "--out", "run", *arguments)


def test_folder_holds_all_that_is_needed_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    assert kept().code == ExitCode.OK
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == sorted(FILES)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_run_is_replayed_from_its_folder(tmp_path: Path) -> None:
    kept("--format", "json")
    files = ("run/dossier.json", "--replay", "run/recording.jsonl")
    again = json.loads(invoke(*RUN, *files, "--format", "json").stdout)
    first = json.loads((tmp_path / "run/result.json").read_text(encoding="utf-8"))
    for timed in (first, again):
        del timed["totals"]["seconds"]
    assert again == first


def test_folder_of_an_earlier_run_is_replaced(tmp_path: Path) -> None:
    kept()
    (tmp_path / "run/report.html").write_text("old")
    assert kept().code == ExitCode.OK
    assert "持有" in (tmp_path / "run/report.html").read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_earlier_run_stays_when_the_new_one_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept()
    before = (tmp_path / "run/run.json").stat().st_ino
    rename = Path.rename

    def refuse(path: Path, target: Path) -> Path:
        if (path / "report.html").exists() and target.name == "run" and not path.name.endswith(".before"):
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refuse)
    ended = kept()
    assert ended.code == ExitCode.USAGE
    assert "No space left" in ended.stderr
    assert (tmp_path / "run/run.json").stat().st_ino == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "run.unfinished"]
    assert "committee run --resume" in ended.stderr


def test_place_that_cannot_be_written_to_is_told_before_anybody_is_asked(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ended = invoke(*REPLAYED, "--out", "file/run")
    assert (ended.code, ended.stdout) == (ExitCode.USAGE, "")
    assert "asking" not in ended.stderr


def test_empty_folder_is_used(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    assert kept().code == ExitCode.OK


@pytest.mark.parametrize("name", ["notes.txt", "report.md", "run.json"])
def test_folder_with_anything_of_somebody_elses_is_left_alone(name: str, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / name).write_text("mine")
    ended = kept()
    assert ended.code == ExitCode.USAGE
    assert name in ended.stderr
    assert (tmp_path / "run" / name).read_text() == "mine"
    assert [path.name for path in (tmp_path / "run").iterdir()] == [name]


def test_run_with_a_note_beside_it_is_left_alone(tmp_path: Path) -> None:
    kept()
    (tmp_path / "run/notes.txt").write_text("mine")
    assert kept().code == ExitCode.USAGE


def test_recording_elsewhere_is_written_too(tmp_path: Path) -> None:
    kept("--record", "all.jsonl")
    assert (tmp_path / "all.jsonl").read_bytes() == (tmp_path / "run/recording.jsonl").read_bytes()


def test_ctrl_c_while_agents_are_asked_leaves_no_folder(chat_server: ChatServer, tmp_path: Path) -> None:
    chat_server.respond(lambda _request: hang(30))
    arguments = (*RUN, DOSSIER, "--base-url", chat_server.url, "--model", "m", "--out", "run")
    ended = interrupted(lambda: len(chat_server.requests) >= 5, *arguments)
    assert (ended.code, ended.stdout) == (ExitCode.INTERRUPTED, "")
    assert "Traceback" not in ended.stderr
    assert list(tmp_path.iterdir()) == []
