"""Objects of a store such as S3, through pyarrow's file systems. No right but that to read them is needed."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import BinaryIO
from urllib.parse import parse_qsl

from src.modules.reparsing.domain.exceptions import BatchInputError
from src.modules.reparsing.infrastructure.sources.opening import missing_extra, unreadable
from src.shared.domain.language import Message
from src.shared.domain.one_line import one_line

_PATIENCE = "retry_limit_seconds"
"""For how long a store is asked again. Google's library does for a quarter of an hour if it is not told."""
OPTIONS = {
    "s3://": ("endpoint_override", "region", "scheme"),
    "gs://": ("endpoint_override", _PATIENCE, "scheme"),
}
"""The stores, and the options of pyarrow that may stand behind `?`. None of them is a secret."""
STORES = tuple(OPTIONS)
OBJECT_BUFFER = 1024 * 1024
"""Bytes that are asked of a store at once."""
_TOLD = 300
NO_OBJECT = Message(
    "没有这个存储桶或对象；请写出每个对象的全名，不会列出文件夹，也不会展开通配符",
    "there is no such bucket or object; name each object in full, since no folder is listed and no pattern expanded",
)
_DENIED = Message("存储拒绝访问，请检查凭证和读取权限", "access denied; check the credentials and their right to read")
_UNREACHED = Message("无法连接存储", "the store cannot be reached")
_CAUSES = {
    "ACCESS_DENIED": _DENIED,
    "PERMISSION_DENIED": _DENIED,
    "NETWORK_CONNECTION": _UNREACHED,
    "UNAVAILABLE": _UNREACHED,
}
"""What a word in pyarrow's message means."""


@dataclass(frozen=True)
class StoredObject:
    """As `InputFile`. It holds no connection, so that it can be sent to another process.

    Attributes:
        name: `s3://bucket/key` or `gs://bucket/key`, with options behind `?`. The key stands as it is, without escapes.
    """

    name: str

    def __post_init__(self) -> None:
        """Look at the name alone.

        Raises:
            BatchInputError: it holds a secret, names no object, or has an option that is not known.
        """
        scheme, bucket, key, query = self._parts()
        account, at, host = bucket.rpartition("@")
        is_public = scheme == "gs://" and account == "anonymous"
        if (at and not is_public) or ":" in bucket or "@" in query:
            raise BatchInputError.of(hidden(scheme), _SECRET)
        if not host or not key:
            raise BatchInputError.of(self.name, _form(scheme))
        options = parse_qsl(query, keep_blank_values=True)
        if [option for option, _ in options if option not in OPTIONS[scheme]] or (query and not options):
            raise BatchInputError.of(hidden(scheme), _form(scheme))

    @property
    def path(self) -> PurePosixPath:
        """As `InputFile.path`."""
        return PurePosixPath(self._parts()[2])

    def size(self) -> int:
        """As `InputFile.size`.

        Raises:
            BatchInputError: it is not there, or cannot be reached.
        """
        with self.open() as stored:
            return stored.seek(0, io.SEEK_END)

    @contextlib.contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """As `InputFile.open`."""
        try:
            import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415 - of the extra `bulk`
            from pyarrow.fs import FileSystem  # type: ignore[import-untyped]  # noqa: PLC0415
        except ImportError as error:
            raise missing_extra(self.name, "pyarrow") from error
        scheme, bucket, key, query = self._parts()
        options = (
            query
            if _PATIENCE in query or _PATIENCE not in OPTIONS[scheme]
            else f"{query}&{_PATIENCE}=30".removeprefix("&")
        )
        try:
            system, root = FileSystem.from_uri(f"{scheme}{bucket}?{options}")
            with system.open_input_file(f"{root}/{key}") as file, io.BufferedReader(file, OBJECT_BUFFER) as stored:
                yield stored
        except FileNotFoundError as error:
            raise BatchInputError.of(self.name, NO_OBJECT) from error
        except (OSError, pa.ArrowInvalid) as error:
            raise self._unreadable(str(error)) from error

    def _parts(self) -> tuple[str, str, str, str]:
        """Scheme, bucket, key and options."""
        scheme = next(scheme for scheme in STORES if self.name.startswith(scheme))
        where, _, query = self.name.removeprefix(scheme).partition("?")
        bucket, _, key = where.partition("/")
        return scheme, bucket, key, query

    def _unreadable(self, said: str) -> BatchInputError:
        shown = one_line(said, _TOLD)
        cause = next((cause for word, cause in _CAUSES.items() if word in said), None)
        if cause is None:
            return unreadable(self.name, shown)
        return BatchInputError.of(self.name, Message(f"{cause.zh}：{shown}", f"{cause.en}: {shown}"))


def hidden(scheme: str) -> str:
    """The name of an address that may hold a secret."""
    return f"{scheme}…"


_SECRET = Message(
    "地址中不得有密钥，否则它会出现在进程列表和输出中；请用环境变量（AWS_ACCESS_KEY_ID、AWS_SECRET_ACCESS_KEY）、配置文件或角色",
    "no secret may stand in an address, where process lists and outputs would show it; set AWS_ACCESS_KEY_ID and "
    "AWS_SECRET_ACCESS_KEY, or use a profile or a role",
)


def _form(scheme: str) -> Message:
    form = f"{scheme}BUCKET/KEY[?OPTION=VALUE&…]"
    options = ", ".join(OPTIONS[scheme])
    return Message(f"应写作 {form}；选项：{options}", f"it is written {form}; the options: {options}")
