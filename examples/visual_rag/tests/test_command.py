"""`python -m examples.visual_rag`: a folder of page images, a question, an answer."""

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from examples.visual_rag import turns_view
from examples.visual_rag.__main__ import EXAMPLES
from examples.visual_rag.tests.harness import PROGRAM, invoke, run
from examples.visual_rag.tests.search_server import running_search_server
from examples.visual_rag.turns_view import TurnsView, turn_line
from src.entrypoints.cli.exit_codes import ExitCode
from src.modules.visual_rag.domain import observations
from src.modules.visual_rag.domain.actions import ActionType
from src.modules.visual_rag.domain.episode import Turn
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import parse_action
from src.shared.domain.ports.llm import LLMReply
from tests.entrypoints.cli.harness import Ended, environment
from tests.loopback.answers import answer, hang, status
from tests.loopback.server import ChatServer
from tests.modules.visual_rag.reading import ON_IMAGE, reply
from tests.modules.visual_rag.tools import needs_chinese, needs_tesseract, page_image
from tests.paths import ROOT
from tests.processes import ending

EXAMPLE = EXAMPLES[0].split()[3:]
ANSWER = reply("answer", answer="42")


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither variables nor a `.env` of whoever runs the tests."""
    for name in ("LLM_BASE_URL", "LLM_MODEL", "LLM_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("VISUAL_RAG_OCR_LANGUAGES", "eng")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A folder of one page, and a search service that finds it: no page is read for an index."""
    (tmp_path / "pages").mkdir()
    page_image(tmp_path / "pages" / "1.png", "Revenue 18.6")
    with running_search_server() as server:
        server.answer = [[{"image_file": "1.png", "text": "Revenue"}]]
        monkeypatch.setenv("VISUAL_RAG_SEARCH_URL", server.url)
        yield "pages"


def ask(pages: str, server: ChatServer, *options: str) -> Ended:
    return invoke(
        *(pages, "How high is the revenue?", "--base-url", server.url, "--model", "m", *options),
        columns=400,
    )


@needs_chinese
def test_shipped_example_answers_from_the_small_print_with_no_account(tmp_path: Path) -> None:
    ended = run(*EXAMPLE, "--output", str(tmp_path / "run"), cwd=ROOT, VISUAL_RAG_OCR_LANGUAGES="")
    result = json.loads(ended.stdout)
    assert (ended.code, ended.stderr) == (ExitCode.OK, "")
    assert [(turn["action"], turn["error"]) for turn in result["turns"]] == [
        *(("search", None), ("crop", None), ("ocr", None), ("answer", None))
    ]
    assert result["answer"].startswith("1.27 亿元")
    assert "1.27" in Path(result["transcript"]).read_text(encoding="utf-8").splitlines()[2]
    assert len(list((tmp_path / "run" / "crops").iterdir())) == 1


@needs_tesseract
def test_question_goes_to_the_provider_and_its_actions_are_done(chat_server: ChatServer, pages: str) -> None:
    chat_server.script([answer(reply("ocr", {**ON_IMAGE, "region": [30, 50, 400, 120]})), answer(ANSWER)])
    ended = ask(pages, chat_server)
    assert json.loads(ended.stdout)["answer"] == "42"
    assert chat_server.requests[0].body["messages"][1]["content"] == "Question: How high is the revenue?"
    assert '"text": "Revenue 18.6"' in chat_server.requests[1].prompt


@needs_tesseract
def test_transcript_of_a_run_can_be_replayed(chat_server: ChatServer, pages: str) -> None:
    chat_server.script([answer(ANSWER)])
    transcript = json.loads(ask(pages, chat_server).stdout)["transcript"]
    ended = invoke(pages, "--replay", transcript)
    assert json.loads(ended.stdout)["answer"] == "42"
    assert json.loads(ended.stdout)["transcript"] != transcript
    assert len(chat_server.requests) == 1


@needs_tesseract
def test_no_answer_within_the_turns_leaves_stdout_empty(chat_server: ChatServer, pages: str) -> None:
    chat_server.respond(lambda _: answer("I do not know."))
    ended = ask(pages, chat_server, "--max-turns", "3")
    assert (ended.code, ended.stdout, len(chat_server.requests)) == (ExitCode.PARSE_ERROR, "", 3)
    assert "no answer within 3 turns; transcript: visual-rag-run/transcript-001.jsonl" in ended.stderr


@needs_tesseract
def test_model_may_begin_by_itself(chat_server: ChatServer, pages: str) -> None:
    chat_server.script([answer("Let me look."), answer(ANSWER)])
    turns = json.loads(ask(pages, chat_server, "--no-first-search").stdout)["turns"]
    assert [turn["action"] for turn in turns] == [None, "answer"]


@needs_tesseract
def test_searches_may_be_limited(chat_server: ChatServer, pages: str) -> None:
    chat_server.script([answer(reply("search")), answer(reply("search")), answer(ANSWER)])
    turns = json.loads(ask(pages, chat_server, "--max-searches", "1").stdout)["turns"]
    assert [turn["error"] for turn in turns] == [None, "VISUAL_RAG_SEARCH_LIMIT", None]


