"""`python -m examples.committee run --resume`: going on with a run where it stopped."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from examples.committee.application.progress import Stage
from examples.committee.commands.run_journal import Journal, settled_in
from examples.committee.infrastructure.run_files import FILES
from examples.committee.tests.harness import PROGRAM, ROOT, Ended, environment, interrupted, invoke
from examples.committee.tests.inputs import SEATS
from examples.committee.tests.run import Watcher
from src.entrypoints.cli.exit_codes import ExitCode
from src.shared.application.agent_runs import AgentId
from tests.loopback.answers import Answer, ChatRequest, answer, hang, status
from tests.loopback.server import ChatServer
from tests.modules.answers import EXPERTS, GOOD
from tests.processes import ending

DOSSIER = str(ROOT / "examples/committee/dossier.json")
RECORDING = str(ROOT / "examples/committee/recording.jsonl")
RUN = ("run",)
JUDGE, FAILING = "裁决", "宏观情报员"


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, chat_server: ChatServer) -> None:
    for name in os.environ:
        if name.startswith(("LLM_", "COMMITTEE_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LLM_BASE_URL", chat_server.url)
    monkeypatch.setenv("LLM_MODEL", "m-1")
    monkeypatch.setenv("LLM_MAX_ATTEMPTS", "1")


def title_of(request: ChatRequest) -> str:
    system = request.body["messages"][0]["content"]
    return next(title for title in GOOD if f"**{title}**" in system)


def failing(server: ChatServer, **answers: Answer) -> None:
    """Answer every agent well, but for these."""

    def respond(request: ChatRequest) -> Answer:
        title = title_of(request)
        return answers[title] if title in answers else answer(GOOD[title][0])

    server.reset()
    server.respond(respond)


def asked(server: ChatServer) -> list[str]:
    return sorted(map(title_of, server.requests))


def resumed(*arguments: str) -> tuple[Ended, dict[str, Any]]:
    ended = invoke(*RUN, "--resume", "run", *arguments, columns=300)
    return ended, json.loads(Path("run/result.json").read_text(encoding="utf-8"))


def test_run_without_a_verdict_goes_on_with_the_judge_alone(chat_server: ChatServer) -> None:
    failing(chat_server, **{JUDGE: status(500)})
    assert invoke(*RUN, DOSSIER, "--out", "run").code == ExitCode.MODEL_ERROR
    failing(chat_server)
    ended, result = resumed()
    assert (ended.code, asked(chat_server)) == (ExitCode.OK, [JUDGE])
    assert (result["verdict"]["action"], result["totals"]["calls"]) == ("BUY", len(SEATS))


def test_judge_whose_answers_could_not_be_used_is_told_why_and_asked_once_more(chat_server: ChatServer) -> None:
    failing(chat_server, **{JUDGE: answer('{"action": "MAYBE"}')})
    assert invoke(*RUN, DOSSIER, "--out", "run").code == ExitCode.PARSE_ERROR
    before = [request.prompt for request in chat_server.requests]
    failing(chat_server)
    ended, result = resumed()
    (request,) = chat_server.requests
    assert ended.code == ExitCode.OK
    assert "上一次的回答无法使用" in request.prompt
    assert request.prompt in before  # the same defect again: what is asked is the same, and the reply is new
    (judge,) = [agent for agent in result["agents"] if agent["label"] == JUDGE]
    assert (judge["answered"], judge["replies"], len(judge["refused"])) == (True, 3, 2)


def test_expert_that_the_debate_did_without_is_not_asked_again(chat_server: ChatServer) -> None:
    failing(chat_server, **{FAILING: status(401), JUDGE: status(500)})
    invoke(*RUN, DOSSIER, "--out", "run")
    first = json.loads(Path("run/result.json").read_text(encoding="utf-8"))
    failing(chat_server)
    ended, result = resumed()
    assert (ended.code, asked(chat_server)) == (ExitCode.OK, [JUDGE])
    assert result["experts"] == first["experts"]


def test_experts_that_were_too_few_are_asked_again(chat_server: ChatServer) -> None:
    failing(chat_server, **{title: status(500) for title in EXPERTS[:3]})
    invoke(*RUN, DOSSIER, "--out", "run")
    failing(chat_server)
    ended, _ = resumed()
    assert ended.code == ExitCode.OK
    assert asked(chat_server) == sorted(title for title in SEATS if title not in EXPERTS[3:])


def test_run_with_a_verdict_asks_nobody_and_has_the_same_result(chat_server: ChatServer) -> None:
    failing(chat_server)
    invoke(*RUN, DOSSIER, "--out", "run")
    first = json.loads(Path("run/result.json").read_text(encoding="utf-8"))
    failing(chat_server)
    ended, result = resumed()
    assert (ended.code, chat_server.requests) == (ExitCode.OK, [])
    for found in (first, result):
        del found["totals"]["seconds"]
        found["agents"].sort(key=lambda agent: agent["name"])  # side by side they answer in any order
    assert result == first


def test_run_goes_on_in_another_folder_and_the_first_stays(chat_server: ChatServer) -> None:
    failing(chat_server, **{JUDGE: status(500)})
    invoke(*RUN, DOSSIER, "--out", "run")
    failing(chat_server)
    ended, first = resumed("--out", "whole")
    assert (ended.code, first["verdict"]) == (ExitCode.OK, None)
    assert sorted(path.name for path in Path("whole").iterdir()) == sorted(FILES)


def test_recording_of_a_run_that_went_on_replays_the_whole_of_it(chat_server: ChatServer) -> None:
    failing(chat_server, **{JUDGE: status(500)})
    invoke(*RUN, DOSSIER, "--out", "run")
    failing(chat_server)
    resumed()
    lines = Path("run/recording.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(SEATS) + 1


# --- broken off -----------------------------------------------------------------------------------------------


def hanging(server: ChatServer, seat: str, folder: Path) -> Callable[[], bool]:
    """Let an agent hang; whether all that may answer have."""
    failing(server, **{seat: hang(30)})
    requests, answers = (len(SEATS), len(SEATS) - 1) if seat == JUDGE else (len(EXPERTS), len(EXPERTS) - 1)
    return lambda: len(server.requests) >= requests and told(folder) >= answers


def told(folder: Path) -> int:
    """How many answers the journal of the one run in a folder tells of; all of them where there is no journal."""
    journals = [*folder.glob(".run.*/progress.jsonl")]
    return sum(file.read_text(encoding="utf-8").count('"answered"') for file in journals) if journals else len(SEATS)


def broken_off(server: ChatServer, how: int, folder: Path, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """A run in which the judge hangs, ended by a signal when all that may answer have: as a process of its own."""
    is_waiting = hanging(server, JUDGE, folder)
    command = [*PROGRAM, *RUN, DOSSIER, "--out", "run"]
    with ending(
        subprocess.Popen(  # noqa: S603 - our own program
            command, cwd=folder, env=environment(**variables), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    ) as process:
        while not is_waiting():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(how)
        stdout, stderr = process.communicate(timeout=10)
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "terminated"])
def test_run_that_is_interrupted_reports_what_was_answered_and_goes_on(
    how: int, chat_server: ChatServer, tmp_path: Path
) -> None:
    ended = interrupted(hanging(chat_server, EXPERTS[2], tmp_path), *RUN, DOSSIER, "--out", "run", how=how)
    assert (ended.code, ended.stdout) == (ExitCode.INTERRUPTED, "")
    assert "read report.html in it" in ended.stderr
    result = json.loads(Path("run/result.json").read_text(encoding="utf-8"))
    assert (result["error"]["code"], result["failed_in"]) == ("COMMITTEE_INTERRUPTED", "research")
    assert [expert["label"] for expert in result["experts"] if expert["error"]] == [EXPERTS[2]]
    assert result["totals"]["calls"] == len(EXPERTS) - 1
    for name in ("report.html", "report.md"):
        report = Path("run", name).read_text(encoding="utf-8")
        assert "被中断" in report
        assert "python -m examples.committee run --resume DIR" in report
        assert all(expert in report for expert in EXPERTS)
    failing(chat_server)
    ended_then, then = resumed()
    assert (ended_then.code, then["error"]) == (ExitCode.OK, None)
    assert sorted(asked(chat_server)) == sorted([EXPERTS[2], *(seat for seat in SEATS if seat not in EXPERTS)])


def test_run_without_a_folder_that_is_interrupted_prints_what_was_found(
    chat_server: ChatServer, tmp_path: Path
) -> None:
    ended = interrupted(hanging(chat_server, JUDGE, tmp_path), *RUN, DOSSIER, "--format", "json")
    result = json.loads(ended.stdout)
    assert (ended.code, result["failed_in"]) == (ExitCode.INTERRUPTED, "judge")
    assert result["totals"]["calls"] == len(SEATS) - 1


@pytest.mark.usefixtures("ignored_sigint")
def test_ctrl_c_keeps_what_was_answered_and_the_run_goes_on(chat_server: ChatServer, tmp_path: Path) -> None:
    ended = broken_off(chat_server, signal.SIGINT, tmp_path)
    assert (ended.returncode, ended.stdout) == (ExitCode.INTERRUPTED, b"")
    assert b"--resume" in ended.stderr
    assert b"Traceback" not in ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    failing(chat_server)
    assert (resumed()[0].code, asked(chat_server)) == (ExitCode.OK, [JUDGE])


def test_ctrl_c_leaves_another_run_at_the_place_as_it_is(chat_server: ChatServer, tmp_path: Path) -> None:
    invoke(*RUN, DOSSIER, "--out", "run", "--replay", RECORDING)
    before = (tmp_path / "run/result.json").read_bytes()
    interrupted(hanging(chat_server, JUDGE, tmp_path), *RUN, DOSSIER, "--out", "run")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "run.unfinished"]
    assert (tmp_path / "run/result.json").read_bytes() == before


def test_what_was_answered_stays_in_the_draft_where_both_places_are_taken(
    chat_server: ChatServer, tmp_path: Path
) -> None:
    invoke(*RUN, DOSSIER, "--out", "run", "--replay", RECORDING)
    (tmp_path / "run.unfinished").write_text("mine")
    ended = interrupted(hanging(chat_server, JUDGE, tmp_path), *RUN, DOSSIER, "--out", "run")
    (draft,) = [path for path in tmp_path.iterdir() if path.name.startswith(".run.")]
    assert draft.name in ended.stderr
    assert len((draft / "recording.jsonl").read_text(encoding="utf-8").splitlines()) == len(SEATS) - 1


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a run leaves that is killed while the judge is asked."""
    folder = tmp_path_factory.mktemp("killed")
    with ChatServer() as server:
        settings = {"LLM_BASE_URL": server.url, "LLM_MODEL": "m-1", "LLM_MAX_ATTEMPTS": "1"}
        assert broken_off(server, signal.SIGKILL, folder, **settings).returncode == -signal.SIGKILL
    (draft,) = folder.iterdir()
    return draft


