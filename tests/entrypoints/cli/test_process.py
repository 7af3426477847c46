"""The command line as a shell sees it: pipes, signals, a terminal, streams that fail. Never a traceback."""

import contextlib
import json
import os
import pty
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.entrypoints.cli.harness import CLEAN_VERDICT, PROGRAM, RECORDINGS, ROOT, Ended, environment, run
from tests.processes import LIMIT, ending
from tests.thorough import at_length

ASKED = ["ask", "--agent", "verdict", "--stream", "--replay", "examples/ask/verdict.jsonl"]
LONG = {"a": [1] * 100_000}


def started(
    *arguments: str,
    stdin: int = subprocess.DEVNULL,
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
    **changes: str,
) -> subprocess.Popen[bytes]:
    """A command on streams of the test's choice."""
    streams = {"stdin": stdin, "stdout": stdout, "stderr": stderr}
    return subprocess.Popen([*PROGRAM, *arguments], **streams, env=environment(**changes), cwd=ROOT)  # type: ignore[call-overload,no-any-return]  # noqa: S603 - our own program


def ended(process: subprocess.Popen[bytes], text: bytes | None = None) -> Ended:
    with ending(process):
        stdout, stderr = process.communicate(text, LIMIT)
    return Ended(process.returncode, (stdout or b"").decode(), (stderr or b"").decode())


@contextlib.contextmanager
def closing(*descriptors: int) -> Iterator[None]:
    try:
        yield
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


@contextlib.contextmanager
def unread() -> Iterator[int]:
    """A pipe whose reader has gone."""
    reading, writing = os.pipe()
    os.close(reading)
    with closing(writing):
        yield writing


def test_json_is_utf_8_whatever_the_locale_and_stderr_escapes_what_its_encoding_lacks() -> None:
    good, empty = (run("parse", stdin=text.encode(), PYTHONIOENCODING="ascii") for text in ('{"结论": "持有"}', ""))

    assert json.loads(good.stdout) == {"结论": "持有"}
    assert (empty.code, "Traceback" in empty.stderr, r"\u4e3a\u7a7a" in empty.stderr) == (1, False, True)


@pytest.mark.parametrize(
    "arguments",
    [["parse", CLEAN_VERDICT], ["--version"], *at_length([], [["agents"], ["schema", "--agent", "verdict"], ["demo"]])],
)
def test_a_reader_that_has_gone_away_is_met_with_silence(arguments: list[str]) -> None:
    with unread() as pipe:
        assert ended(started(*arguments, stdout=pipe)) == Ended(141, "", "")
        assert ended(started(*arguments, stdout=pipe, stderr=pipe)).code == 141


@pytest.mark.parametrize(
    "arguments", [["check", str(RECORDINGS)], *at_length([], [["parse", CLEAN_VERDICT], ["demo"]])]
)
def test_a_closed_stdout_is_one_line(arguments: list[str]) -> None:
    closed = run(*arguments, program=("sh", "-c", 'exec "$0" "$@" >&-', *PROGRAM))

    assert closed == Ended(141, "", "Error: stdout is closed\n")


def test_an_error_that_stderr_cannot_take_is_no_result() -> None:
    assert run("parse", "--nope", program=("sh", "-c", 'exec "$0" "$@" 2>&-', *PROGRAM)) == Ended(2, "", "")


@pytest.mark.parametrize(
    ("arguments", "unbuffered"),
    [
        (["parse"], ""),
        (["parse"], "1"),
        (["parse", "-h"], "1"),
        *at_length([], [(["--help"], ""), (["--help"], "1"), (["parse", "-h"], "")]),
    ],
)
def test_a_reader_that_stops_in_the_middle_is_told_apart_from_one_that_read_all(
    arguments: list[str], unbuffered: str
) -> None:
    reading, writing = os.pipe()
    process = started(*arguments, stdin=subprocess.PIPE, stdout=writing, PYTHONUNBUFFERED=unbuffered)
    os.close(writing)
    os.close(reading)

    assert ended(process, json.dumps(LONG).encode()).code == 141


def test_all_of_a_long_result_reaches_a_slow_reader_without_a_buffer() -> None:
    whole = run("parse", stdin=json.dumps(LONG).encode(), PYTHONUNBUFFERED="1")

    assert (whole.code, json.loads(whole.stdout)) == (0, LONG)


@pytest.mark.parametrize("arguments", [["parse"], ASKED])
def test_reader_of_stderr_that_has_gone_takes_no_result_with_it(arguments: list[str]) -> None:
    with unread() as pipe:
        result = ended(started(*arguments, stdin=subprocess.PIPE, stderr=pipe), b"{'a': 1}")

    assert (result.code, bool(json.loads(result.stdout))) == (0, True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [["parse", CLEAN_VERDICT], ["--help"], *at_length([], [["--version"], ["demo"]])])
def test_a_full_disk_is_one_line(arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        failed = ended(started(*arguments, stdout=full.fileno()))

    assert failed == Ended(2, "", "Error: cannot write the output: No space left on device\n")


@pytest.mark.parametrize(
    ("keys", "code", "said"),
    [
        (b"\x04", 2, "Error: nothing was typed; name a file, or pipe a text into llm-output"),
        (b'{"a": 1}\n\x04', 0, None),
    ],
    ids=["Ctrl-D", "a text"],
)
def test_what_is_typed_at_a_terminal_is_parsed_after_a_hint(keys: bytes, code: int, said: str | None) -> None:
    keyboard, terminal = pty.openpty()
    with closing(keyboard, terminal):
        os.write(keyboard, keys)
        typed = ended(started("parse", stdin=terminal))

    hint, *error = typed.stderr.splitlines()
    assert (typed.code, error) == (code, [said] if said else [])
    assert hint.startswith("Reading from the terminal")


def test_a_terminal_gets_the_table_in_colour() -> None:
    screen, terminal = pty.openpty()
    with closing(screen):
        with closing(terminal):
            assert ended(started("agents", stdout=terminal)).code == 0
        shown = os.read(screen, 100_000).decode()

    assert "\x1b[1m" in shown
    assert "technical_analyst" in shown


def test_a_result_is_written_though_the_terminal_of_stderr_has_gone(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    screen, terminal = pty.openpty()
    process = started("parse", str(fifo), stderr=terminal)
    with ending(process), closing(terminal):
        with fifo.open("wb") as text:  # opens once the program has opened it to read
            os.close(screen)
            text.write(b"{a: 1}")
        result = ended(process)

    assert (result.code, json.loads(result.stdout)) == (0, {"a": 1})


@pytest.mark.usefixtures("ignored_sigint")
def test_ctrl_c_while_reading_is_one_line(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    process = started("parse", str(fifo))
    with ending(process), fifo.open("wb"):  # opens once the program has opened it to read
        process.send_signal(signal.SIGINT)
        assert ended(process) == Ended(130, "", "Error: interrupted\n")


def test_megabytes_are_refused_in_a_few_words_and_shown_by_an_excerpt(tmp_path: Path) -> None:
    lines, line = tmp_path / "garbage.txt", tmp_path / "line.txt"
    lines.write_text('lorem {ipsum: [dolor}, "sit \x1b[31m中\n' * at_length(30_000, 350_000))
    line.write_text('{"a": "' + "长" * at_length(1_000_000, 10_000_000))
    refused = [run("parse", str(file)) for file in (lines, line)]

    assert [(one.code, one.stdout) for one in refused] == [(1, "")] * 2
    assert len(refused[0].stderr) < 2000
    assert max(map(len, refused[1].stderr.splitlines())) < 200
