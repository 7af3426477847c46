"""The page's files, as they are sent: under names that change with their content, so that a browser may keep them."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

STATIC = Path(__file__).parent / "static"
REPORT = Path(__file__).parents[2] / "reports" / "templates" / "report.css"
"""The style of the reports, which is the page's as well."""
_SMALL = 1_000
_HASH = 12


@dataclass(frozen=True)
class Asset:
    """One file.

    Attributes:
        name: with a part that changes with the content.
        content: its bytes.
        media_type: with the encoding of a text.
    """

    name: str
    content: bytes
    media_type: str

    @classmethod
    def of(cls, path: Path) -> Asset:
        """The file at a path."""
        content = path.read_bytes()
        media_type = mimetypes.types_map[path.suffix]
        digest = hashlib.sha256(content).hexdigest()[:_HASH]
        return cls(f"{path.stem}.{digest}{path.suffix}", content, f"{media_type}; charset=utf-8")

    @cached_property
    def packed(self) -> bytes | None:
        """The same as gzip has it; None where that is not worth it."""
        return gzip.compress(self.content, mtime=0) if len(self.content) > _SMALL else None


class Assets:
    """All of them, by the names under which they are asked for."""

    def __init__(self) -> None:
        """Read them."""
        paths = [REPORT, *sorted(path for path in STATIC.rglob("*") if path.suffix in {".css", ".js"})]
        by_file = {path.name: Asset.of(path) for path in paths}
        self.names = {file: asset.name for file, asset in by_file.items()}
        self._by_name = {asset.name: asset for asset in by_file.values()}

    def named(self, name: str) -> Asset | None:
        """The file with this name; None where there is none."""
        return self._by_name.get(name)
