"""The recorded answers of the page. With a provider, the chunks and the finish reason come from its stream."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

_FOLDER = Path(__file__).parent / "answers"


class Answer(NamedTuple):
    """A model's answer.

    Attributes:
        label: its name for people.
        text: all that the model wrote.
        finished: whether it stopped by itself (True), or was cut off (False).
    """

    label: str
    text: str
    finished: bool


def _recorded(name: str, label: str, *, finished: bool = True) -> Answer:
    return Answer(label, (_FOLDER / f"{name}.txt").read_text(encoding="utf-8"), finished)


RECORDED: Mapping[str, Answer] = {
    "damaged": _recorded("damaged", "A draft in front, and damaged JSON"),
    "wrong": _recorded("wrong", "A score that is no number"),
    "cut": _recorded("cut", "Cut off in the middle", finished=False),
}