@pytest.fixture
def draft(killed: Path, tmp_path: Path) -> Path:
    """A copy of it in the current folder."""
    return Path(shutil.copytree(killed, tmp_path / killed.name))


def test_killed_run_goes_on_from_what_it_leaves(chat_server: ChatServer, draft: Path) -> None:
    failing(chat_server)
    ended = invoke(*RUN, "--resume", draft.name, "--out", "run")
    assert (ended.code, asked(chat_server)) == (ExitCode.OK, [JUDGE])


def test_run_that_was_killed_before_its_first_answer_starts_anew(chat_server: ChatServer, draft: Path) -> None:
    (draft / "recording.jsonl").unlink()
    failing(chat_server)
    ended = invoke(*RUN, "--resume", draft.name)
    assert (ended.code, len(chat_server.requests)) == (ExitCode.OK, len(SEATS))


# --- what is wrong --------------------------------------------------------------------------------------------


def kept(*arguments: str) -> None:
    invoke(*RUN, DOSSIER, "--replay", RECORDING, "--out", "run", *arguments)


def other_dossier() -> str:
    document = json.loads(Path(DOSSIER).read_text(encoding="utf-8"))
    document["stock"]["symbol"] = "600000.SH"
    Path("other.json").write_text(json.dumps(document), encoding="utf-8")
    return "other.json"


