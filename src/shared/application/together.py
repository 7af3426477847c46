"""Doing two things at once."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

A = TypeVar("A")
B = TypeVar("B")


async def both(first: Coroutine[Any, Any, A], second: Coroutine[Any, Any, B]) -> tuple[A, B]:
    """Await two coroutines side by side.

    When one fails the other is cancelled, and the failure is raised as it is; when both fail at once, the first one's.
    Cancelling this cancels both.
    """
    try:
        async with asyncio.TaskGroup() as group:
            one, two = group.create_task(first), group.create_task(second)
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return one.result(), two.result()
