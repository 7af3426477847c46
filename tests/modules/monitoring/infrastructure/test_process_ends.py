"""Who is told when a process forks, or ends."""

from __future__ import annotations

import atexit
import multiprocessing.util
import sys
import weakref
from typing import Any

import pytest

from src.modules.monitoring.infrastructure import writers as process_ends


class Told:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def before_fork(self) -> None:
        self.heard.append("before")

    def after_fork(self, *, in_child: bool) -> None:
        self.heard.append("child" if in_child else "parent")


def test_fork_is_told_before_and_after_in_parent_and_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_ends, "_FORKING", weakref.WeakSet())
    told = Told()
    process_ends._FORKING.add(told)  # type: ignore[arg-type]  # noqa: SLF001 - in place of a writer
    process_ends._before_fork()  # noqa: SLF001 - what Python calls when the process forks
    process_ends._after_fork(in_child=False)  # noqa: SLF001 - as above
    process_ends._after_fork(in_child=True)  # noqa: SLF001 - as above
    assert told.heard == ["before", "parent", "child"]


@pytest.mark.parametrize("is_loaded", [True, False])
def test_end_is_told_to_multiprocessing_where_it_is_in_use(
    monkeypatch: pytest.MonkeyPatch,
    is_loaded: bool,  # noqa: FBT001 - a case
) -> None:
    told: list[str] = []

    def finalize(_: None, __: Any, **___: int) -> None:  # noqa: ANN401 - whatever is called
        told.append("multiprocessing")

    monkeypatch.setattr(atexit, "register", lambda _: told.append("atexit"))
    monkeypatch.setattr(multiprocessing.util, "Finalize", finalize)
    if not is_loaded:
        monkeypatch.delitem(sys.modules, "multiprocessing")
    process_ends.tell_of_end(lambda: None)
    assert told == (["atexit", "multiprocessing"] if is_loaded else ["atexit"])
