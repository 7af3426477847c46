"""The files of a run's folder, and how a folder is known to be a run's."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

KIND = "python -m examples.committee run"
"""What `run.json` says of itself: a folder with it is a run's, and may be replaced by the next."""
RUN, DOSSIER, RECORDING, JOURNAL = "run.json", "dossier.json", "recording.jsonl", "progress.jsonl"
RESULT, MARKDOWN, HTML = "result.json", "report.md", "report.html"
FILES = (HTML, MARKDOWN, RESULT, DOSSIER, RECORDING, JOURNAL, RUN)
_MOST_BYTES = 65_536
"""Size of the largest `run.json` that is read."""


def is_run(place: Path) -> bool:
    """Whether a folder is a run's."""
    return bool(_about(place))


def created_of(place: Path) -> datetime | None:
    """When a run was begun; None where its folder does not say it."""
    with suppress(ValueError, TypeError):
        created = datetime.fromisoformat(_about(place).get("created", ""))
        return created if created.tzinfo else None
    return None


def _about(place: Path) -> dict[str, Any]:
    """What `run.json` says; empty where it is not a run's."""
    with suppress(OSError, ValueError, RecursionError):
        file = place / RUN
        if file.is_file() and file.stat().st_size <= _MOST_BYTES:
            about = json.loads(file.read_text(encoding="utf-8"))
            return about if isinstance(about, dict) and about.get("kind") == KIND else {}
    return {}
