"""Processes that can be ended, for what may take long, need too much memory, or end its process.

A worker makes the handler of a `Task`, is asked to handle items, and answers in pieces. `SupervisedWorker` runs it in a
new interpreter, which may run anybody's code, and finds the item that kills it. `ForkServer` copies a process that has
made the handler before, in milliseconds.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import IO, Any, Generic, NamedTuple, TypeVar, cast

from src.shared.domain.exceptions import AppException
from src.shared.domain.language import Message, Phrase

R = TypeVar("R")


def function_named(name: str) -> Callable[..., Any]:
    """Import a function by `package.module:function`."""
    module, _, function = name.partition(":")
    return cast("Callable[..., Any]", getattr(import_module(module), function))


@dataclass(frozen=True)
class Task:
    """A handler of items by the name of the function that makes it.

    `handle(item)` handles the next item, and `take()` gives what came of the items since the last time.

    Attributes:
        function: `package.module:function`.
        arguments: what it is called with; anything that can be pickled.
        folder: where modules of the user's are imported from besides; the current directory of whoever asks.
    """

    function: str
    arguments: dict[str, Any] = field(default_factory=dict)
    folder: str = ""

    def handler(self) -> Any:  # noqa: ANN401 - as the function makes it
        """Make the handler.

        Raises:
            Exception: whatever the import or the function raises.
        """
        if self.folder and self.folder not in sys.path:
            sys.path.insert(0, self.folder)
        return function_named(self.function)(**self.arguments)


@dataclass(frozen=True)
class Limits:
    """What one item may take.

    Attributes:
        seconds: time for one item.
        megabytes: memory for the items beside what the worker takes before the first; 0 is no limit.
    """

    seconds: float = 60.0
    megabytes: int = 2048


class Request(NamedTuple):
    """Items to handle.

    Attributes:
        items: the items, in order.
        one_by_one: whether what came of each is sent before the next begins.
        processor_seconds: processor time of all of them, after which the process ends; 0 is no limit.
    """

    items: tuple[object, ...]
    one_by_one: bool = False
    processor_seconds: float = 0.0


class Piece(NamedTuple):
    """What came of the next items, and how many they were; the last piece says so."""

    result: Any
    items: int
    is_last: bool = False


class WorkerDiedError(Exception):
    """A worker has ended before it answered: it was killed, took too long, or ended by itself.

    Attributes:
        why: what is known of it.
        in_time: whether it did not take too long.
    """

    def __init__(self, why: Message, *, in_time: bool = True) -> None:
        super().__init__(why.en)
        self.why, self.in_time = why, in_time


# --- messages -----------------------------------------------------------------------------------------------

_LENGTH = struct.Struct("!Q")


def pack(message: object) -> bytes:
    """A message as bytes, with their number in front."""
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(content)) + content


def _send(stream: IO[bytes], message: object) -> None:
    stream.write(pack(message))
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:  # noqa: ANN401 - a message of ours
    """The next message; an EOFError or an UnpicklingError where the other end is gone."""
    head = stream.read(_LENGTH.size)
    return pickle.loads(stream.read(*_LENGTH.unpack(head)) if len(head) == _LENGTH.size else b"")  # noqa: S301 - from a process of ours


# --- in the process -----------------------------------------------------------------------------------------

SEND_EVERY = 0.1
"""Seconds after which what came of the items so far is sent: a worker that dies has so much to do again."""
_LOOK_EVERY = 1.0
_MESSAGE_LIMIT = 2_000
_EASILY_KILLED = "500"
"""The kernel ends such a process before others when the machine is out of memory."""


def work(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Make the handler of a task and handle items, until there are no more requests."""
    task, limits = _receive(requests)
    try:
        handler = task.handler()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the user's modules are imported here
        why = error.message if isinstance(error, AppException) else f"{type(error).__name__}: {error}"
        _send(answers, why[:_MESSAGE_LIMIT])
        return
    _limit_memory(limits.megabytes)
    _send(answers, "")
    _handle(handler, requests, answers)


