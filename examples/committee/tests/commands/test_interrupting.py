"""What a signal ends: first the agents, and if they do not end, or at the second one, the run."""

import asyncio
import os
import signal
from collections.abc import Callable

import pytest

from examples.committee.commands import interrupting
from examples.committee.commands.interrupting import interruptible
from src.shared.application.agent_runs import Interruption

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="there is no SIGINT for a process on Windows"),
    pytest.mark.usefixtures("ignored_sigint"),
]


def send(number: signal.Signals) -> None:
    os.kill(os.getpid(), number)


@pytest.fixture
def wait() -> Callable[..., None]:
    """Waits for ever within the block, while these signals come one after the other."""

    async def waiting(*numbers: signal.Signals) -> None:
        with interruptible(Interruption()):
            for number in numbers:
                send(number)
                await asyncio.sleep(0.01)
            await asyncio.sleep(3600)

    return lambda *numbers: asyncio.run(waiting(*numbers))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_run_that_does_not_end_by_itself_is_ended_after_a_while(
    number: signal.Signals, wait: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interrupting, "GRACE", 0.05)
    with pytest.raises(asyncio.CancelledError):
        wait(number)


def test_second_ctrl_c_ends_the_run_at_once(wait: Callable[..., None]) -> None:
    with pytest.raises(KeyboardInterrupt):
        wait(signal.SIGINT, signal.SIGINT)
