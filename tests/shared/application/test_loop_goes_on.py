"""Other tasks of the event loop run while a large text is read."""

import time

import pytest

from src.shared.application.reading import LARGE
from tests.thorough import at_length
from tools.attack.reading import FAMILIES, measure

pytestmark = pytest.mark.anyio

SIZE_OF = {name: 50_000 for name in FAMILIES if name.startswith("clean")}
LONG = at_length(50_000, 500_000)
MOST_DELAY = 0.1
"""Seconds."""
MEASURED_AGAIN = 5
"""How often a delay is measured before it is believed: other programs make a machine slow."""


@pytest.mark.parametrize(("family", "size"), [(name, SIZE_OF.get(name, LONG)) for name in FAMILIES])
async def test_other_tasks_of_the_loop_run_while_a_large_text_is_read(family: str, size: int) -> None:
    """The longest of 157,001 recorded answers has 46,168 characters, as the clean ones here: Pydantic reads clean text
    in one call, during which nothing else runs."""
    text = FAMILIES[family].text(size)

    over = [await delay_over_idle(text)]
    while over[-1] > MOST_DELAY and len(over) < MEASURED_AGAIN:
        over.append(await delay_over_idle(text))

    assert min(over) <= MOST_DELAY


async def delay_over_idle(text: str) -> float:
    """The longest wait of another task, less what a busy machine makes it wait while nothing is read."""
    idle = await measure("x" * LARGE, lambda _: time.sleep(0.2))
    return (await measure(text)).delay - idle.delay
