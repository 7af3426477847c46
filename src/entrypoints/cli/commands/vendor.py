"""`llm-output vendor`: the parser's files in another project; a manifest beside them says which are ours."""

from __future__ import annotations

import ast
import hashlib
import json
import keyword
import os
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import typer

from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.options import command
from src.entrypoints.cli.plain_output import spoken, visible, write_stdout
from src.entrypoints.cli.screen import say
from src.entrypoints.vendoring import FACE, ROOT, parser_files
from src.shared.domain.exceptions import AppException
from src.shared.infrastructure.distribution import DISTRIBUTION
from src.shared.infrastructure.files import replace_file

EXAMPLES = ("llm-output vendor .", "llm-output vendor . --package src.llm_output")
MANIFEST = "vendored.json"
"""Beside the files: what was copied, and the SHA-256 of each."""
_SHOWN = 5
_NOT_THE_HOSTS = frozenset({"__pycache__", "node_modules", "site-packages"})
_JOIN = """\

    from {package} import AgentOutput
    from {module} import AppException

    class LLMOutputParseError(AppException):
        def __init__(self, message: str, *, details: dict) -> None:
            super().__init__(message, details=details)  # and what else yours needs

    REVIEW = AgentOutput("review", Review, error_type=LLMOutputParseError)"""


@command()
def vendor(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that your code base imports from.")],
    package: Annotated[
        str, typer.Option(metavar="NAME", help="The package to make in it, such as `src.llm_output`.")
    ] = FACE,
) -> None:
    """Copy the parser into your own code base.

    Copies the files that the public names of `llm_output` need, with their imports rewritten to NAME. Run it again to
    update the copy. A file that the command did not write is never changed; one of the copy that you have changed is
    named and left as it is. What your code base has already, an `AppException`, is named, and how the two are joined.
    """
    if not folder.is_dir():
        raise CommandError("there is no folder {folder}", folder=folder)
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in package.split(".")):
        raise CommandError(
            "{package!r} is not the name of a package; write it as in an import, such as src.llm_output",
            package=package,
        )
    try:
        source = distribution(DISTRIBUTION)
    except PackageNotFoundError as error:
        raise CommandError(
            "{distribution} is not installed: its version and its licence belong to the copy", distribution=DISTRIBUTION
        ) from error
    place = folder.joinpath(*package.split("."))
    texts = parser_files(files(ROOT), files(FACE), package) | {"LICENSE": source.read_text("licenses/LICENSE") or ""}
    fates = copy_files(texts, place, {"distribution": DISTRIBUTION, "version": source.version, "package": package})
    count = Counter(fates.values())
    counts = spoken(
        "{written} written, {removed} removed, {unchanged} unchanged",
        written=count["written"],
        removed=count["removed"],
        unchanged=count["unchanged"],
    )
    needed = ", ".join(each for each in source.requires or () if "extra ==" not in each)
    use = f"{spoken('import')}: from {package} import parse_llm_json_output"
    write_stdout(f"{visible(place.as_posix())}: {counts}\n{use}\n{spoken('needs')}: {needed}")
    for path, fate in fates.items():
        if fate == "kept":
            left = spoken("Left as it is, changed since it was copied")
            say(f"{left}: {visible((place / path).as_posix())}")
    found = sorted(classes_named(AppException.__name__, folder, outside=place))
    for file, line in found:
        say(f"{spoken('Your code base has an AppException')}: {visible(file.as_posix())}:{line}")
    if found:
        say(
            spoken(
                "Errors of the copy are not errors of yours until you join them. Name a class of yours as the error "
                "of an AgentOutput,\nwhich raises it with the parser's message and details:"
            )
        )
        module = ".".join(found[0][0].with_suffix("").parts).removesuffix(".__init__")
        say(_JOIN.format(package=package, module=visible(module)))


