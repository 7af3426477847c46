"""The problems of the store, without its address, which is private."""

from __future__ import annotations

from src.entrypoints.http.problems import Problem
from src.modules.monitoring.domain.exceptions import StoreError, StoreVersionError
from src.shared.domain.language import Message

_RETRY = {"retry-after": "5"}


def store_problem(error: StoreError) -> Problem:
    """The problem of a store that cannot be asked."""
    if isinstance(error, StoreVersionError):
        zh, en = "存储的表版本不符；请运行 llm-output store upgrade", "the store's tables are of another version"
        return Problem(503, error.code, Message(zh, f"{en}; run llm-output store upgrade"))
    zh, en = "存储暂时无法使用", "the store cannot be used at the moment"
    return Problem(503, error.code, Message(zh, en), headers=_RETRY)


def unwritten() -> Problem:
    """The problem of a store that outcomes cannot be written to."""
    zh, en = "结果无法写入存储（例如磁盘已满）", "outcomes cannot be written to the store: its disk may be full"
    return Problem(503, "STORE_NOT_WRITABLE", Message(zh, en), headers=_RETRY)
