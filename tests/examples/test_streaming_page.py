"""The events of the streaming page, read over loopback by a client that is no browser."""

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from examples.streaming_page.answers import RECORDED, Answer
from examples.streaming_page.app import create_app
from examples.streaming_page.report import Report
from examples.written_in_chunks import written_in_chunks
from llm_output import parse_llm_json_output
from tests.examples.streaming_answers import ANSWERS, DRAFT, FIELDS, HOSTILE, HOSTILE_KEY, SIZE, read_events
from tests.loopback.asgi_server import AsgiServer

SURROGATE = Answer("half a character", HOSTILE.text.replace("javascript", r"\ud800"), finished=True)
LONG = Answer("endless", '{"title": "' + "a" * 100_000, finished=True)


@pytest.fixture(scope="module")
def server() -> Iterator[AsgiServer]:
    answers = {**RECORDED, **ANSWERS, "surrogate": SURROGATE, "long": LONG}
    with AsgiServer(create_app(answers, size=SIZE, pause=0.0)) as running:
        yield running


@pytest.fixture
def client(server: AsgiServer) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=server.root) as connected:
        yield connected


def events(client: httpx2.Client, name: str) -> list[tuple[str, Any]]:
    return read_events(client.get(f"/answers/{name}/events").raise_for_status().text)


def put_together(told: list[tuple[str, Any]]) -> dict[str, str]:
    """What a page shows in the end at each path that has text."""
    shown: dict[str, str] = {}
    for name, data in told:
        for part in data["parts"] if name == "snapshot" else ():
            if part["kind"] == "string":
                shown[part["path"]] = shown.get(part["path"], "") + part["text"]
            elif part["kind"] == "other":
                assert shown.get(part["path"], part["text"]) == part["text"]
                shown[part["path"]] = part["text"]
    return shown


def test_parts_put_together_are_the_answer(client: httpx2.Client) -> None:
    told = events(client, "hostile")
    assert put_together(told) == {
        "$.title": FIELDS["title"],
        "$.score": "78",
        "$.summary": FIELDS["summary"],
        "$.findings[0].point": FIELDS["findings"][0]["point"],
        "$.findings[0].weight": "4",
        "$.findings[1].point": FIELDS["findings"][1]["point"],
        "$.findings[1].weight": "1",
        '$["<b onclick=\\"document.documentElement.dataset.owned=\'yes\'\\">[\\"k"]': "a key of its own",
    }
    assert HOSTILE_KEY not in told[-1][1]["value"]
    assert told[-1] == ("accepted", {"value": FIELDS})


def test_each_character_of_a_string_is_sent_once_and_nothing_of_the_draft(client: httpx2.Client) -> None:
    told = client.get("/answers/hostile/events").text
    assert told.count("It goes") + told.count("so that") < 3
    assert DRAFT not in told
    assert len([name for name, _ in read_events(told)]) > 40


def test_a_value_is_there_while_the_rest_is_still_to_come(client: httpx2.Client) -> None:
    with client.stream("GET", "/answers/long/events") as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        lines = response.iter_lines()
        told = "".join(next(lines) for _ in range(20))
    assert '"text": "aaaaaa", "whole": false' in told


def test_nothing_goes_on_for_a_reader_who_has_left(client: httpx2.Client, server: AsgiServer) -> None:
    with client.stream("GET", "/answers/long/events") as response:
        next(response.iter_lines())
    client.close()
    assert server.rests()


@pytest.mark.parametrize("name", ["damaged", "surrogate"])
def test_accepted_answer_is_what_the_parser_gives(name: str, client: httpx2.Client) -> None:
    last = events(client, name)[-1]
    text = RECORDED[name].text if name in RECORDED else SURROGATE.text
    assert last == ("accepted", {"value": parse_llm_json_output(text, Report, finished=True).model_dump()})


@pytest.mark.parametrize(
    ("name", "reason"), [("wrong", "score: Input should be a valid integer"), ("cut", "the model was cut off")]
)
def test_refused_answer_ends_with_the_reason(name: str, reason: str, client: httpx2.Client) -> None:
    told = events(client, name)
    assert put_together(told)["$.title"] == "A good phone for the price"
    assert told[-1][0] == "refused"
    assert reason in told[-1][1]["message"]


def test_page_names_the_answers_and_allows_no_script_but_its_own(client: httpx2.Client) -> None:
    page, missing = client.get("/"), client.get("/answers/other/events")
    assert all(f'<option value="{name}">{answer.label}</option>' in page.text for name, answer in RECORDED.items())
    assert "default-src 'none'; script-src 'self'" in page.headers["content-security-policy"]
    assert missing.status_code == 404


async def _chunks(text: str) -> list[str]:
    return [chunk async for chunk in written_in_chunks(text, 2, 0.0)]


@pytest.mark.anyio
async def test_chunks_are_the_whole_text() -> None:
    assert await _chunks("abcde") == ["ab", "cd", "e"]
