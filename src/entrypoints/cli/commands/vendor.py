"""`llm-output vendor`."""

from __future__ import annotations

import keyword
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from src.entrypoints.cli.guard import CommandError, guarded
from src.entrypoints.cli.plain_output import spoken, visible, write_stdout
from src.entrypoints.cli.screen import say
from src.entrypoints.vendoring import (
    FACE,
    ROOT,
    Copied,
    HostClass,
    InTheWayError,
    classes_named,
    copy_files,
    parser_files,
    requirements_of,
)
from src.shared.domain.exceptions import AppException
from src.shared.infrastructure.distribution import DISTRIBUTION

EXAMPLES = ("llm-output vendor .", "llm-output vendor . --package src.llm_output")
_SHOWN = 5
_JOIN = """\

    from {package} import AgentOutput
    from {module} import AppException

    class LLMOutputParseError(AppException):
        def __init__(self, message: str, *, details: dict) -> None:
            super().__init__(message, details=details)  # and what else yours needs

    REVIEW = AgentOutput("review", Review, error_type=LLMOutputParseError)"""


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
        where, listed = place.as_posix(), _listed(error.paths)
        raise CommandError(
            f"{where} 中有不是此命令写入的文件：{listed}；请另选 --package",
            f"{where} has files that this command did not write: {listed}; choose another --package",
        ) from error
    needed = requirements_of(texts, (each for each in source.requires or () if "extra ==" not in each))
    write_stdout(_summary(place, copied, package, needed))
    _say_what_was_kept(place, copied)
    _say_what_is_there(classes_named(AppException.__name__, folder, outside=place), package)


def _check(folder: Path, package: str) -> None:
    if not folder.is_dir():
        raise CommandError(f"没有文件夹 {folder}", f"there is no folder {folder}")
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in package.split(".")):
        raise CommandError(
            f"{package!r} 不是包名；写法与导入语句相同，例如 src.llm_output",
            f"{package!r} is not the name of a package; write it as in an import, such as src.llm_output",
        )


def _installed() -> Distribution:
    try:
        return distribution(DISTRIBUTION)
    except PackageNotFoundError as error:
        raise CommandError(
            f"{DISTRIBUTION} 未安装：副本需要它的版本和许可证",
            f"{DISTRIBUTION} is not installed: its version and its licence belong to the copy",
        ) from error


def _summary(place: Path, copied: Copied, package: str, needed: list[str]) -> str:
    written, removed, unchanged = len(copied.written), len(copied.removed), len(copied.unchanged)
    counts = spoken(
        f"写入 {written}，删除 {removed}，未变 {unchanged}",
        f"{written} written, {removed} removed, {unchanged} unchanged",
    )
    use = f"{spoken('导入', 'import')}: from {package} import parse_llm_json_output"
    return f"{_shown(place)}: {counts}\n{use}\n{spoken('需要', 'needs')}: {', '.join(needed)}"


def _say_what_was_kept(place: Path, copied: Copied) -> None:
    for path in copied.kept:
        left = spoken("保持原样，复制之后被改过", "Left as it is, changed since it was copied")
        say(f"{left}: {_shown(place / path)}")


def _say_what_is_there(found: list[HostClass], package: str) -> None:
    for each in found:
        there = spoken("代码库中已有 AppException", "Your code base has an AppException")
        say(f"{there}: {_shown(each.path)}:{each.line}")
    if found:
        say(
            "在接合之前，副本的错误不是你的错误。把你的一个类指定为 AgentOutput 的错误，"
            "\n它会带着解析器的 message 和 details 抛出：",
            "Errors of the copy are not errors of yours until you join them. Name a class of yours as the error of an "
            "AgentOutput,\nwhich raises it with the parser's message and details:",
        )
        say(_JOIN.format(package=package, module=visible(found[0].module)))


def _shown(path: Path) -> str:
    return visible(path.as_posix())


def _listed(paths: tuple[str, ...]) -> str:
    more = len(paths) - _SHOWN
    return ", ".join(paths[:_SHOWN]) + (spoken(f"，另有 {more} 个", f" and {more} more") if more > 0 else "")
