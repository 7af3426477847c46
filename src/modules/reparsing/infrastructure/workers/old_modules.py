"""Another code base beside this one in one process, also where both have a package of the same name."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

_OURS = __name__.partition(".")[0]


class OldModules:
    """The modules of the old parser's code base.

    Python knows one module of a name. While the old code runs, our own package is not among the known ones, so that the
    old code imports its own package of that name, at its first import and inside its functions.
    """

    def __init__(self) -> None:
        """Hide nothing yet. What of ours is imported later than this is not hidden."""
        self._ours = _taken()
        sys.modules.update(self._ours)
        self._theirs: dict[str, ModuleType] = {}

    @contextmanager
    def known(self) -> Iterator[None]:
        """While the old code runs. Nothing of ours may be imported meanwhile."""
        for name in self._ours:
            sys.modules.pop(name, None)
        sys.modules.update(self._theirs)
        count = len(sys.modules)
        try:
            yield
        finally:
            if self._theirs or len(sys.modules) != count:
                self._theirs = _taken()
            sys.modules.update(self._ours)


def _taken() -> dict[str, ModuleType]:
    """The modules of the package that has our name, taken out of the known ones."""
    names = [name for name in list(sys.modules) if name.startswith(_OURS) and name.partition(".")[0] == _OURS]
    return {name: sys.modules.pop(name) for name in names}