def test_dossier_beside_the_run_may_be_the_runs_own(chat_server: ChatServer) -> None:
    kept()
    ended = invoke(*RUN, DOSSIER, "--resume", "run")
    assert (ended.code, chat_server.requests) == (ExitCode.OK, [])


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        ((), "name a DOSSIER"),
        (("--resume", "none"), "none is no folder of a run"),
        (("other.json", "--resume", "run"), "another dossier"),
    ],
    ids=["neither dossier nor run", "no run", "another dossier"],
)
def test_run_that_cannot_go_on_is_a_mistake_in_the_call(
    arguments: tuple[str, ...], advice: str, chat_server: ChatServer
) -> None:
    kept()
    other_dossier()
    ended = invoke(*RUN, *arguments, columns=300)
    assert (ended.code, ended.stdout, chat_server.requests) == (ExitCode.USAGE, "", [])
    assert advice in ended.stderr


def test_dossier_of_a_run_that_was_changed_is_told_with_its_problems(chat_server: ChatServer) -> None:
    kept()
    Path("run/dossier.json").write_text('{"version": 2}', encoding="utf-8")
    ended = invoke(*RUN, "--resume", "run", columns=300)
    assert (ended.code, chat_server.requests) == (ExitCode.USAGE, [])
    assert "$.version" in ended.stderr


@pytest.mark.parametrize(
    "line", ["no JSON", "[1]", '{"agent": "a"}', '{"agent": "a", "label": "b", "state": "failed"}']
)
def test_journal_that_cannot_be_read_is_named_with_the_line(line: str, chat_server: ChatServer) -> None:
    kept()
    with Path("run/progress.jsonl").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    number = len(Path("run/progress.jsonl").read_text(encoding="utf-8").splitlines())
    ended = invoke(*RUN, "--resume", "run", columns=300)
    assert (ended.code, chat_server.requests) == (ExitCode.USAGE, [])
    assert f"line {number} of progress.jsonl" in ended.stderr


def test_run_without_a_journal_settles_nothing(tmp_path: Path) -> None:
    assert settled_in(tmp_path / "none.jsonl") == {}


def test_journal_on_a_full_disk_ends_nothing(tmp_path: Path) -> None:
    watcher = Watcher()
    journal = Journal(tmp_path / "none" / "progress.jsonl", watcher)
    journal.stage_started(Stage.RESEARCH)
    journal.agent_started(AgentId("verdict", JUDGE))
    journal.stage_finished(Stage.RESEARCH)
    assert watcher.seen == ["research begins", "verdict asked", "research ends"]
