"""What a bulk benchmark measures: a run of `llm-output batch`, and a bare loop over the same texts in one process.

`python -m tools.benchmarks.bulk_runs LOOP FILE` is the process of a loop; it prints what it measured as JSON.
"""

from __future__ import annotations

import json
import logging
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from importlib import import_module
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

from src.shared.infrastructure.llm_json import decode_llm_json
from tests.processes import ending

ROOT = Path(__file__).parents[2]
OURS = "decode_llm_json"
LOOPS = {
    OURS: ("tools.benchmarks.bulk_runs", "ours"),
    "json_repair": ("json_repair", "loads"),
    "fast-json-repair": ("fast_json_repair", "loads"),
}
"""The bare loops: module and function of each."""
_LONGEST = 7_200.0
"""Seconds that a run takes at most."""
_SAMPLE_EVERY = 0.2


class Took(NamedTuple):
    """What a run took.

    Attributes:
        wall: seconds.
        cpu: seconds of processor time, user and system, of all its processes.
        texts: how many texts came out of it.
        read: how many of them as an object or a list.
        memory: the most that all its processes held together, in bytes (PSS), where that was sampled.
    """

    wall: float
    cpu: float
    texts: int
    read: int
    memory: int = 0


def ours(text: str) -> object:
    """The data of a text; the repairs are asked for too, since a run stores them."""
    decoded = decode_llm_json(text)
    _ = decoded.repairs
    return decoded.data


def write_lines(file: Path, lines: Sequence[bytes], size: int) -> None:
    """Write the lines over and over, until the file has `size` bytes."""
    left = size
    with file.open("wb") as out:
        for line in cycle(lines):
            left -= out.write(line)
            if left <= 0:
                return


def batch(file: Path, workers: int, *, sampled: bool = False) -> Took:
    """One run of `llm-output batch` over a file of JSON lines; its outputs are removed."""
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        out = Path(folder) / "out"
        options = ("batch", str(file), "--out", str(out), "--workers", str(workers))
        command = (sys.executable, "-m", "src.entrypoints.cli.main", *options)
        before, begun = _children(), time.perf_counter()
        started = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)  # noqa: S603 - our own command
        with ending(started) as process:
            memory = _most_memory(process) if sampled else 0
            _, told = process.communicate(timeout=_LONGEST)
        wall, cpu = time.perf_counter() - begun, _children() - before
        if process.returncode:
            raise RuntimeError(told.decode())
        counts: dict[str, int] = json.loads((out / "tally.json").read_bytes())["counts"]
        read = counts["clean"] + counts["repaired"]
        return Took(wall, cpu, read + counts["refused"], read, memory)


def loops(name: str, files: Sequence[Path]) -> list[Took]:
    """The bare loop over the texts of each file, side by side, each in a process of its own."""
    command = (sys.executable, "-m", "tools.benchmarks.bulk_runs", name)
    with ExitStack() as stack:
        processes = [
            stack.enter_context(ending(subprocess.Popen([*command, str(file)], cwd=ROOT, stdout=subprocess.PIPE)))  # noqa: S603 - our own command
            for file in files
        ]
        printed = [process.communicate(timeout=_LONGEST)[0] for process in processes]
    return [Took(*json.loads(each)) for each in printed]


def bare_loop(name: str, file: Path) -> Took:
    """The bare loop, here: the texts are in memory before it begins, and what comes of them is dropped."""
    module, function = LOOPS[name]
    read: Callable[[str], Any] = getattr(import_module(module), function)
    with file.open("rb") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    objects, wall, cpu = 0, time.perf_counter(), time.process_time()
    for text in texts:
        try:
            value = read(text)
        except Exception:  # noqa: BLE001, S112 - whatever a library raises is its refusal
            continue
        objects += isinstance(value, dict | list)
    return Took(time.perf_counter() - wall, time.process_time() - cpu, len(texts), objects)


def _most_memory(process: subprocess.Popen[bytes]) -> int:
    most = 0
    while process.poll() is None:
        most = max(most, sum(map(_proportional_memory, _family(process.pid))))
        time.sleep(_SAMPLE_EVERY)
    return most


def _family(pid: int) -> Iterator[int]:
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in _content(children).split():
            yield from _family(int(child))


def _proportional_memory(pid: int) -> int:
    """What a process holds, its share of shared pages among it, in bytes; 0 where it has just ended."""
    lines = _content(Path(f"/proc/{pid}/smaps_rollup")).splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def _content(file: Path) -> str:
    try:
        return file.read_text("ascii")
    except OSError:  # the process has ended meanwhile
        return ""


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    logging.disable()
    print(json.dumps(bare_loop(sys.argv[1], Path(sys.argv[2]))))
