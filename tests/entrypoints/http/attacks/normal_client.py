"""A client that asks for ordinary things while others attack, and notes how it fares."""

from __future__ import annotations

import socket
import threading
import time
from typing import Self

from tests.entrypoints.http.attacks.wire import connected, parse_body, read_answer, request, status_of
from tests.processes import LIMIT

LONGEST = 1.0
"""Seconds that an answer may take while an attack runs; an undisturbed one takes a few milliseconds."""
_PAUSE = 0.01
_ASKED = request(body=parse_body("```json\n{'a': 1,}\n```"))


class NormalClient:
    """Asks again and again, on one connection and now and then on a new one, as long as its block is open.

    Attributes:
        seconds: that each answer took.
        failures: what was no answer with a value.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self.seconds: list[float] = []
        self.failures: list[str] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(LIMIT)

    def _ask(self) -> None:
        while not self._stop.is_set():
            try:
                with connected(self._port, "127.0.0.1") as connection:
                    for _ in range(20):
                        self._once(connection)
            except OSError as error:
                self.failures.append(repr(error))

    def _once(self, connection: socket.socket) -> None:
        began = time.monotonic()
        connection.sendall(_ASKED)
        answer = read_answer(connection)
        self.seconds.append(time.monotonic() - began)
        if status_of(answer) != 200 or b'{"data":{"a":1}' not in answer:
            self.failures.append(answer.decode("utf-8", "replace") or "closed")
        self._stop.wait(_PAUSE)

    def is_undisturbed(self) -> bool:
        """Whether every answer came, was right, and was soon."""
        return not self.failures and bool(self.seconds) and max(self.seconds) < LONGEST
