"""`llm-output batch` over objects of a store, on the protocol of S3."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from src.entrypoints.cli.exit_codes import ExitCode
from tests.entrypoints.cli.harness import invoke, run
from tests.loopback.object_store import SECRET, ObjectStore, object_store

OUTPUTS = ("parsed.jsonl", "refused.jsonl")


@pytest.fixture(scope="module")
def store() -> Iterator[ObjectStore]:
    with object_store() as running:
        yield running


@pytest.fixture(scope="module")
def inputs(store: ObjectStore) -> list[str]:
    lines = b'{"text": "{}"}\n' * 2499 + b'{"text": "{\'number\': 1,}"}\n'
    records = b'id,text\n1,"{}"\n2,\n'
    return [store.put("2026/a.jsonl.gz", gzip.compress(lines)), store.put("2026/b.csv", records)]


@pytest.fixture(scope="module")
def read(inputs: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the local engine made of them, as a process of its own."""
    folder = tmp_path_factory.mktemp("local") / "out"
    ended = run("batch", *inputs, "--out", str(folder), "--workers", "1")
    assert ended.code == ExitCode.OK, ended.stderr
    return folder


def test_every_row_of_every_object_is_in_the_outputs(read: Path) -> None:
    counts = {name: (read / name).read_bytes().count(b"\n") for name in OUTPUTS}
    assert counts == {"parsed.jsonl": 2501, "refused.jsonl": 1}


def test_secret_of_the_store_is_in_no_file_of_the_folder(read: Path) -> None:
    files = [path for path in read.rglob("*") if path.is_file()]
    assert len(files) > len(OUTPUTS)
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]


def test_object_that_changed_ends_a_run_that_goes_on(store: ObjectStore, tmp_path: Path) -> None:
    address = store.put("changing.jsonl", b'{"text": "{}"}\n')
    invoke("batch", address, "--out", str(tmp_path / "out"))
    store.put("changing.jsonl", b'{"text": "[]"}\n')
    ended = invoke("batch", address, "--out", str(tmp_path / "out"), "--resume")
    assert ended.code == ExitCode.USAGE
    assert "changing.jsonl" in ended.stderr


def test_missing_credentials_are_told_in_a_line(
    inputs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "")
    ended = invoke("batch", *inputs, "--out", str(tmp_path / "out"))
    assert ended.code == ExitCode.USAGE
    assert "access denied; check the credentials and their right to read: " in " ".join(ended.stderr.split())