def _handle(handler: Any, requests: IO[bytes], answers: IO[bytes]) -> None:  # noqa: ANN401 - as `Task` makes it
    while True:
        try:
            request: Request = _receive(requests)
        except EOFError:
            return
        every = 0.0 if request.one_by_one else SEND_EVERY
        handled, sent = 0, time.monotonic()
        if request.processor_seconds:  # the default of the signal ends this process also inside of an expression
            signal.setitimer(signal.ITIMER_PROF, request.processor_seconds)
        for item in request.items:
            if handled and time.monotonic() - sent >= every:
                _send(answers, Piece(handler.take(), handled))
                handled, sent = 0, time.monotonic()
            handler.handle(item)
            handled += 1
        if request.processor_seconds:
            signal.setitimer(signal.ITIMER_PROF, 0)
        _send(answers, Piece(handler.take(), handled, is_last=True))


def _limit_memory(megabytes: int) -> None:  # pragma: no cover - in a process of its own
    """Let an item that needs more end in a MemoryError here, before the machine has none left for anybody."""
    try:
        import resource  # noqa: PLC0415 - not on Windows

        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return
    if megabytes:
        limit = used + megabytes * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def run_worker() -> None:  # pragma: no cover - in a process of its own
    """Be a worker. Its first two streams belong to its owner: what is run here prints nowhere, and reads nothing."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    _leave_streams(0, 1)
    _ignore(signal.SIGINT)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    with contextlib.suppress(ConnectionError):  # the owner is gone
        work(requests, answers)


def _end_with(owner: int) -> None:  # pragma: no cover - in a process of its own
    """End when the owner is gone, also in the middle of an item."""
    while os.getppid() == owner:
        time.sleep(_LOOK_EVERY)
    os._exit(1)


def _leave_streams(*streams: int) -> None:  # pragma: no cover - in a process of its own
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in streams:
        os.dup2(nowhere, stream)
    os.close(nowhere)


def run_fork_server() -> None:  # pragma: no cover - in a process of its own
    """Be the process that workers are copied from, until the owner is gone; it runs no thread and handles nothing.

    It ends every worker that it is told to end, and all of them in the end.
    """
    _ignore(signal.SIGINT, signal.SIGTERM)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    task, orders = Task(sys.argv[2]), socket.socket(fileno=int(sys.argv[3]))
    task.handler()
    gc.collect()
    gc.freeze()
    workers: dict[int, int] = {}
    while True:
        order, handles, _, _ = socket.recv_fds(orders, _ORDER.size, 1)
        if not order:
            break
        number, niceness = _ORDER.unpack(order)
        if handles:
            workers[number] = _copy(task, orders, handles[0], niceness)
        elif number in workers:
            _kill(workers.pop(number))
    for pid in workers.values():
        _kill(pid)


def _copy(task: Task, orders: socket.socket, handle: int, niceness: int) -> int:  # pragma: no cover - as above
    pid = os.fork()
    if pid:
        os.close(handle)
        return pid
    try:
        orders.close()
        os.nice(niceness)
        os.setsid()
        for file, value in (("autogroup", str(niceness)), ("oom_score_adj", _EASILY_KILLED)):
            with contextlib.suppress(OSError):  # this system, or this kernel, has no such thing
                Path("/proc/self", file).write_text(value, encoding="ascii")
        _leave_streams(0, 1, 2)
        owner = socket.socket(fileno=handle)
        with contextlib.suppress(ConnectionError):  # the owner is gone
            # The handler is made anew: it copies the pages of memory that the first item would have to copy.
            _handle(task.handler(), owner.makefile("rb"), owner.makefile("wb"))
    finally:
        os._exit(0)


def _kill(pid: int) -> None:  # pragma: no cover - as above
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


# --- in the process of who asks -----------------------------------------------------------------------------

_ROOT = __name__.partition(".")[0]
_OWN = str(Path(sys.modules[_ROOT].__path__[0]).parent)
_START_SECONDS = 120.0
_STARTS = 3
"""How often a worker may die before it is ready, in a row."""
_STRIKES = 2
"""How often a worker has to die at the same item, which it handles first, until that item is to blame."""
_SLACK = 0.5
_CLOSED = Phrase("stopped")


def _command(run: Callable[[], None], *arguments: str) -> list[str]:
    """The command of this interpreter with this package, whatever is in the current directory, and with our paths."""
    program = (
        f"import json, sys; own, paths = json.loads(sys.argv[1]); sys.path.insert(0, own); import {_ROOT}; "
        f"sys.path[:] = paths; from {__name__} import {run.__name__}; {run.__name__}()"
    )
    return [sys.executable, "-P", "-c", program, json.dumps([_OWN, sys.path]), *arguments]


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back while a process is started: it inherits that, until it has said that it ignores Ctrl-C."""
    if not hasattr(signal, "pthread_sigmask"):  # pragma: no cover - Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _ignore(*signs: signal.Signals) -> None:  # pragma: no cover - in a process of its own
    """Leave signals to the owner, which ends its workers when it stops, and hold none back any longer."""
    for sign in signs:
        signal.signal(sign, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, signs)


