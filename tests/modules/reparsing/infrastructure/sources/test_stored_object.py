"""Objects of a store, through the protocol of S3, and addresses of local files."""

import gzip
import io
import pickle
import socket
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.infrastructure.sources.opening import OBJECT_BUFFER
from tests.loopback.object_store import SECRET, ObjectStore, object_store
from tests.modules.reparsing.infrastructure.sources.read import places, source, texts

LINES = b"".join(b'{"text": "%d"}\n' % number for number in range(1000))
RECORDS = b"id,text\n" + b"".join(b"%d,%d\n" % (number, number) for number in range(1000))
TEXTS = [str(number) for number in range(1000)]


def parquet() -> bytes:
    content = io.BytesIO()
    pq.write_table(pa.table({"text": TEXTS, "other": TEXTS}), content, row_group_size=300)
    return content.getvalue()


CONTENTS = {
    "a.jsonl": LINES,
    "a.json": LINES,
    "a.jsonl.gz": gzip.compress(LINES),
    "a.jsonl.zst": pa.compress(LINES, codec="zstd", asbytes=True),
    "a.csv": RECORDS,
    "a.tsv.gz": gzip.compress(RECORDS.replace(b",", b"\t")),
    "a.parquet": parquet(),
}


@pytest.fixture(scope="module")
def store() -> Iterator[ObjectStore]:
    with object_store() as running:
        yield running


def refusal(address: str) -> str:
    with pytest.raises(BatchInputError) as error:
        source(address).identity()
    return str(error.value)


@pytest.mark.parametrize("name", CONTENTS)
def test_object_has_the_rows_and_the_identity_of_the_file(store: ObjectStore, tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_bytes(CONTENTS[name])
    address = store.put(f"2026/{name}", CONTENTS[name])
    assert texts(address) == TEXTS
    assert places(address) == places(file)
    assert source(address).identity() == source(file).identity()
    assert source(address).total == file.stat().st_size


def test_key_stands_in_the_address_as_it_is(store: ObjectStore) -> None:
    assert texts(store.put("a b/%20+#&=@:/é日.jsonl", b'{"text": "a"}')) == ["a"]


def test_source_goes_to_another_process(store: ObjectStore) -> None:
    address = store.put("a.jsonl", LINES)
    there = pickle.loads(pickle.dumps(source(address)))  # noqa: S301 - our own
    assert [row.place for row in there.rows()] == [f"{address}:{number}" for number in range(1, 1001)]


def test_object_is_read_in_pieces(store: ObjectStore) -> None:
    """An object that is damaged behind the first piece gives the rows of that piece before anything is known of it."""
    whole = b'{"text": "%s"}\n' % (b"a" * 1000) * 4000
    rows = source(store.put("large.jsonl", whole)).rows()
    next(rows)
    store.put("large.jsonl", b"!" * len(whole))
    read = sum(row.content != b"!" * len(row.content) for row in rows if isinstance(row.content, bytes))
    assert read * 1015 <= 2 * OBJECT_BUFFER


@pytest.mark.parametrize(
    "key", ["logs/none.jsonl", "none/a.jsonl", "logs/*.jsonl", *("logs/2026/", "logs/2026", "logs/a.txt")]
)
@pytest.mark.usefixtures("store")
def test_object_that_is_not_there_or_of_no_known_ending_is_told(key: str) -> None:
    assert "no such bucket or object; name each object in full" in refusal(f"s3://{key}")


def test_store_that_cannot_be_reached_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{nobody.getsockname()[1]}")
        reason = refusal("s3://logs/a.jsonl")
    assert "the store cannot be reached: " in reason
    assert "\n" not in reason


@pytest.mark.parametrize(
    "address",
    [
        f"s3://someone:{SECRET}@logs/a.jsonl",
        "s3://someone:s3cr3t@logs/a.jsonl",
        "s3://s3cr3t@logs/a.jsonl",
        "s3://logs/a.jsonl?secret_key=s3cr3t",
        "gs://s3cr3t@logs/a.jsonl",
        "https://logs.invalid/a.jsonl?signature=s3cr3t",
        "abfs://s3cr3t@logs/a.jsonl",
    ],
)
def test_secret_in_an_address_is_refused_and_not_repeated(address: str) -> None:
    assert "s3cr3t" not in refusal(address)


@pytest.mark.parametrize(
    "address",
    ["s3://", "s3://logs", "s3:///a.jsonl", "s3://logs/a.jsonl?region=here", "gs://anonymous@logs/a.jsonl"],
)
def test_address_of_another_form_is_refused_with_the_form(address: str) -> None:
    reason = refusal(address)
    assert f"{address[:5]}BUCKET/KEY, without options or secrets" in reason
    assert "set them in the environment (AWS_ENDPOINT_URL, AWS_REGION, " in reason


def test_bucket_with_a_name_that_cannot_be_one_is_told() -> None:
    assert "cannot be read: Cannot parse URI" in refusal("s3://lo gs/a.jsonl")


def test_address_of_a_local_file_is_its_path(tmp_path: Path) -> None:
    path = tmp_path / "a b%.jsonl"
    path.write_bytes(LINES)
    assert source(path.as_uri()).name == str(path)


@pytest.mark.parametrize("address", ["file:///none.jsonl", "file://host/a.jsonl", "file:///a%00.jsonl"])
def test_address_of_no_local_file_is_refused(address: str) -> None:
    assert "there is no such file" in refusal(address)
