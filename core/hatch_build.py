"""Builds the wheel of the parser alone: the files that `llm-output vendor` copies, as the package `llm_output`."""

from __future__ import annotations

import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

WHOLE = Path(__file__).parents[1]
"""The folder of the whole distribution."""
sys.path.insert(0, str(WHOLE))  # a build environment holds hatchling and nothing else

from src.entrypoints.vendoring import FACE, ROOT, parser_files, requirements_of  # noqa: E402 - needs the path

FILES = parser_files(WHOLE / ROOT, WHOLE / FACE, FACE)


class SharedMetadata(MetadataHookInterface):
    """What the two distributions have in common, and of the requirements those that the parser imports."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in the fields that pyproject.toml calls dynamic."""
        whole = tomllib.loads((WHOLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        metadata |= {field: whole[field] for field in metadata["dynamic"] if field in whole}
        metadata["dependencies"] = requirements_of(FILES, whole["dependencies"])


class ParserFiles(BuildHookInterface[Any]):
    """Writes the files to a folder that lives as long as the build."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the files, and have them taken into the wheel."""
        del version
        self.folder = tempfile.TemporaryDirectory()
        for path, text in FILES.items():
            file = Path(self.folder.name, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
        build_data["force_include"] |= {self.folder.name: FACE, str(WHOLE / "LICENSE"): f"{FACE}/LICENSE"}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the folder."""
        del version, build_data, artifact_path
        self.folder.cleanup()
