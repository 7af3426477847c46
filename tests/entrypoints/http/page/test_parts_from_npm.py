"""What the page runs that is not ours: committed as it was copied, and copied as npm has it."""

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.paths import ROOT

VENDOR = ROOT / "src/entrypoints/http/page/static/vendor"
COPY = ROOT / "requirements/page/copy_parts.py"
FETCHED = ROOT / ".cache/page"


def sums(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def test_files_are_what_their_list_says() -> None:
    lines = [line.split() for line in (VENDOR / "SHA256SUMS").read_text().splitlines()]
    listed = {name: digest for digest, name in lines}
    found = {name: digest for name, digest in sums(VENDOR).items() if name != "SHA256SUMS"}

    assert found == listed
    assert len(found) == 5


def test_each_package_has_its_licence() -> None:
    text = (VENDOR / "LICENSES.txt").read_text(encoding="utf-8")

    for name in ("htmx.org 2.0.11 (0BSD)", "vega 6.4.0 (BSD-3-Clause)", "vega-lite 6.5.0", "vega-interpreter 2.3.2"):
        assert name in text
    assert "no text in the package" not in text


@pytest.mark.skipif(shutil.which("npm") is None, reason="there is no npm: apt install npm")
def test_copying_them_again_changes_nothing(tmp_path: Path) -> None:
    if not (FETCHED / "npm.stamp").is_file():
        pytest.skip("the parts of the page are not fetched: make page-parts")
    subprocess.run(["python3", COPY, FETCHED, tmp_path / "vendor"], check=True)  # noqa: S603, S607 - our own script

    assert sums(tmp_path / "vendor") == sums(VENDOR)
