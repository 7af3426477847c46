"""`llm-output ask --stream`: the fields on stderr while the model writes, and the same result on stdout."""

from __future__ import annotations

import asyncio
import io
import json
import os
import pty
import signal
import subprocess
from collections.abc import AsyncGenerator, Awaitable, Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest
from rich.console import Console
from rich.table import Table
from rich.text import Text

from src.entrypoints.cli import screen
from src.entrypoints.cli.commands import ask
from src.entrypoints.cli.exit_codes import ExitCode
from src.shared.application.streamed_answer import AnswerSnapshot
from src.shared.infrastructure.llm_stream import LLMJsonStream
from tests.entrypoints.cli.harness import PROGRAM, ROOT, environment, invoke
from tests.entrypoints.cli.test_ask import GOOD, VERDICT, at
from tests.entrypoints.cli.test_hostile_text import ESCAPES, _unprintable
from tests.loopback.answers import answer, pause_stream
from tests.loopback.server import ChatServer
from tests.processes import LIMIT, ending

REPLAYED = ("ask", "--stream", "--agent", "verdict", "--replay", VERDICT)


pytestmark = pytest.mark.usefixtures("no_model_settings")


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


def test_result_and_attempts_are_those_of_an_answer_that_is_waited_for() -> None:
    plain, streamed = invoke("ask", *REPLAYED[2:]), invoke(*REPLAYED)
    assert (streamed.code, streamed.stdout) == (plain.code, plain.stdout)
    assert streamed.stderr.endswith(plain.stderr)


def test_answer_is_streamed_and_recorded_in_its_chunks(chat_server: ChatServer, order: tuple[str, ...]) -> None:
    chat_server.script([answer("", pieces=[GOOD[:5], GOOD[5:]])])
    invoke(*order, "--stream", *at(chat_server), "--record", "asked.jsonl", text="Which order?")
    assert chat_server.requests[0].streams
    assert json.loads(Path("asked.jsonl").read_text("utf-8"))["reply"]["chunks"] == [5, len(GOOD) - 5]
    ended = invoke(*order, "--stream", "--replay", "asked.jsonl", text="Which order?")
    assert json.loads(ended.stdout) == {"order": 7, "paid": True}


@pytest.mark.usefixtures("ignored_sigint")
def test_field_is_shown_before_the_answer_is_at_its_end_and_ctrl_c_ends_it(
    chat_server: ChatServer, order: tuple[str, ...], tmp_path: Path
) -> None:
    chat_server.script([pause_stream('{"order": 7, "paid": ', 60)])
    (tmp_path / "question.md").write_text("Which order?")
    command = [*PROGRAM, "ask", "question.md", *order[2:], "--stream", *at(chat_server)]
    with ending(
        subprocess.Popen(  # noqa: S603 - our own program
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), text=True
        )
    ) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        assert process.stderr.readline().split() == ["field", "$.order", "7"]
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == ExitCode.INTERRUPTED
        assert process.stdout.read() == ""
    assert chat_server.idle()


def test_terminal_shows_the_fields_and_then_the_result_alone() -> None:
    main, side = pty.openpty()
    with ending(
        subprocess.Popen(  # noqa: S603 - our own program
            [*PROGRAM, *REPLAYED], stdout=subprocess.PIPE, stderr=side, env=environment(TERM="xterm"), cwd=ROOT
        )
    ) as process:
        os.close(side)
        seen = read_all(main)
        assert process.stdout is not None
        assert json.loads(process.stdout.read())["action"] == "HOLD"
        assert process.wait(LIMIT) == ExitCode.OK
    assert "the answer could not be used" in seen
    assert "$.risk_warnings[2]" in seen
    assert "\x1b[?25h" in seen  # the cursor is there again


# --- what is shown of a snapshot -------------------------------------------------------------------------------


@dataclass
class Seen:
    """A snapshot of the test's own."""

    data: object
    complete: AbstractSet[str]
    state: str = "reading"
    value: None = None
    changed: tuple[str, ...] = ()


Snapshot: TypeAlias = AnswerSnapshot[dict[str, object]]
Show: TypeAlias = Callable[[AsyncGenerator[Snapshot]], Awaitable[None]]


def all_of(text: str) -> list[Snapshot]:
    """The snapshots of a text that comes in one chunk."""
    stream = LLMJsonStream(dict[str, object])
    written = stream.feed(text)
    stream.close(finished=True)
    return [AnswerSnapshot(snapshot, 1) for snapshot in (written, stream.snapshot)]


