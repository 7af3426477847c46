"""No response makes a call late, the process large or the other calls of its event loop slow."""

import pytest

from tests.thorough import THOROUGH_ONLY, at_length
from tools.attack import responses
from tools.attack.hostile_server import RESPONSES
from tools.attack.responses import MOST_DELAY, MOST_MEGABYTES, STREAM, TIMEOUT, WHOLE, Measured

SAMPLE = [
    "2 GB behind gzip",
    "2 GB of a stream behind gzip",
    "50 MB",
    "8 MB of a text",
    "endless body",
]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(responses, "TIMEOUT", at_length(1.0, TIMEOUT))


@THOROUGH_ONLY
@pytest.mark.usefixtures("quick")
def test_every_response_is_bounded(capsys: pytest.CaptureFixture[str]) -> None:
    code = responses.main(at_length(SAMPLE, []))

    printed = capsys.readouterr().out
    assert code == 0, printed
    assert all(name in printed for name in at_length(SAMPLE, list(RESPONSES)))


def measured(seconds: float = 0.0, megabytes: float = 0.0, delay: float = 0.0) -> Measured:
    return Measured("x", WHOLE, "LLM_TIMEOUT", seconds, megabytes, delay)


@pytest.mark.parametrize(
    ("row", "is_within"),
    [
        (measured(TIMEOUT + 1, MOST_MEGABYTES, MOST_DELAY), True),
        (measured(seconds=TIMEOUT + 1.01), False),
        (measured(megabytes=MOST_MEGABYTES + 0.1), False),
        (measured(delay=MOST_DELAY + 0.001), False),
    ],
)
def test_each_bound_counts(row: Measured, *, is_within: bool) -> None:
    assert row.is_within_bounds is is_within
    assert ("TOO MUCH" in responses.report([row])) is not is_within


def test_what_is_over_a_bound_is_measured_again_and_fails_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    times: list[str] = []

    async def slow(_: str, name: str, way: str) -> Measured:
        times.append(way)
        return measured(seconds=60.0)._replace(name=name, way=way)

    monkeypatch.setattr(responses, "_measure", slow)

    assert responses.main(["endless body"]) == 1
    assert times == [WHOLE] * 3 + [STREAM] * 3
    assert "TOO MUCH" in capsys.readouterr().out
