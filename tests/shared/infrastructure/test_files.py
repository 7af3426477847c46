"""A file is there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from src.shared.infrastructure.files import replace_file, replacing


@pytest.mark.parametrize("before", [None, b"what was there, which is longer"])
def test_file_is_made_or_replaced(tmp_path: Path, before: bytes | None) -> None:
    file = tmp_path / "a.txt"
    if before:
        file.write_bytes(before)
    replace_file(file, b"new")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a.txt": b"new"}


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_link_stays_a_link_and_the_file_keeps_its_mode(tmp_path: Path) -> None:
    file, link = tmp_path / "a.txt", tmp_path / "link.txt"
    file.write_bytes(b"old")
    file.chmod(0o640)
    link.symlink_to(file)
    replace_file(link, b"new", suffix=".7")
    assert (link.is_symlink(), file.read_bytes(), file.stat().st_mode & 0o777) == (True, b"new", 0o640)


@pytest.mark.parametrize("is_written", [True, False])
def test_error_leaves_the_file_as_it_was_and_nothing_beside_it(tmp_path: Path, *, is_written: bool) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"old")

    def write() -> None:
        with replacing(file) as beside:
            if is_written:
                beside.write_bytes(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a.txt": b"old"}
