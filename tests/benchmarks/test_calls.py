"""What the comparison of calls reports, and that what it asks is answered rightly."""

from __future__ import annotations

import pytest

from tests.loopback.answers import answer
from tests.loopback.server import ChatServer
from tools.benchmarks.answering import answering
from tools.benchmarks.callers import ASKED, BARE, Asked, bare_client, ours
from tools.benchmarks.calls import Spent, _added, _row, _typical

pytestmark = pytest.mark.anyio


def turns(*cpu: float) -> list[Spent]:
    return [Spent(2 * each, each) for each in cpu]


def test_time_is_that_of_the_fastest_quarter_of_the_turns() -> None:
    assert _typical(turns(9, 3, 50, 1, 2, 50, 50, 50, 50, 50, 50, 50)) == Spent(4, 2)
    assert _typical(turns(5, 4)) == Spent(8, 4)


def test_added_is_the_difference_from_the_bare_client() -> None:
    assert _added({BARE: turns(3), "ours": turns(3.5)}, "ours") == Spent(1.0, 0.5)


def test_row_compares_every_client_but_the_bare_one() -> None:
    measured = {BARE: turns(2), "ours": turns(2.5)}
    assert _row(BARE, "1", measured) == [BARE, "1", "4.00", "2.00", "", "", ""]
    assert _row("ours", "2", measured) == ["ours", "2", "5.00", "2.50", "+1.00", "+0.50", "1.25"]


@pytest.mark.parametrize("asked", ASKED.values(), ids=lambda asked: asked.name)
async def test_bare_client_and_ours_send_the_same_prompt_and_get_the_same_answer(
    asked: Asked, chat_server: ChatServer
) -> None:
    chat_server.respond(lambda _: answer(asked.answer))
    async with bare_client(chat_server.url, asked) as bare, ours(chat_server.url, asked) as typed:
        assert asked.dto_type.model_validate(await bare()) == await typed()
    first, second = chat_server.requests
    assert first.prompt == second.prompt


async def test_server_of_the_comparison_answers_by_the_name_of_the_model() -> None:
    with answering({name: asked.answer for name, asked in ASKED.items()}) as url:
        for asked in ASKED.values():
            async with ours(url, asked) as typed:
                assert await typed() == asked.dto_type.model_validate_json(asked.answer)
