"""Builds the wheel: `src` and `llm_output` as one package, `llm_output`, so that nobody's own `src` is in its way.

The plugin of pytest is a module of its own beside it.

`src.shared.x` becomes `llm_output.shared.x`, as it becomes `NAME.shared.x` in a copy that `llm-output vendor` makes. In
an editable installation both packages stay what they are in the checkout.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).parents[1]
PLUGIN = "llm_output_pytest.py"
"""pytest loads it in every run; in the package it would bring all that the package imports."""
sys.path.insert(0, str(HERE))  # a build environment holds hatchling and nothing else

from src.entrypoints.vendoring import FACE, ROOT, rewritten_for  # noqa: E402 - needs the path


class OnePackage(BuildHookInterface[Any]):
    """Writes the package to a folder that lives as long as the build."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the package, and have it taken into the wheel."""
        self.folder = tempfile.TemporaryDirectory()
        if version == "editable":
            return
        package = Path(self.folder.name, FACE)
        for root in (ROOT, FACE):  # the second one's __init__.py is that of the package
            shutil.copytree(HERE / root, package, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        plugin = Path(shutil.copy(HERE / PLUGIN, self.folder.name))
        for module in (plugin, *package.rglob("*.py")):
            text = rewritten_for(FACE, module.read_text(encoding="utf-8"))
            module.write_text(text, encoding="utf-8", newline="\n")
        build_data["force_include"] |= {str(package): FACE, str(plugin): PLUGIN}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the folder."""
        del version, build_data, artifact_path
        self.folder.cleanup()
