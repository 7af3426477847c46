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
NOT_HERE = '''"""Part of the whole distribution; the parser alone does not have it."""

said = "is not in the distribution of the parser alone: install unified-llm-output-parser in its place"
raise ImportError(f"{__name__} 不在只含解析器的发行包中，请改装 unified-llm-output-parser ({said})")
'''
"""Each module of the whole distribution, here.

Since the files are there, removing this distribution beside the other one leaves nothing that looks like the package.
"""
BROKEN = '''"""What `import llm_output` finds if the whole distribution was removed, and with it files of this one."""

remove = "`pip uninstall --yes unified-llm-output-parser unified-llm-output-parser-core`"
said = f"only a part of llm_output is left: run {remove}, then install one of them again"
raise ImportError(f"llm_output 只剩一部分文件，请运行 {remove}，再重新安装其中一个 ({said})")
'''
"""Never read where the package of the same name is whole: Python looks for that first."""


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
        elsewhere = {path.name: NOT_HERE for path in (WHOLE / FACE).glob("*.py") if path.name not in FILES}
        files = {f"{FACE}/{path}": text for path, text in {**FILES, **elsewhere}.items()}
        for path, text in {**files, f"{FACE}.py": BROKEN}.items():
            file = Path(self.folder.name, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
        build_data["force_include"] |= {
            **{f"{self.folder.name}/{name}": name for name in (FACE, f"{FACE}.py")},
            str(WHOLE / "LICENSE"): f"{FACE}/LICENSE",
        }

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the folder."""
        del version, build_data, artifact_path
        self.folder.cleanup()
