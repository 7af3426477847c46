"""`llm-output batch` as a process: Ctrl-C, a package `src` of the user's own, a full disk."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from src.entrypoints.cli.exit_codes import ExitCode
from tests.entrypoints.cli.harness import PROGRAM, ROOT, environment, invoke, run
from tests.processes import ending


def source(folder: Path, count: int) -> str:
    file = folder / "in.jsonl"
    file.write_text("".join(f'{{"text": "{{}}", "id": "{number}"}}\n' for number in range(count)))
    return str(file)


@pytest.mark.usefixtures("ignored_sigint")
@pytest.mark.skipif(os.name != "posix", reason="there is no SIGINT for another process on Windows")
def test_ctrl_c_ends_the_run_with_its_workers_and_says_how_to_go_on(tmp_path: Path) -> None:
    command = (*PROGRAM, "batch", source(tmp_path, 100_000), "--out", str(tmp_path / "out"), "--workers", "2")
    with ending(
        subprocess.Popen(  # noqa: S603 - our own program
            command, cwd=ROOT, env=environment(), stderr=subprocess.PIPE, start_new_session=True
        )
    ) as batch:
        until = time.monotonic() + 60
        while not list((tmp_path / "out" / "parts").glob("0-*")) and time.monotonic() < until:
            time.sleep(0.05)
        os.killpg(batch.pid, signal.SIGINT)  # as a terminal sends it
        said = batch.communicate(timeout=60)[1].decode()
        workers = _group(batch.pid)
    assert batch.returncode == ExitCode.INTERRUPTED
    assert "go on with --resume" in said
    assert "Traceback" not in said
    assert workers == []


def _group(group: int) -> list[int]:
    """The processes that are left of a group."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return []
    return [group]


def test_package_src_of_the_users_own_is_not_mistaken_for_this_one(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "__init__.py").write_text("raise RuntimeError('the wrong package')")
    (tmp_path / "shop.py").write_text("from pydantic import BaseModel\nclass Order(BaseModel):\n    number: int\n")
    (tmp_path / "in.jsonl").write_text(json.dumps({"text": '{"number": 7}'}))
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from src.entrypoints.cli.main import run; run()"
    ended = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-P", "-c", program, "batch", "in.jsonl", "--out", "out", "--dto", "shop:Order"],
        cwd=tmp_path, capture_output=True, check=False,
    )  # fmt: skip
    assert (ended.returncode, (tmp_path / "out" / "refused.jsonl").read_text()) == (0, "")


@pytest.mark.skipif(not sys.platform.startswith("linux") or os.geteuid() != 0, reason="only root mounts a small disk")
def test_full_disk_is_told_in_a_line_and_the_run_goes_on_where_there_is_room(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    mounted = subprocess.run(mount, check=False, capture_output=True)  # noqa: S603 - our own command
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.decode().strip()}")
    command = ("batch", source(tmp_path, 6_000), "--out", str(disk / "out"), "--workers", "1", "--resume")
    try:
        ended = run(*command)
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)  # noqa: S603, S607
        resumed = invoke(*command)
        lines = (disk / "out" / "parsed.jsonl").read_bytes().count(b"\n")
    finally:
        subprocess.run(["umount", disk], check=True)  # noqa: S603, S607
    assert (ended.code, resumed.code, lines) == (ExitCode.USAGE, ExitCode.OK, 6_000)
    assert "No space left on device" in ended.stderr
    assert "Traceback" not in ended.stderr
