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

RECORDING = "examples/ask/verdict.jsonl"


def _run_on(arguments: list[str], stdin: int, stdout: int) -> Ended:
    """Run with file descriptors of the test's choice."""
    process = subprocess.run(  # noqa: S603 - our own program
        [*PROGRAM, *arguments],
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=environment(),
        cwd=ROOT,
        check=False,
    )
    return Ended(process.returncode, "", process.stderr.decode())


@contextlib.contextmanager
def _closing(*descriptors: int) -> Iterator[None]:
    try:
        yield
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def test_the_json_is_utf_8_whatever_the_locale() -> None:
    ended = run("parse", stdin='{"结论": "持有"}'.encode(), PYTHONIOENCODING="ascii")

    assert json.loads(ended.stdout) == {"结论": "持有"}


def test_a_text_that_stderrs_encoding_lacks_is_escaped() -> None:
    ended = run("parse", stdin=b"", PYTHONIOENCODING="ascii")

    assert (ended.code, "Traceback" in ended.stderr) == (1, False)
    assert r"\u4e3a\u7a7a" in ended.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["parse", CLEAN_VERDICT],
        ["agents"],
        ["--version"],
        *at_length([], [["schema", "--agent", "verdict"], ["demo"]]),
    ],
)
def test_a_reader_that_has_gone_away_is_met_with_silence(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with _closing(writing):
        ended = _run_on(arguments, subprocess.DEVNULL, writing)

    assert ended == Ended(141, "", "")


@pytest.mark.parametrize(
    "arguments", [["check", str(RECORDINGS)], *at_length([], [["parse", CLEAN_VERDICT], ["demo"]])]
)
def test_a_closed_stdout_is_one_line(arguments: list[str]) -> None:
    ended = run(*arguments, program=("sh", "-c", 'exec "$0" "$@" >&-', *PROGRAM))

    assert ended == Ended(141, "", "Error: stdout is closed\n")


def test_an_error_that_stderr_cannot_take_is_no_result() -> None:
    ended = run("parse", "--nope", program=("sh", "-c", 'exec "$0" "$@" 2>&-', *PROGRAM))

    assert ended == Ended(2, "", "")


@pytest.mark.parametrize(
    ("arguments", "unbuffered"),
    [
        (["parse"], ""),
        (["parse"], "1"),
        (["--help"], ""),
        (["parse", "-h"], "1"),
        *at_length([], [(["--help"], "1"), (["parse", "-h"], "")]),
    ],
)
def test_a_reader_that_stops_in_the_middle_is_told_apart_from_one_that_read_all(
    arguments: list[str], unbuffered: str
) -> None:
    reading, writing = os.pipe()
    process = subprocess.Popen(  # noqa: S603 - our own program
        [*PROGRAM, *arguments],
        stdin=subprocess.PIPE,
        stdout=writing,
        stderr=subprocess.DEVNULL,
        env=environment(PYTHONUNBUFFERED=unbuffered),
        cwd=ROOT,
    )
    os.close(writing)
    os.close(reading)
    process.communicate(json.dumps({"a": [1] * 100_000}).encode(), LIMIT)

    assert process.returncode == 141


def test_all_of_a_long_result_reaches_a_slow_reader_without_a_buffer() -> None:
    long = {"a": [1] * 100_000}

    ended = run("parse", stdin=json.dumps(long).encode(), PYTHONUNBUFFERED="1")

    assert (ended.code, json.loads(ended.stdout)) == (0, long)


def test_a_reader_of_both_streams_that_has_gone_away_is_met_with_silence() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with _closing(writing):
        process = subprocess.run(  # noqa: S603 - our own program
            [*PROGRAM, "agents"], stdout=writing, stderr=writing, env=environment(), cwd=ROOT, check=False
        )

    assert process.returncode == 141


@pytest.mark.parametrize("arguments", [["parse"], ["ask", "--agent", "verdict", "--stream", "--replay", RECORDING]])
def test_reader_of_stderr_that_has_gone_takes_no_result_with_it(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with _closing(writing):
        process = subprocess.run(  # noqa: S603 - our own program
            [*PROGRAM, *arguments],
            input=b"{'a': 1}",
            stdout=subprocess.PIPE,
            stderr=writing,
            env=environment(),
            cwd=ROOT,
            check=False,
        )

    assert (process.returncode, list(json.loads(process.stdout))[:1] != []) == (0, True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [["parse", CLEAN_VERDICT], ["--version"], ["--help"], *at_length([], [["demo"]])])
def test_a_full_disk_is_one_line(arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = _run_on(arguments, subprocess.DEVNULL, full.fileno())

    assert ended == Ended(2, "", "Error: cannot write the output: No space left on device\n")


def test_nothing_typed_at_a_terminal_is_one_line_after_the_hint() -> None:
    keyboard, terminal = pty.openpty()
    with _closing(keyboard, terminal):
        os.write(keyboard, b"\x04")  # Ctrl-D
        ended = _run_on(["parse"], terminal, subprocess.DEVNULL)

    hint, error = ended.stderr.splitlines()
    assert ended.code == 2
    assert hint.startswith("Reading from the terminal")
    assert error == "Error: nothing was typed; name a file, or pipe a text into llm-output"


def test_a_text_typed_at_a_terminal_is_parsed() -> None:
    keyboard, terminal = pty.openpty()
    with _closing(keyboard, terminal):
        os.write(keyboard, b'{"a": 1}\n\x04')
        ended = _run_on(["parse"], terminal, subprocess.DEVNULL)

    assert ended.code == 0


def test_a_terminal_gets_the_table_in_colour() -> None:
    screen, terminal = pty.openpty()
    with _closing(screen):
        with _closing(terminal):
            ended = _run_on(["agents"], subprocess.DEVNULL, terminal)
        shown = os.read(screen, 100_000).decode()

    assert ended.code == 0
    assert "\x1b[1m" in shown
    assert "technical_analyst" in shown


def test_a_result_is_written_though_the_terminal_of_stderr_has_gone(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    screen, terminal = pty.openpty()
    process = subprocess.Popen(  # noqa: S603 - our own program
        [*PROGRAM, "parse", str(fifo)], stdout=subprocess.PIPE, stderr=terminal, env=environment(), cwd=ROOT
    )
    with ending(process), _closing(terminal):
        with fifo.open("wb") as text:  # opens once the program has opened it to read
            os.close(screen)
            text.write(b"{a: 1}")
        result, _ = process.communicate(timeout=60)

    assert (process.returncode, json.loads(result)) == (0, {"a": 1})


@pytest.mark.usefixtures("ignored_sigint")
def test_ctrl_c_while_reading_is_one_line(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    process = subprocess.Popen(  # noqa: S603 - our own program
        [*PROGRAM, "parse", str(fifo)], stderr=subprocess.PIPE, env=environment(), cwd=ROOT
    )
    with ending(process), fifo.open("wb"):  # opens once the program has opened it to read
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)

    assert process.returncode == 130
    assert said == b"Error: interrupted\n"


def test_megabytes_of_garbage_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "garbage.txt"
    file.write_text('lorem {ipsum: [dolor}, "sit \x1b[31m中\n' * at_length(30_000, 350_000))

    ended = run("parse", str(file), "--agent", "verdict")

    assert (ended.code, ended.stdout) == (1, "")
    assert len(ended.stderr) < 2000


def test_megabytes_in_one_line_are_shown_by_an_excerpt(tmp_path: Path) -> None:
    file = tmp_path / "line.txt"
    file.write_text('{"a": "' + "长" * at_length(1_000_000, 10_000_000))

    ended = run("parse", str(file))

    assert (ended.code, ended.stdout) == (1, "")
    assert max(map(len, ended.stderr.splitlines())) < 200