def snapshot_of(text: str, restarted: int = 0) -> Snapshot:
    return AnswerSnapshot(LLMJsonStream(dict[str, object]).feed(text), restarted)


def shown_by(show: Show, *snapshots: Snapshot) -> str:
    """What is shown on a terminal of 80 columns that takes no colours."""

    async def come() -> AsyncGenerator[Snapshot]:
        for snapshot in snapshots:
            yield snapshot

    console = Console(file=io.StringIO(), width=80, no_color=True, markup=False, emoji=False, highlight=False)
    with pytest.MonkeyPatch.context() as patched, console.capture() as capture:
        patched.setattr(ask, "stderr", lambda: console)
        patched.setattr(screen, "stderr", lambda: console)
        asyncio.run(_shown(show, come()))
    return capture.get()


async def _shown(show: Show, snapshots: AsyncGenerator[Snapshot]) -> None:
    await show(snapshots)


def board_of(snapshot: Snapshot | None, height: int = 20) -> str:
    console = Console(file=io.StringIO(), width=80, no_color=True, markup=False, emoji=False, highlight=False)
    with console.capture() as capture:
        console.print(ask.board(snapshot, height))
    return capture.get()


HOSTILE = {
    "whole": all_of(json.dumps({"a": ESCAPES, ESCAPES: [ESCAPES, {}]})),
    "growing": [snapshot_of(json.dumps({"a": [ESCAPES, 1], "b": ESCAPES})[:-2], 1)],
}


@pytest.mark.parametrize("shown", HOSTILE.values(), ids=HOSTILE)
def test_nothing_of_a_model_can_drive_a_terminal(shown: list[Snapshot]) -> None:
    lines, table = shown_by(ask.show_lines, *shown), board_of(shown[-1])
    assert "red" in lines
    assert "red" in table
    assert _unprintable(lines + table) == set()


def test_long_value_is_shown_by_its_beginning_once_whole_and_by_its_end_while_it_grows() -> None:
    text = json.dumps({"a": "b" * 500 + "e" * 500, "n": 1, "k" * 200: 1})
    assert "k" * 100 not in shown_by(ask.show_lines, snapshot_of(text))
    assert f'"{"b" * (ask.VALUE_SHOWN - 1)}…"' in shown_by(ask.show_lines, snapshot_of(text))
    growing = "".join(board_of(snapshot_of(text[:1_000])).split())
    assert "…" + "e" * 60 in growing
    assert "b" not in growing


def test_container_without_members_has_a_line() -> None:
    assert shown_by(ask.show_lines, snapshot_of('{"a": [], "b": {}, "c": [1]}')).split() == [
        "field", "$.a", "[]", "field", "$.b", "{}", "field", "$.c[0]", "1",
    ]  # fmt: skip


def test_board_waits_until_there_is_something_to_show() -> None:
    assert board_of(None).split() == board_of(snapshot_of("Well")).split() == ["waiting", "for", "the", "model"]
    assert "could not be used" in board_of(snapshot_of("", 1))


def test_board_shows_the_last_fields_where_the_terminal_is_low() -> None:
    shown = board_of(snapshot_of(json.dumps({f"f{number}": number for number in range(50)})), height=10)
    assert "$.f44" in shown
    assert "$.f43" not in shown
    assert "$.f49" in shown


def test_container_of_which_nothing_has_come_is_growing() -> None:
    stream = LLMJsonStream(dict[str, object])
    seen: Snapshot = AnswerSnapshot(Seen({"a": []}, stream.snapshot.complete))
    assert board_of(seen).split()[-2:] == ["$.a", "…"]


def drawn_of(pause: float) -> list[object]:
    """The numbers that a board has drawn of an answer that comes at once, and then waits for a while."""
    drawn: list[object] = []
    board = ask.board

    def draw(snapshot: Snapshot | None, height: int) -> Table | Text:
        drawn.append(snapshot.data["a"] if snapshot else None)
        return board(snapshot, height)

    async def come() -> AsyncGenerator[Snapshot]:
        for number in range(10):  # far fewer than a busy machine needs the time for
            yield snapshot_of(f'{{"a": {number}, "b": ')
        await asyncio.sleep(pause)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ask, "board", draw)
        asyncio.run(_shown(ask.show_board, come()))
    return list(dict.fromkeys(drawn))


@pytest.mark.parametrize("pause", [0, 2 * ask.DRAWN_EVERY], ids=["at its end", "when it is time"])
def test_chunks_that_come_at_once_are_drawn_once_and_the_last_one_is(pause: float) -> None:
    assert drawn_of(pause) == [None, 9]