def copy_files(texts: Mapping[str, str], folder: Path, about: Mapping[str, str]) -> dict[str, str]:
    """Copy files into a folder, or bring an earlier copy up to date.

    Args:
        texts: the texts by their paths within the folder, with slashes.
        folder: where they go; made if it is not there.
        about: where they come from; goes into the manifest.

    Returns:
        What became of each path: `written`, `unchanged`, `removed`, which an earlier copy wrote and nothing needs any
        more, or `kept`, which the host has changed since it was copied.

    Raises:
        CommandError: files of the host are in the way, or a manifest that is not ours; nothing was written.
        OSError: something cannot be read or written.
    """
    before = _manifest(folder)
    wanted = {path: _hash(text.encode()) for path, text in texts.items()}
    fates, foreign = {}, []
    for path in wanted | before:
        now = _hash_of(folder / path)
        if now == wanted.get(path):
            fates[path] = "unchanged"
        elif now in {None, before.get(path)}:
            fates[path] = "written" if path in wanted else "removed"
        elif path in before:
            fates[path] = "kept"
        else:
            foreign.append(path)
    if foreign:
        raise _in_the_way(folder, foreign)
    for path, fate in fates.items():
        if fate == "written":
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            replace_file(folder / path, texts[path].encode())
        elif fate == "removed":
            (folder / path).unlink()
    hashes = {path: (before if fate == "kept" else wanted)[path] for path, fate in fates.items() if fate != "removed"}
    manifest = json.dumps({**about, "files": dict(sorted(hashes.items()))}, indent=2)
    replace_file(folder / MANIFEST, f"{manifest}\n".encode())
    return fates


def _in_the_way(folder: Path, paths: list[str]) -> CommandError:
    listed, more = ", ".join(paths[:_SHOWN]), len(paths) - _SHOWN
    listed += spoken(" and {more} more", more=more) if more > 0 else ""
    return CommandError(
        "{where} has files that this command did not write: {listed}; choose another --package",
        where=folder.as_posix(),
        listed=listed,
    )


def _manifest(folder: Path) -> dict[str, str]:
    """The hashes of an earlier copy, by path, none of which leads out of the folder; empty where there is none.

    Raises:
        CommandError: the file is not a manifest of ours.
    """
    try:
        hashes: Any = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
        for path in map(PurePosixPath, hashes.keys()):
            if path.is_absolute() or ".." in path.parts or {":", "\\"} & {*str(path)}:
                raise _in_the_way(folder, [MANIFEST])
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _in_the_way(folder, [MANIFEST]) from error
    return {path: str(value) for path, value in hashes.items()}


def _hash_of(path: Path) -> str | None:
    """The hash of a file, None where there is none; what is no plain file has one that no text has."""
    if path.is_symlink() or path.is_dir():
        return ""
    return _hash(path.read_bytes()) if path.exists() else None


def _hash(data: bytes) -> str:
    """The same for both kinds of line ends, which version control may exchange."""
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()


def classes_named(name: str, top: Path, *, outside: Path) -> Iterator[tuple[Path, int]]:
    """Where a code base has a class of that name at the top level of a module: the file, from `top`, and the line.

    Hidden folders, virtual environments and installed packages are not looked into, nor is the folder `outside`. What
    cannot be read or imported has no classes.
    """
    for folder, folders, names in os.walk(top):
        here = Path(folder)
        folders[:] = [
            each
            for each in folders
            if not (each.startswith(".") or each in _NOT_THE_HOSTS or here / each == outside)
            and not (here / each / "pyvenv.cfg").exists()
        ]
        for path in (here / each for each in names if each.endswith(".py")):
            with suppress(OSError, SyntaxError, ValueError), warnings.catch_warnings(action="ignore"):
                code = path.read_bytes()
                for node in ast.parse(code).body if f"class {name}".encode() in code else []:
                    if isinstance(node, ast.ClassDef) and node.name == name:
                        yield path.relative_to(top), node.lineno