class SupervisedWorker(Generic[R]):
    """Handles items in a process of its own, a new interpreter, which is started again whenever it dies.

    A process that is silent for too long is killed. Not for several threads at once.
    """

    def __init__(
        self, task: Task, limits: Limits, blame: Callable[[Any, Message], R], failure: Callable[[str], Exception]
    ) -> None:
        """Start nothing yet.

        Args:
            task: what the worker does.
            limits: what an item may take.
            blame: makes what came of an item on which the worker dies, from the item and the reason.
            failure: makes the error that is raised where no worker can be started, of the reason.
        """
        self._task, self._limits, self._blame, self._failure = task, limits, blame, failure
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False

    def run(self, items: Sequence[Any]) -> list[R]:
        """What came of the items, in their order, in pieces; without items the process is started all the same.

        When the worker dies, some of the items have no answer yet. A new worker then handles them one by one. The item
        at which it dies once more is handled first by a third one, since something else may have killed the second. An
        item that takes too long is not tried a third time.

        Raises:
            Exception: as `failure` makes it: a worker cannot be started.
        """
        results: list[R] = []
        self._ready()
        done, strikes, one_by_one = 0, 0, False
        while done < len(items):
            before = done
            try:
                for piece in self._pieces(self._ready(), Request(tuple(items[done:]), one_by_one)):
                    results.append(piece.result)
                    done += piece.items
            except WorkerDiedError as dead:
                self._end()
                strikes = (strikes if done == before else 0) + one_by_one
                if strikes >= _STRIKES or (strikes and not dead.in_time):
                    results.append(self._blame(items[done], dead.why))
                    done, strikes = done + 1, 0
                one_by_one = True
        return results

    def close(self) -> None:
        """End the process, if there is one, and start no other. May be called while another thread runs items."""
        self._is_closed = True
        self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process:
            process.kill()
            process.wait()
            for stream in _streams_of(process):
                with contextlib.suppress(OSError):
                    stream.close()

    def _ready(self) -> subprocess.Popen[bytes]:
        """A process that can handle items, or has said why it cannot."""
        process, deaths = self._process, 0
        while process is None:
            environment = {**os.environ, "PYTHONHASHSEED": "0"}  # a set in an output has the same order in every worker
            with _interrupts_held():
                self._process = process = subprocess.Popen(  # noqa: S603 - this interpreter, with our own line
                    _command(run_worker), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
                )
            try:
                with self._answering(process, _START_SECONDS) as (requests, answers):
                    _send(requests, (self._task, self._limits))
                    why: str = _receive(answers)
            except WorkerDiedError as dead:
                self._end()
                process, deaths = None, deaths + 1
                why = dead.why.text() if deaths == _STARTS else ""
            if self._is_closed:
                self._end()
                why = _CLOSED.text()
            if why:
                raise self._failure(why)
        return process

    def _pieces(self, process: subprocess.Popen[bytes], request: Request) -> Iterator[Piece]:
        """What comes of the items, until the last of them."""
        piece: Piece | None = None
        while not (piece and piece.is_last):
            with self._answering(process, self._limits.seconds + _SLACK) as (requests, answers):
                if piece is None:
                    _send(requests, request)
                piece = cast("Piece", _receive(answers))
            yield piece

    @contextlib.contextmanager
    def _answering(self, process: subprocess.Popen[bytes], seconds: float) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """The streams of a process while it has to answer; a WorkerDiedError where it does not."""
        is_late = threading.Event()

        def end_late() -> None:
            is_late.set()
            process.kill()

        timer = threading.Timer(seconds, end_late)
        timer.daemon = True
        timer.start()
        try:
            yield _streams_of(process)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):  # the other end, or this one, is closed
            process.kill()
            code = process.wait()
            if is_late.is_set():
                why = Phrase("it took longer than {seconds:g} seconds", seconds=self._limits.seconds)
            elif code < 0:
                why = Phrase("the reading process was killed: {name}", name=signal.Signals(-code).name)
            else:
                why = Phrase("the reading process ended by itself: exit code {code}", code=code)
            raise WorkerDiedError(why, in_time=not is_late.is_set()) from None
        finally:
            timer.cancel()


