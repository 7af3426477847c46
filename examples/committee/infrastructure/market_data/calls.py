"""One call of a vendor's library: in bounded time, silent, again when the connection failed, with our errors alone."""

from __future__ import annotations

import contextlib
import io
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import TypeVar

from examples.committee.domain.exceptions import MarketDataError
from examples.committee.infrastructure.market_data.failures import ConnectionLostError, needs_extra, too_late
from src.shared.infrastructure.llm.http.retry_log import take_over_retries

with needs_extra("akshare"):
    import stamina

T = TypeVar("T")

FIRST_WAIT = 0.5
"""Seconds before a call is made again; each further wait is twice as long."""
LONGEST_WAIT = 4.0


class Calls:
    """Makes calls.

    Args:
        timeout: seconds for one call. The libraries set no limit of time for most of their requests, and some send
            many: a call that takes longer is left behind in its thread, which does not keep the process alive.
        attempts: how often a call is made at most.
        failure: our error for a vendor's exception; it gets the source.
    """

    def __init__(self, timeout: float, attempts: int, failure: Callable[[Exception, str], MarketDataError]) -> None:
        self._timeout = timeout
        self._failure = failure
        self._repeating = stamina.retry(
            on=ConnectionLostError, attempts=attempts, timeout=None, wait_initial=FIRST_WAIT, wait_max=LONGEST_WAIT
        )

    def __call__(self, source: str, ask: Callable[[], T]) -> T:
        """Return what `ask` returns.

        Args:
            source: library and function, for errors.
            ask: the call, and the reading of what it gives.

        Raises:
            MarketDataError: in place of everything the vendor raises. It is not chained: a request holds the token.
        """
        take_over_retries(__name__)

        def ask_once() -> T:
            return self._once(source, ask)

        return self._repeating(ask_once)()

    def _once(self, source: str, ask: Callable[[], T]) -> T:
        results: list[T] = []
        errors: list[MarketDataError] = []

        def work() -> None:
            try:
                results.append(ask())
            except MarketDataError as error:
                errors.append(error)
            except Exception as error:  # noqa: BLE001 - vendors raise anything
                errors.append(self._failure(error, source))

        thread = threading.Thread(target=work, daemon=True)
        with _silence():
            thread.start()
            thread.join(self._timeout)
        if not results and not errors:
            raise too_late(source, self._timeout)
        if errors:
            raise errors[0]
        return results[0]


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Progress bars, prints and warnings of a library are not for the user of ours."""
    nowhere = io.StringIO()
    with (
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield
