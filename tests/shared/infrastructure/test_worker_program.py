"""The program of a worker, by its two streams."""

import io
import pickle
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from src.shared.infrastructure import processes
from src.shared.infrastructure.processes import Limits, Piece, Request, Task, pack, work

HANDLERS = "tests.shared.infrastructure.handlers"


def answers(*requests: object) -> list[Any]:
    """What a worker answers to these requests."""
    answered = io.BytesIO()
    work(io.BytesIO(b"".join(map(pack, requests))), answered)
    answered.seek(0)
    messages = []
    while head := answered.read(len(pack(None)) - len(pickle.dumps(None))):
        messages.append(pickle.loads(answered.read(int.from_bytes(head))))  # noqa: S301 - written above
    return messages


@pytest.fixture(autouse=True)
def unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_limit_memory", lambda _megabytes: None)  # of the process that runs the tests


DOUBLING = (Task(f"{HANDLERS}:Doubling"), Limits())


def test_items_are_handled_and_the_last_piece_says_so() -> None:
    assert answers(DOUBLING, Request((1, 2))) == ["", Piece([2, 4], 2, is_last=True)]


def test_items_one_by_one_are_answered_one_by_one() -> None:
    pieces = [Piece([2], 1), Piece([4], 1, is_last=True)]
    assert answers(DOUBLING, Request((1, 2), one_by_one=True)) == ["", *pieces]


def test_requests_are_handled_until_there_are_none() -> None:
    assert answers(DOUBLING, Request((1,)), Request((2,)))[2] == Piece([4], 1, is_last=True)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such timer")
def test_processor_time_of_one_request_is_not_that_of_the_next() -> None:
    assert answers(DOUBLING, Request((1,), processor_seconds=3_600))[1:] == [Piece([2], 1, is_last=True)]
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)


def test_handler_that_cannot_be_made_is_told() -> None:
    start = (Task(f"{HANDLERS}:none"), Limits())
    assert answers(start) == ["LookupError: no such type"]


def test_error_of_ours_is_told_in_its_own_words() -> None:
    start = (Task(f"{HANDLERS}:unusable"), Limits())
    assert answers(start) == ["it is async"]


def test_modules_of_the_users_are_found_in_the_folder_of_the_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "shop_handlers.py").write_text(f"from {HANDLERS} import Doubling")
    task = Task("shop_handlers:Doubling", folder=str(tmp_path))
    for _ in range(2):
        assert task.handler().take() == []
    assert sys.path.count(str(tmp_path)) == 1
