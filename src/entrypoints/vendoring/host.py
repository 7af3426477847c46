"""What a code base has already: classes by their name, found without importing anything."""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_NOT_THE_HOSTS = frozenset({"__pycache__", "node_modules", "site-packages"})


@dataclass(frozen=True)
class HostClass:
    """A class of the host.

    Attributes:
        path: its file, from the top of the code base.
        line: the line it begins on.
    """

    path: Path
    line: int

    @property
    def module(self) -> str:
        """The module, as the host imports it from the top of its code base."""
        parts = self.path.with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def classes_named(name: str, top: Path, *, outside: Path) -> list[HostClass]:
    """The classes of that name at the top level of a module of the code base.

    Args:
        name: the class's name.
        top: the code base's folder. Hidden folders, virtual environments and installed packages are not looked into.
        outside: a folder within it that is not the host's.
    """
    return [
        HostClass(path.relative_to(top), line)
        for path in sorted(_modules(top, outside))
        for line in _lines_of_class(path, name)
    ]


def _modules(top: Path, outside: Path) -> Iterator[Path]:
    for folder, names, files in os.walk(top):
        here = Path(folder)
        names[:] = [name for name in names if here / name != outside and _may_be_the_hosts(here / name)]
        yield from (here / name for name in files if name.endswith(".py"))


def _may_be_the_hosts(folder: Path) -> bool:
    hidden = folder.name.startswith(".") or folder.name in _NOT_THE_HOSTS
    return not hidden and not (folder / "pyvenv.cfg").exists()


def _lines_of_class(path: Path, name: str) -> Iterator[int]:
    try:
        code = path.read_bytes()
        statements = _statements(code) if f"class {name}".encode() in code else []
    except (OSError, SyntaxError, ValueError):  # what cannot be imported has no classes
        return
    yield from (node.lineno for node in statements if isinstance(node, ast.ClassDef) and node.name == name)


def _statements(code: bytes) -> list[ast.stmt]:
    with warnings.catch_warnings():  # about the host's code, which nobody asked us about
        warnings.simplefilter("ignore")
        return ast.parse(code).body
