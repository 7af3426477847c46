"""What a worker does, as it is told: a function by its name, which makes the handler of its items."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol, TypeVar, cast

R_co = TypeVar("R_co", covariant=True)


class Handler(Protocol[R_co]):
    """Handles items one by one and gives what came of them in pieces."""

    def handle(self, item: Any) -> None:  # noqa: ANN401 - what the task is about
        """Handle the next item."""
        ...

    def take(self) -> R_co:
        """What came of the items since the last time."""
        ...


@dataclass(frozen=True)
class Task:
    """A handler by the name of the function that makes it.

    Attributes:
        function: `package.module:function`.
        arguments: what it is called with; anything that can be pickled.
        folder: where modules of the user's are imported from besides; the current directory of whoever asks.
    """

    function: str
    arguments: dict[str, Any] = field(default_factory=dict)
    folder: str = ""

    def handler(self) -> Handler[Any]:
        """Make the handler.

        Raises:
            Exception: whatever the import or the function raises.
        """
        if self.folder and self.folder not in sys.path:
            sys.path.insert(0, self.folder)
        return cast("Handler[Any]", function_named(self.function)(**self.arguments))


@dataclass(frozen=True)
class Limits:
    """What one item may take.

    Attributes:
        seconds: time for one item.
        megabytes: memory for the items beside what the worker takes before the first; 0 is no limit.
    """

    seconds: float = 60.0
    megabytes: int = 2048


def function_named(name: str) -> Callable[..., Any]:
    """Import a function by `package.module:function`."""
    module, _, function = name.partition(":")
    return cast("Callable[..., Any]", getattr(import_module(module), function))
