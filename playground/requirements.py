"""What the page's Python needs, from the lock file of the parser: `python -m playground.requirements`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

LOCK = Path(__file__).parents[1] / "requirements/core.txt"
LEFT_OUT = frozenset({"dependency-injector"})
"""What wires the whole application; the wheel of the parser alone does without, and it is not built for the browser."""

_ENTRY = re.compile(r"^([a-z0-9-]+)==[^\n]+\n(?:[ ]{4}[^\n]+\n)+", re.MULTILINE)


def requirements() -> str:
    """The lock file's entries, with their hashes."""
    return "".join(entry[0] for entry in _ENTRY.finditer(LOCK.read_text(encoding="utf-8")) if entry[1] not in LEFT_OUT)


if __name__ == "__main__":
    sys.stdout.write(requirements())