@needs_tesseract
def test_other_model_goes_on_with_the_episode_where_the_first_one_fails(
    chat_server: ChatServer, pages: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_FALLBACK_MODEL", "other")
    monkeypatch.setenv("LLM_MAX_ATTEMPTS", "1")
    chat_server.script([answer(reply("search")), status(503), answer(reply("search")), answer(ANSWER)])
    ended = ask(pages, chat_server)
    assert [request.body["model"] for request in chat_server.requests] == ["m", "m", "other", "other"]
    assert chat_server.requests[1].body["messages"] == chat_server.requests[2].body["messages"]
    assert (ended.code, json.loads(ended.stdout)["answer"]) == (ExitCode.OK, "42")


@needs_tesseract
def test_provider_that_fails_has_an_exit_code_of_its_own(chat_server: ChatServer, pages: str) -> None:
    chat_server.script([status(401)])
    ended = ask(pages, chat_server)
    assert (ended.code, ended.stdout) == (ExitCode.MODEL_ERROR, "")
    assert "LLM_API_KEY" in ended.stderr


@needs_tesseract
@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (("pages",), "name a QUESTION"),
        (("pages", " "), "name a QUESTION"),
        (("none", "Q?"), "none"),
        (("pages", "Q?"), "LLM_BASE_URL"),
        (("pages", "--replay", "none.jsonl"), "none.jsonl"),
        (("pages", "Q?", "--replay", "other.jsonl"), "no (further) episode"),
        (("pages", "Q?", "--replay", "other.jsonl", "--output", "pages/1.png"), "1.png"),
    ],
)
@pytest.mark.usefixtures("pages")
def test_what_is_missing_is_a_mistake_in_the_call(arguments: tuple[str, ...], advice: str, tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text(json.dumps({"question": "Other?", "response": ANSWER}))
    ended = invoke(*arguments, columns=400)
    assert (ended.code, ended.stdout) == (ExitCode.USAGE, "")
    assert advice in ended.stderr


@pytest.mark.usefixtures("pages")
def test_missing_program_is_said_before_the_model_is_asked(
    chat_server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    ended = ask("pages", chat_server)
    assert (ended.code, ended.stdout, chat_server.requests) == (ExitCode.USAGE, "", [])
    assert "apt install tesseract-ocr tesseract-ocr-chi-sim" in ended.stderr


@pytest.mark.usefixtures("ignored_sigint")
@needs_tesseract
@pytest.mark.usefixtures("pages")
def test_ctrl_c_leaves_whole_lines(chat_server: ChatServer, tmp_path: Path) -> None:
    chat_server.script([answer("Let me look."), hang(30)])
    command = [*PROGRAM, "pages", "Q?", "--base-url", chat_server.url, "--model", "m"]
    with ending(
        subprocess.Popen(  # noqa: S603 - our own program
            command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    ) as process:
        while len(chat_server.requests) < 2:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=10)
    assert (process.returncode, stdout) == (ExitCode.INTERRUPTED, b"")
    assert b"Traceback" not in stderr
    transcript = (tmp_path / "visual-rag-run" / "transcript-001.jsonl").read_text(encoding="utf-8")
    assert [json.loads(line)["action"] for line in transcript.splitlines()] == ["search"]


# --- progress -----------------------------------------------------------------------------------------------


def turn(text: str, observation: observations.Observation) -> Turn:
    return Turn(0, "Q?", 2, LLMReply(text), is_forced=False, parsed=parse_action(text), observation=observation)


FAILED = observations.failed(ActionType.CROP, "why", "VISUAL_RAG_REGION")


@pytest.mark.parametrize(
    ("text", "observation", "line"),
    [
        (reply("search", {"query": "a\x1b[2J"}), observations.found([]), "turn 2  search  a␛[2J"),
        (
            reply("crop", ON_IMAGE),
            FAILED,
            "turn 2  crop  image_01 [10.0, 20.0, 300.0, 400.0]  failed: VISUAL_RAG_REGION",
        ),
        (ANSWER, observations.answered("42"), "turn 2  answer  42"),
    ],
)
def test_turn_is_one_line_that_a_terminal_does_not_obey(
    text: str, observation: observations.Observation, line: str
) -> None:
    assert turn_line(turn(text, observation)) == line


def test_turn_without_an_action_says_why() -> None:
    assert turn_line(turn("neither", FAILED)).startswith("turn 2  no action: ")


@pytest.mark.parametrize("is_terminal", [True, False])
def test_progress_is_shown_on_a_terminal_only(
    is_terminal: bool,  # noqa: FBT001 - the case
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    console = Console(stderr=True, force_terminal=is_terminal, width=80, color_system=None)
    monkeypatch.setattr(turns_view, "stderr", lambda: console)
    with TurnsView() as view:
        view.pages(1, 2)
        view.add(turn(ANSWER, observations.answered("42")))
    shown = capsys.readouterr()
    assert shown.out == ""
    assert ("turn 2  answer  42" in shown.err, shown.err != "") == (is_terminal, is_terminal)
