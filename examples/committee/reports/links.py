"""Links from a page to files beside it."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote


def link_from(page: Path, target: Path) -> str:
    """The address of a file as seen from a page: relative where both are on one drive, and safe to put into `href`.

    Args:
        page: where the page is, or will be.
        target: the file it leads to.
    """
    own, other = page.resolve().parent, target.resolve()
    try:
        path = Path(os.path.relpath(other, own)).as_posix()
    except ValueError:  # another drive
        return other.as_uri()
    return quote(os.fsencode(path), safe="/")
