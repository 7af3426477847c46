"""What a library shows of a text while it comes, what of that it takes back, and the texts that tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from tools.benchmarks.conditions import REFUSE
from tools.benchmarks.documents import Document
from tools.benchmarks.stream_peers import Run


class Note(BaseModel):
    """What the small texts answer with."""

    title: str
    score: float
    tags: list[str]


class Case(NamedTuple):
    """A text, and the value a careful reader takes from it, or `REFUSE`."""

    text: str
    expected: Document | str


_VALUE: Final[Document] = {"title": "Steady growth", "score": 42, "tags": ["cash", "margin"]}
_MEMBERS = '"score": 42, "tags": ["cash", "margin"]}'
_ANSWER = '{"title": "Steady growth", ' + _MEMBERS
_DRAFT = '{"title": "Weak growth", "score": 1, "tags": ["debt"]}'
_DRAFT_BEGINS = "Weak"
CASES: dict[str, Case] = {
    "draft in reasoning": Case(f"<think>Perhaps {_DRAFT}? No, cash is fine.</think>\n{_ANSWER}", _VALUE),
    "draft in prose": Case(f"A first draft:\n{_DRAFT}\nThat misses the cash. Final answer:\n{_ANSWER}", _VALUE),
    "fence and sentences": Case(f"Here is the note:\n```json\n{_ANSWER}\n```\nAnything else?", _VALUE),
    "single quotes, bare keys": Case(
        "{title: 'Steady growth', score: 42, tags: ['cash', 'margin'],}",
        _VALUE,
    ),
    "unescaped quotes": Case(
        '{"title": "A "moat", they say, and "growth"", ' + _MEMBERS,
        {**_VALUE, "title": 'A "moat", they say, and "growth"'},
    ),
    "cut inside a number": Case('{"title": "Steady growth", "tags": ["cash"], "score": 4', REFUSE),
    "key twice": Case('{"title": "Weak growth", "title": "Steady growth", ' + _MEMBERS, _VALUE),
    "mark of reasoning behind": Case(f"{_DRAFT}\n</think>\n{_ANSWER}", _VALUE),
}


class Back(NamedTuple):
    """A value that was shown, and is something else later, or nothing."""

    path: str
    shown: Any
    later: Any


class Shown(NamedTuple):
    """What a library made of a text.

    Attributes:
        end: `right`, `wrong`, `refused` (rightly), or `error`, for a text that can be read.
        is_draft: whether it showed something of the draft.
        back: what it took back, in the order of the text.
    """

    end: str
    is_draft: bool
    back: list[Back]

    def __str__(self) -> str:
        """As a cell of a table."""
        draft = ["shows the draft"] if self.is_draft else []
        back = [f"{len(self.back)} taken back"] if self.back else []
        return ", ".join([self.end, *draft, *back])


def shown_of(run: Run, case: Case) -> Shown:
    """Feed a text one character at a time, and compare whatever is shown with what is shown next."""
    back: list[Back] = []
    last: dict[str, Any] = {}
    is_draft = False

    def show(value: object) -> None:
        nonlocal last, is_draft
        leaves = leaves_of(value)
        is_draft = is_draft or any(_DRAFT_BEGINS in str(leaf) for leaf in leaves.values())
        back.extend(taken_back(last, leaves))
        last = leaves

    try:
        run(iter(case.text), show)
    except Exception:  # noqa: BLE001 - whatever a library raises is its refusal
        return Shown("refused" if case.expected == REFUSE else "error", is_draft, back)
    is_right = last == leaves_of(case.expected) and case.expected != REFUSE
    return Shown("right" if is_right else "wrong", is_draft, back)


def taken_back(before: dict[str, Any], after: dict[str, Any]) -> Iterator[Back]:
    """The values that are gone, or are something else; a text may grow."""
    for path, value in before.items():
        later = after.get(path)
        grows = isinstance(value, str) and isinstance(later, str) and later.startswith(value)
        if later != value and not grows:
            yield Back(path, value, later)


def leaves_of(value: object, path: str = "$") -> dict[str, Any]:
    """The strings, numbers and literals in a value, by path; null is nothing, as partial models show it."""
    plain = to_jsonable_python(value)
    members: Iterable[tuple[str, Any]] = ()
    if isinstance(plain, dict):
        members = ((f"{path}.{key}", member) for key, member in plain.items())
    elif isinstance(plain, list):
        members = ((f"{path}[{index}]", member) for index, member in enumerate(plain))
    elif plain not in (None, ""):
        return {path: plain}
    return {where: leaf for at, member in members for where, leaf in leaves_of(member, at).items()}
