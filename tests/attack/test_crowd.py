"""The command that sends a crowd of calls sees what is lost."""

import pytest

from tools.attack import crowd
from tools.attack.crowd import Crowd

RIGHT = Crowd("bodies", 10, 6, 4, 0, 0, 3, 6, 72)


def test_command_finds_nothing_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert crowd.main(["--count", "40"]) == 0

    printed = capsys.readouterr().out
    assert all(way in printed for way in ("bodies ", "streams ", "bodies, half cancelled", "streams, half cancelled"))


@pytest.mark.parametrize(
    ("seen", "is_right"),
    [
        (RIGHT, True),
        (RIGHT._replace(answered=5, failed=1), False),
        (RIGHT._replace(crossed=1), False),
        (RIGHT._replace(cancelled=3), False),
        (RIGHT._replace(events=5, tokens=60), False),
        (RIGHT._replace(tokens=71), False),
    ],
)
def test_each_loss_counts(seen: Crowd, *, is_right: bool) -> None:
    assert seen.is_right is is_right
