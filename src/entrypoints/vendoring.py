"""The parser's files in another project: which they are, under another import root, and copying them.

Imports the standard library only: the wheel is built with this, where nothing else is installed.
A manifest in the host's folder lists which files are ours, and no others are touched.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = __name__.partition(".")[0]
"""The import root that is replaced: `src` in a checkout, `llm_output` where it is installed."""
FACE = "llm_output"
"""The package whose one module imports every public name of the parser; what these need is what is copied."""
_INIT = "__init__.py"


def parser_files(src: Traversable, face: Traversable, package: str) -> dict[str, str]:
    """Every file that the public names need, with imports of our root turned into imports of `package`.

    Args:
        src: the folder of the import root.
        face: the folder of the package `llm_output`, whose module stands at the top of the new package.
        package: the new import root, such as `shop.llm_output`.

    Returns:
        The texts by their paths within `package`, with slashes.
    """
    texts = {_INIT: (face / _INIT).read_text(encoding="utf-8")}
    waiting = list(_modules(texts[_INIT]))
    while waiting:
        path = _path_of(waiting.pop(), src)
        if path is not None and path not in texts:
            texts[path] = src.joinpath(*path.split("/")).read_text(encoding="utf-8")
            waiting += _modules(texts[path])
    rewritten = {path: rewritten_for(package, text) for path, text in sorted(texts.items())}
    return rewritten | {"py.typed": ""}


def requirements_of(files: Mapping[str, str], requirements: Iterable[str]) -> list[str]:
    """Those of the requirements (`pydantic>=2.10`) whose package one of the files imports."""
    imported = {name for path, text in files.items() if path.endswith(".py") for name in _packages(text)}
    return [requirement for requirement in requirements if _import_name(requirement) in imported]


def _import_name(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0].replace("-", "_").lower()


def _packages(text: str) -> Iterator[str]:
    """The packages that a module imports and that Python does not come with."""
    for node in _imports(text):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        yield from {name.partition(".")[0] for name in names} - sys.stdlib_module_names


@cache
def _imports(text: str) -> tuple[ast.Import | ast.ImportFrom, ...]:
    return tuple(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom))


def _our_imports(text: str) -> Iterator[tuple[ast.ImportFrom, list[str]]]:
    """The statements that import from our root, with the parts of the module's name after it."""
    for node in _imports(text):
        if isinstance(node, ast.ImportFrom) and node.module:
            first, *parts = node.module.split(".")
            if first == ROOT:
                yield node, parts


def _modules(text: str) -> Iterator[tuple[str, ...]]:
    """What a module imports from our root: packages, modules, and names that may be modules or not."""
    for node, parts in _our_imports(text):
        yield from (tuple(parts[: length + 1]) for length in range(len(parts)))
        yield from ((*parts, alias.name) for alias in node.names)


def _path_of(module: tuple[str, ...], src: Traversable) -> str | None:
    """The file of a module, by its path within our root; None for a name that is none."""
    candidates = ((*module, _INIT), (*module[:-1], f"{module[-1]}.py"))
    return next(("/".join(parts) for parts in candidates if src.joinpath(*parts).is_file()), None)


def rewritten_for(package: str, text: str) -> str:
    """A module's text, with imports of our root turned into imports of the package."""
    lines = text.split("\n")
    for node, _ in _our_imports(text):
        lines[node.lineno - 1] = re.sub(rf"\bfrom {ROOT}\b", f"from {package}", lines[node.lineno - 1], count=1)
    return "\n".join(lines)


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
    found = []
    for folder, names, files in os.walk(top):
        here = Path(folder)
        names[:] = [each for each in names if here / each != outside and _may_be_the_hosts(here / each)]
        for path in (here / each for each in files if each.endswith(".py")):
            found += [HostClass(path.relative_to(top), line) for line in _lines_of_class(path, name)]
    return sorted(found, key=lambda each: each.path)


def _may_be_the_hosts(folder: Path) -> bool:
    hidden = folder.name.startswith(".") or folder.name in _NOT_THE_HOSTS
    return not hidden and not (folder / "pyvenv.cfg").exists()


