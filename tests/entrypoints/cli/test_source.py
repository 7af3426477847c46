"""Where the text comes from: files and stdin, and everything that can be wrong with them."""

import os
import stat
import sys
from pathlib import Path

import pytest

from src.entrypoints.cli.files import read_source
from src.entrypoints.cli.guard import CommandError
from tests.entrypoints.cli.harness import invoke


def _refusal(file: str) -> str:
    with pytest.raises(CommandError) as caught:
        read_source(file)
    return caught.value.message


def test_a_directory_is_a_usage_error(tmp_path: Path) -> None:
    assert _refusal(str(tmp_path)) == f"{tmp_path} is a directory; name a file"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_one_may_not_read_is_a_usage_error(tmp_path: Path) -> None:
    file = tmp_path / "secret.txt"
    file.touch(mode=stat.S_IWUSR)

    assert _refusal(str(file)) == f"cannot read {file}: Permission denied"


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    file = tmp_path / "bom.txt"
    file.write_bytes(b'\xef\xbb\xbf{"a": 1}')

    assert read_source(str(file)).text == '{"a": 1}'
    assert invoke("parse", str(file)).stderr == ""


def test_line_ends_are_kept_so_that_places_stay_right(tmp_path: Path) -> None:
    file = tmp_path / "dos.txt"
    file.write_bytes(b"a\r\nb\rc\n")

    assert read_source(str(file)).text == "a\r\nb\rc\n"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            '{"结论": 1}'.encode("gb18030"),
            "byte 0xbd at offset 2; re-encode it, for example: iconv -f GB18030 -t UTF-8",
        ),
        ('{"a": 1}'.encode("utf-16"), "offset 0; re-encode it, for example: iconv -f UTF-16 -t UTF-8"),
        (b"\x7fELF\x00\x00\xd0\xfe", "byte 0xd0 at offset 6; it holds NUL bytes, so it is probably not a text at all"),
        (b'{"a": "\xe4\xb8', "byte 0xe4 at offset 7"),
    ],
)
def test_what_is_not_utf_8_is_refused_with_the_byte_and_advice(tmp_path: Path, data: bytes, said: str) -> None:
    file = tmp_path / "other.txt"
    file.write_bytes(data)

    ended = invoke("parse", str(file))

    assert (ended.code, ended.stdout) == (2, "")
    assert said in ended.stderr


def test_a_closed_stdin_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)

    assert _refusal("-") == "stdin is closed; name a file"


def test_a_stdin_that_cannot_be_read_is_a_usage_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as open_for_writing:
        monkeypatch.setattr(sys, "stdin", open_for_writing)

        assert _refusal("-").startswith("cannot read stdin")
