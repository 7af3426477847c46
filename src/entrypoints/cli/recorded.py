"""The recorded model outputs that come with the package, and what each must come out as."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

_FOLDER = files(__package__).joinpath("recordings")


@dataclass(frozen=True)
class Recording:
    """One recorded output of one agent.

    Attributes:
        agent: the agent's name.
        file: its file, from the folder of the recordings.
        case: `clean`, `wrapped`, `damaged` or `refused`.
        what: what is wrong with it.
        headline: the fields of the result that are compared, with their values; None where it must be refused.
    """

    agent: str
    file: str
    case: str
    what: str
    headline: dict[str, Any] | None = None

    def text(self) -> str:
        """The model's text."""
        return _FOLDER.joinpath(self.file).read_text(encoding="utf-8")


def recordings() -> tuple[Recording, ...]:
    """All recordings, in the order of the manifest."""
    manifest = json.loads(_FOLDER.joinpath("manifest.json").read_text(encoding="utf-8"))
    return tuple(Recording(**entry) for entry in manifest)
