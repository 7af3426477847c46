"""The transport's retries, in the library's own log.

stamina logs every retry through structlog by default, configured or not, and structlog without a configuration
prints to standard output. So the retries of the transport are taken out of that one hook and written like every
other line of the library. Retries of other code, and all other hooks, stay as they are.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from src.shared.infrastructure.events.library_log import excerpt, excerpt_limit, write
from src.shared.infrastructure.llm.provider_errors import needs_extra

with needs_extra():
    from stamina.instrumentation import StructlogOnRetryHook, get_on_retry_hooks, set_on_retry_hooks
    from stamina.typing import RetryDetails, RetryHook


_OURS: set[str] = set()
"""How the names of the retries begin that are taken over."""


def take_over_retries(module: str) -> None:
    """Write `llm_retry_scheduled` instead of stamina's own event.

    Args:
        module: name of the module whose retries they are.
    """
    _OURS.add(f"{module}.")
    hooks = get_on_retry_hooks()
    if any(map(_is_through_structlog, hooks)):
        set_on_retry_hooks([_instead_of(hook) if _is_through_structlog(hook) else hook for hook in hooks])


def _is_through_structlog(hook: RetryHook) -> bool:
    return getattr(hook, "__module__", "") == StructlogOnRetryHook.hook_factory.__module__


def _instead_of(hook: RetryHook) -> RetryHook:
    def log_retry(details: RetryDetails) -> AbstractContextManager[None] | None:
        if not details.name.startswith(tuple(_OURS)):
            return hook(details)
        write("warning", "llm_retry_scheduled", partial(_facts, details))
        return None

    return log_retry


def _facts(details: RetryDetails) -> dict[str, Any]:
    error = details.caused_by
    return {
        "code": getattr(error, "code", type(error).__name__),
        "retry_number": details.retry_num,
        "wait_for": round(details.wait_for, 2),
        "error": excerpt(str(error), excerpt_limit()),
    }
