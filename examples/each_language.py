"""A recording that answers in every language.

A re-ask holds the error in words, so that each language asks another prompt.
"""

import tempfile
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import TypeVar

from src.shared.domain.language import Language, speaking

T = TypeVar("T")


async def record_in_each_language(path: Path, record: Callable[[Path], Awaitable[T]]) -> T:
    """Record in the default language and in each other, and write every exchange once.

    Args:
        path: the recording, written anew.
        record: writes a recording in the language that is set.

    Returns:
        What it gave in the default language.
    """
    lines: dict[str, None] = {}
    results = []
    for spoken in (Language.BOTH, Language.ZH, Language.EN):
        with speaking(spoken), tempfile.TemporaryDirectory() as folder:
            place = Path(folder, path.name)
            results.append(await record(place))
            lines |= dict.fromkeys(_lines(place))
    _write(path, lines)
    return results[0]


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
