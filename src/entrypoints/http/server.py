"""Running the service: one process, or a supervisor and its workers, until a signal ends it.

The sockets that the service listens at: one for each worker, where the kernel shares connections out among them.

Of workers that share one socket, the one that wakes up first takes most connections of a burst, and keeps them: with
two workers and 200 connections the p99 was 520 to 960 ms, where it is 150 to 450 ms (`AcceptingLoop`).
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from multiprocessing import Pipe, connection, parent_process
from pathlib import Path
from typing import TypeVar

import uvicorn
from fastapi import FastAPI
from starlette.applications import Starlette
from uvicorn.supervisors import Multiprocess

from src.entrypoints.http.connections import server_options
from src.entrypoints.http.service_settings import FOLDER_VARIABLE, ServiceSettings, ServiceSettingsError
from src.modules.monitoring.container import record_outcomes
from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings
from src.shared.domain.language import Phrase

BACKLOG = 2_048
"""Connections that may wait to be accepted."""
LOOP = "auto" if sys.platform == "win32" else f"{__name__.rpartition('.')[0]}.accepting_loop:AcceptingLoop"
"""Uvicorn's setting `loop`."""
_SHARES = sys.platform == "linux"
"""Whether the kernel shares connections out among the sockets of one port."""


def listen(host: str, port: int, workers: int) -> list[socket.socket]:
    """Listen at an address.

    Args:
        host: a name or an address.
        port: 0 takes a free one.
        workers: how many processes will take connections.

    Raises:
        ServiceSettingsError: it is not possible, for example because another service listens there.
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = [socket.create_server(address[:2], family=family, backlog=BACKLOG)]
        if workers > 1 and _SHARES:
            first, place = listening[0], listening[0].getsockname()[:2]
            first.close()  # nobody else was there: a socket that shares its port would join another service
            listening = [
                socket.create_server(place, family=family, backlog=BACKLOG, reuse_port=True) for _ in range(workers)
            ]
    except OSError as error:
        why = error.strerror or type(error).__name__
        message = Phrase("cannot listen at {host}, port {port}: {why}", host=host, port=port, why=why)
        raise ServiceSettingsError(message.text(), {"variables": ["OUTPUT_HOST", "OUTPUT_PORT"]}) from None
    for each in listening:
        each.set_inheritable(True)
    return listening


SWITCH = 0.001
"""Seconds after which a thread that asks or writes to the store lets the loop have its turn."""


App = TypeVar("App", bound=Starlette)


def worker_app(settings: ServiceSettings, monitoring: MonitoringSettings) -> FastAPI:
    """Make the application of one worker, in its process, and have signals and the end of the supervisor noticed."""
    from src.entrypoints.http.app import create_app  # noqa: PLC0415 - after the folder of the numbers is known

    return prepared_app(partial(create_app, settings, monitoring))


def prepared_app(make: Callable[[], App]) -> App:
    """Make an application whose state has the `service`, in the process of its worker, which logs and stops well."""
    from src.entrypoints.http.log import configure_service_log  # noqa: PLC0415 - in the worker

    configure_service_log()
    app = make()
    _notice_signals(app)
    _end_with_supervisor()
    sys.setswitchinterval(SWITCH)
    gc.collect()
    gc.freeze()  # what is loaded now stays
    return app


class Serving:
    """What uvicorn calls again and again, as soon as a process serves; it announces that once.

    Attributes:
        error: why it could not be announced: nobody listens, and the process is stopped.
    """

    def __init__(self, announce: Callable[[], object]) -> None:
        """Announce nothing yet."""
        self._left = [announce]
        self.error: OSError | None = None

    async def __call__(self) -> None:
        """Announce it, if that has not been done."""
        try:
            while self._left:
                self._left.pop()()
        except OSError as error:
            self.error = error
            signal.raise_signal(signal.SIGTERM)


def serve(settings: ServiceSettings, monitoring: MonitoringSettings, announce: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT.

    Args:
        settings: how to listen, whom to answer, and what is too much.
        monitoring: where outcomes go.
        announce: told of the address, as soon as every worker answers.

    Raises:
        ServiceSettingsError: it must not listen there, or cannot.
        MonitoringSettingsError: the store's address is none.
        OSError: `announce` raised it.
    """
    if monitoring.store_url:
        settings.check_reach()
        record_outcomes(monitoring)
    run_workers(settings, partial(worker_app, settings, monitoring), announce)


