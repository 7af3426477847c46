"""`llm-output vendor`."""

from __future__ import annotations

import keyword
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from src.entrypoints.cli.guard import CommandError, guarded
from src.entrypoints.cli.plain_output import visible, write_stdout
from src.entrypoints.cli.screen import stderr
from src.entrypoints.distribution import DISTRIBUTION
from src.entrypoints.vendoring.copying import Copied, InTheWayError, copy_files
from src.entrypoints.vendoring.host import HostClass, classes_named
from src.entrypoints.vendoring.parser_files import FACE, ROOT, parser_files, requirements_of
from src.shared.domain.exceptions import AppException

EXAMPLES = ("llm-output vendor .", "llm-output vendor . --package src.llm_output")
_SHOWN = 5
_JOIN = """\
Errors of the copy are not errors of yours until you join them. Name a class of yours as the error of an AgentOutput,
which raises it with the parser's message and details:

    from {package} import AgentOutput
    from {module} import AppException

    class LLMOutputParseError(AppException):
        def __init__(self, message: str, *, details: dict) -> None:
            super().__init__(message, details=details)  # and what else yours needs

    REVIEW = AgentOutput("review", Review, error_type=LLMOutputParseError)
"""


@guarded
def vendor(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that your code base imports from.")],
    package: Annotated[
        str,
        typer.Option(metavar="NAME", help="The package to make in it, such as `src.llm_output`."),
    ] = FACE,
) -> None:
    """Copy the parser into your own code base.

    Copies the files that the public names of `llm_output` need, with their imports rewritten to NAME. Run it again to
    update the copy. A file that the command did not write is never changed; one of the copy that you have changed is
    named and left as it is. What your code base has already, an `AppException`, is named, and how the two are joined.
    """
    _check(folder, package)
    source = _installed()
    texts = parser_files(files(ROOT), files(FACE), package)
    place = folder.joinpath(*package.split("."))
    licence = source.read_text("licenses/LICENSE") or ""
    about = {"distribution": DISTRIBUTION, "version": source.version, "package": package}
    try:
        copied = copy_files(texts | {"LICENSE": licence}, place, about)
    except InTheWayError as error:
        listed = f"{place.as_posix()} has files that this command did not write: {_listed(error.paths)}"
        message = f"{listed}; choose another --package"
        raise CommandError(message) from error
    needed = requirements_of(texts, (each for each in source.requires or () if "extra ==" not in each))
    write_stdout(_summary(place, copied, package, needed))
    _say_what_was_kept(place, copied)
    _say_what_is_there(classes_named(AppException.__name__, folder, outside=place), package)


def _check(folder: Path, package: str) -> None:
    if not folder.is_dir():
        message = f"there is no folder {folder}"
        raise CommandError(message)
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in package.split(".")):
        message = f"{package!r} is not the name of a package; write it as in an import, such as src.llm_output"
        raise CommandError(message)


def _installed() -> Distribution:
    try:
        return distribution(DISTRIBUTION)
    except PackageNotFoundError as error:
        message = f"{DISTRIBUTION} is not installed: its version and its licence belong to the copy"
        raise CommandError(message) from error


def _summary(place: Path, copied: Copied, package: str, needed: list[str]) -> str:
    counts = f"{len(copied.written)} written, {len(copied.removed)} removed, {len(copied.unchanged)} unchanged"
    return f"{_shown(place)}: {counts}\nimport: from {package} import parse_llm_json_output\nneeds: {', '.join(needed)}"


def _say_what_was_kept(place: Path, copied: Copied) -> None:
    for path in copied.kept:
        stderr().print(f"Left as it is, changed since it was copied: {_shown(place / path)}", soft_wrap=True)


def _say_what_is_there(found: list[HostClass], package: str) -> None:
    for each in found:
        stderr().print(f"Your code base has an AppException: {_shown(each.path)}:{each.line}", soft_wrap=True)
    if found:
        stderr().print(_JOIN.format(package=package, module=visible(found[0].module)), soft_wrap=True, end="")


def _shown(path: Path) -> str:
    return visible(path.as_posix())


def _listed(paths: tuple[str, ...]) -> str:
    more = len(paths) - _SHOWN
    return ", ".join(paths[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
