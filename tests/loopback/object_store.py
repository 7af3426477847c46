"""A store that speaks the protocol of S3, on loopback."""

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow.fs  # type: ignore[import-untyped]
import pytest
from moto.server import ThreadedMotoServer

BUCKET = "logs"
SECRET = "s3cr3t/with+signs"  # noqa: S105 - of nothing


class ObjectStore:
    """A running store."""

    def put(self, key: str, content: bytes) -> str:
        """The address of an object that is stored now."""
        system, _ = pyarrow.fs.FileSystem.from_uri(f"s3://{BUCKET}")
        with system.open_output_stream(f"{BUCKET}/{key}", compression=None, metadata={"ACL": "private"}) as stream:
            stream.write(content)
        return f"s3://{BUCKET}/{key}"


@contextmanager
def object_store() -> Iterator[ObjectStore]:
    """A store with one bucket, which is not public; where it is and the credentials for it are in the environment."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AWS_ACCESS_KEY_ID", "someone")
            patch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
            patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
            for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
                patch.setenv(name, "/dev/null")
            for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL_S3"):
                patch.delenv(name, raising=False)
            host, port = server.get_host_and_port()
            patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
            system, _ = pyarrow.fs.FileSystem.from_uri(f"s3://{BUCKET}?allow_bucket_creation=true")
            system.create_dir(BUCKET)
            yield ObjectStore()
    finally:
        server.stop()
