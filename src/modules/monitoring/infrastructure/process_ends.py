"""Forks and ends of a process, which a thread that writes has to know of."""

from __future__ import annotations

import atexit
import os
import sys
import weakref
from collections.abc import Callable
from typing import Any, Protocol


class Forking(Protocol):
    """What is told when its process forks."""

    def before_fork(self) -> None:
        """The process is about to fork: nothing may be open that the child would share."""
        ...

    def after_fork(self, *, in_child: bool) -> None:
        """It has forked."""
        ...


_FORKING: weakref.WeakSet[Any] = weakref.WeakSet()


def tell_of_forks(one: Forking) -> None:
    """Tell an object of every fork of this process, and of its children's, as long as somebody holds it."""
    _FORKING.add(one)


def tell_of_end(close: Callable[[], None]) -> None:
    """Call a function when this process ends by itself; also where it is a child of `multiprocessing`."""
    atexit.register(close)
    if "multiprocessing" in sys.modules:  # its children skip `atexit`
        from multiprocessing.util import Finalize  # noqa: PLC0415 - see above

        Finalize(None, close, exitpriority=0)


def _before() -> None:
    for one in list(_FORKING):
        one.before_fork()


def _in_parent() -> None:
    for one in list(_FORKING):
        one.after_fork(in_child=False)


def _in_child() -> None:
    for one in list(_FORKING):
        one.after_fork(in_child=True)


if hasattr(os, "register_at_fork"):  # pragma: no branch - Windows has no fork
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