def _lines_of_class(path: Path, name: str) -> list[int]:
    try:
        code = path.read_bytes()
        if f"class {name}".encode() not in code:
            return []
        with warnings.catch_warnings():  # about the host's code, which nobody asked us about
            warnings.simplefilter("ignore")
            statements = ast.parse(code).body
    except (OSError, SyntaxError, ValueError):  # what cannot be imported has no classes
        return []
    return [node.lineno for node in statements if isinstance(node, ast.ClassDef) and node.name == name]


MANIFEST = "vendored.json"
"""Beside the files: what was copied, and the SHA-256 of each."""


class InTheWayError(Exception):
    """Files of the host stand where files are to be copied to; nothing was written.

    Attributes:
        paths: their paths within the folder.
    """

    def __init__(self, paths: tuple[str, ...]) -> None:
        super().__init__(", ".join(paths))
        self.paths = paths


@dataclass(frozen=True)
class Copied:
    """What a copy did, as paths within the folder.

    Attributes:
        written: files that are new or have another text than before.
        unchanged: files that already had their text.
        removed: files that an earlier copy wrote and that are no longer needed.
        kept: files that the host has changed since they were copied, and that were left as they are.
    """

    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]
    kept: tuple[str, ...]


def copy_files(files: Mapping[str, str], folder: Path, about: Mapping[str, str]) -> Copied:
    """Copy files into a folder, or bring an earlier copy up to date.

    Args:
        files: the texts by their paths within the folder, with slashes.
        folder: where they go; made if it is not there.
        about: where they come from; goes into the manifest.

    Raises:
        InTheWayError: there are files that no earlier copy wrote, or the manifest is not one of ours.
        OSError: something cannot be read or written.
    """
    before = _manifest_in(folder)
    wanted = {path: _hash(text.encode()) for path, text in files.items()}
    found = {path: _hash_of(folder / path) for path in wanted.keys() | before.keys()}
    in_the_way = [path for path in wanted if found[path] not in {None, wanted[path], before.get(path, wanted[path])}]
    foreign = tuple(path for path in in_the_way if path not in before)
    if foreign:
        raise InTheWayError(foreign)
    stale = [path for path in before if path not in wanted and found[path] is not None]
    removed = tuple(path for path in stale if found[path] == before[path])
    kept = (*in_the_way, *(path for path in stale if path not in removed))
    written = tuple(path for path in wanted if found[path] != wanted[path] and path not in kept)
    for path in written:
        _write(folder / path, files[path])
    for path in removed:
        (folder / path).unlink()
    hashes = {path: value for path, value in wanted.items() if path not in kept} | {path: before[path] for path in kept}
    _write(folder / MANIFEST, json.dumps({**about, "files": dict(sorted(hashes.items()))}, indent=2) + "\n")
    unchanged = tuple(path for path in wanted if path not in {*written, *kept})
    return Copied(written, unchanged, removed, kept)


def _manifest_in(folder: Path) -> dict[str, str]:
    """The hashes of an earlier copy, by path; empty where there is none.

    Raises:
        InTheWayError: the file is not a manifest of ours.
    """
    try:
        files: Any = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError) as error:
        raise InTheWayError((MANIFEST,)) from error
    if not isinstance(files, dict) or not all(map(_is_within, files)):
        raise InTheWayError((MANIFEST,))
    return {path: str(value) for path, value in files.items()}


def _is_within(path: str) -> bool:
    """Whether a path of a manifest cannot lead out of its folder."""
    parts = PurePosixPath(path)
    return not parts.is_absolute() and ".." not in parts.parts and ":" not in path and "\\" not in path


def _hash_of(path: Path) -> str | None:
    """The hash of a file, None where there is none; what is no plain file has one that no text has."""
    if path.is_symlink() or path.is_dir():
        return ""
    return _hash(path.read_bytes()) if path.exists() else None


def _hash(data: bytes) -> str:
    """The same for both kinds of line ends, which version control may exchange."""
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8", newline="\n")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