def run_workers(settings: ServiceSettings, make: Callable[[], Starlette], announce: Callable[[str], None]) -> None:
    """Run an application until SIGTERM or SIGINT.

    Args:
        settings: how to listen, and for how long to wait in the end.
        make: makes the application in each worker; it can be pickled.
        announce: told of the address, as soon as every worker answers.

    Raises:
        ServiceSettingsError: it must not listen there, or cannot.
        OSError: `announce` raised it.
    """
    settings.check_reach()
    host = settings.host.strip("[]")
    listening = listen(host, settings.port, settings.workers)
    config = uvicorn.Config(
        make,
        factory=True,
        workers=settings.workers,
        lifespan="on",
        loop=LOOP,
        log_config=None,
        log_level="warning",
        **server_options(),
        timeout_graceful_shutdown=settings.stop_timeout,  # type: ignore[arg-type]  # it is only waited for
    )
    shown = f"[{host}]" if ":" in host else host
    tell = partial(announce, f"http://{shown}:{listening[0].getsockname()[1]}")
    if settings.workers == 1:
        for sign in (signal.SIGTERM, signal.SIGINT):
            signal.signal(sign, lambda *_: None)  # uvicorn raises it again in the end
        config.callback_notify = serving = Serving(tell)
        uvicorn.Server(config).run(listening)
        if serving.error:
            raise serving.error
        return
    with tempfile.TemporaryDirectory(prefix="llm-output-metrics-") as folder:
        os.environ[FOLDER_VARIABLE] = folder
        Workers(config, listening, tell).run()


class Workers(Multiprocess):
    """Uvicorn's supervisor, which starts a worker again that has died, and gives each one a socket of its own."""

    def __init__(self, config: uvicorn.Config, listening: list[socket.socket], announce: Callable[[], object]) -> None:
        """Start nothing yet.

        Args:
            config: of every worker.
            listening: a socket for each.
            announce: called when all of them serve.
        """
        super().__init__(config, listening)
        self._heard, telling = Pipe(duplex=False)
        self._not_yet, self._announce = config.workers, announce
        config.callback_notify = Serving(partial(telling.send, None))

    def run(self) -> None:
        """Run until a signal; what ends it otherwise, such as a closed stdout, ends the workers too."""
        try:
            super().run()
        except BaseException:
            self.terminate_all()
            self.join_all()
            raise

    @property
    def sockets(self) -> list[socket.socket]:
        """Those of the next worker to be started; the first is its own, and that of no other that lives."""
        at = next((at for at, one in enumerate(self.processes) if not one.process.is_alive()), len(self.processes))
        at %= len(self._sockets)
        return self._sockets[at:] + self._sockets[:at]

    @sockets.setter
    def sockets(self, listening: list[socket.socket]) -> None:
        self._sockets = listening

    def keep_subprocess_alive(self) -> None:
        """Start those again that have died; what they counted stays, what they had in use does not."""
        while self._heard.poll():
            self._heard.recv()
            self._not_yet -= 1
            if self._not_yet == 0:
                self._announce()
        before = [process.pid for process in self.processes]
        super().keep_subprocess_alive()
        for gone in {*before} - {process.pid for process in self.processes}:
            for left in Path(os.environ[FOLDER_VARIABLE]).glob(f"gauge_live*_{gone}.db"):
                left.unlink(missing_ok=True)


def _notice_signals(app: Starlette) -> None:
    """Let the worker say that it is stopping from the moment of the signal on."""
    for sign in (signal.SIGTERM, signal.SIGINT):
        before = signal.getsignal(sign)

        def tell(number: int, frame: object, before: Callable[..., object] = before) -> None:  # type: ignore[assignment]
            app.state.service.is_stopping = True
            before(number, frame)

        signal.signal(sign, tell)


def _end_with_supervisor() -> None:
    """A worker whose supervisor was killed stops by itself; it would keep the port."""
    parent = parent_process()
    if parent is None:
        return

    def wait() -> None:
        connection.wait([parent.sentinel])
        signal.raise_signal(signal.SIGTERM)

    threading.Thread(target=wait, name="llm-output-supervisor", daemon=True).start()