def _streams_of(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    """Where it is sent requests, and where its answers come."""
    return cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)


_ORDER = struct.Struct("!Ib")
"""An order to a fork server: the number of a worker, and its niceness. With a socket it is a new one, else its end."""
_AT_ONCE = 262_144
"""Bytes of an answer that are received at once."""
_DIED = Phrase("the process was ended")


class ForkServer:
    """The process that workers are copied from; it is started with the first worker, and again should it die."""

    def __init__(self, function: str, environment: Callable[[], Mapping[str, str]]) -> None:
        """Start nothing yet.

        Args:
            function: as for `Task`, without arguments. The server makes the handler too, which loads what it needs.
            environment: the variables of all these processes.
        """
        self._function, self._environment = function, environment
        self._lock, self._numbers = threading.Lock(), count(1)
        self._process: subprocess.Popen[bytes] | None = None
        self._orders: socket.socket | None = None

    @property
    def pid(self) -> int | None:
        """Its process; None before it is needed."""
        return self._process.pid if self._process else None

    def worker(self, niceness: int) -> ForkedWorker:
        """A new worker, which can be asked at once; what it is asked waits until it is there.

        Args:
            niceness: how far it steps back behind other processes, 0 to 19.
        """
        ours, theirs = socket.socketpair()
        ours.setblocking(False)  # noqa: FBT003 - the library's way
        number = next(self._numbers)
        order, handles = _ORDER.pack(number, niceness), [theirs.fileno()]
        with self._lock, theirs:
            orders = self._orders if self._process and self._process.poll() is None else None
            try:
                socket.send_fds(orders or self._start(), [order], handles)
            except OSError:  # it has ended just now
                socket.send_fds(self._start(), [order], handles)
        return ForkedWorker(self, ours, number)

    def end(self, number: int) -> None:
        """End a worker."""
        with self._lock, contextlib.suppress(OSError):  # without a server there are no workers
            if self._orders:
                self._orders.sendall(_ORDER.pack(number, 0))

    def close(self) -> None:
        """End it, and every worker."""
        if self._process and self._orders:
            self._orders.close()  # which it sees
            self._process.wait()

    def _start(self) -> socket.socket:
        if self._process is None:
            atexit.register(self.close)
        self.close()
        self._orders, theirs = socket.socketpair()
        with theirs, _interrupts_held():
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter, with our own line
                _command(run_fork_server, self._function, str(theirs.fileno())),
                env=self._environment(),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        return self._orders


class ForkedWorker:
    """A worker of a fork server, for one request at a time."""

    def __init__(self, server: ForkServer, connection: socket.socket, number: int) -> None:
        self._server, self._connection, self._number = server, connection, number

    async def ask(self, request: bytes) -> Any:  # noqa: ANN401 - as the handler makes it
        """What comes of a `Request` with one item, as `pack` makes it.

        Raises:
            WorkerDiedError: nothing does.
        """
        import asyncio  # noqa: PLC0415 - a worker in a new interpreter needs none of it

        loop, received = asyncio.get_running_loop(), bytearray()
        with contextlib.suppress(OSError):
            await loop.sock_sendall(self._connection, request)
            while piece := await loop.sock_recv(self._connection, _AT_ONCE):
                received += piece
                if len(received) >= _LENGTH.size and len(received) == _LENGTH.size + _LENGTH.unpack_from(received)[0]:
                    return pickle.loads(memoryview(received)[_LENGTH.size :]).result  # noqa: S301 - from a process of ours
        raise WorkerDiedError(_DIED)

    def end(self) -> None:
        """End it, whatever it does."""
        self._connection.close()
        self._server.end(self._number)
