"""The attack with parts: what is only a part of the answer, or stands beside it, must never come back as the answer.

Three families, of one row a kind: an object with a fence or a tag in its middle; an answer with marks around its keys,
beside another object; an object inside an array, a call or an object that is broken. Each text is read with and without
`finished=True`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from tools.attack import texts
from tools.attack.answers import OTHERS, SHAPES
from tools.attack.budget import Budget
from tools.attack.damages import KINDS as DAMAGES
from tools.attack.damages.brackets import all_at_the_end
from tools.attack.damages.places import COMMAS, KEYS, between, every, one, put
from tools.attack.documents import any_document
from tools.attack.layouts import LAYOUTS
from tools.attack.outcome import same, strict_values
from tools.attack.pieces import any_layout, join, write
from tools.attack.reader import Accepted, Crashed, Read, ReadAs, Reading, Refused, read, read_as
from tools.attack.tables import example, table
from tools.attack.wrappers import any_wrapper

_COLUMNS = ("readings", "right", "refused", "misread", "wrong", "crashed")
_BROKEN = ("wrong", "crashed")
MARKS = (
    *(" ~~~ ", " ``` ", " ~~~~ ", "```", " ~~~json ", "\n~~~\n", "\n```\n", " </b> ", "</b>", "</li><li>", " </p> "),
    *("\n</b>\n", " </答案> ", " </note> ", " <|sep|> ", " <|/x|> ", " [/note] "),
)
"""Fences and tags in the middle of an object."""
AROUND_KEYS = (
    *(
        ("**", "**"),
        ("__", "__"),
        ("*", "*"),
        ("`", "`"),
        ("~~", "~~"),
        ("==", "=="),
        ("", ":"),
        ("", "："),
        (" ", " "),
    ),
    *(("“", "”"), ("'", "'"), ("「", "」"), ("【", "】"), ("<b>", "</b>"), ("&quot;", "&quot;"), ("**", ":**")),
    *(("- ", ""), ("1. ", ""), ("(a) ", ""), ("① ", ""), ("$", ""), ("@", ""), ("", " (0-100)"), ("", "（必填）")),
    *(("\ufeff", ""), ("⭐ ", ""), ("", "*")),
)
"""What stands before and after a key, inside its quotes."""
_MARKERS: tuple[Callable[[int], str], ...] = (
    lambda n: f"{n}. ",
    lambda n: f"{n}) ",
    lambda n: f"({n}) ",
    lambda n: f"{n}、",
    lambda n: f"**{n}.** ",
    lambda n: f"#{n} ",
    lambda n: f"{'abcdefgh'[n - 1]}) ",
    lambda n: f"{'①②③④⑤⑥⑦⑧'[n - 1]} ",
    lambda n: f"{'一二三四五六七八'[n - 1]}、",
    lambda _: "- ",
    lambda _: "• ",
    lambda _: "➤ ",
)
_SCALARS = ("5", "-1.5", "true", "null", '"x"', '"a, b"', '"结论"')


class Case(NamedTuple):
    """A text, the type it is read for, the values that are right, and those that are the mistake it is made for."""

    text: str
    dto_type: type[BaseModel] | None = None
    right: Sequence[Any] = ()
    mistakes: Sequence[Any] | None = None
    """None: every other value."""


class Part(NamedTuple):
    """One kind of texts."""

    kind: str
    make: Callable[[Random], Case | None]


@dataclass(slots=True)
class PartReport:
    """Counts for (kind, column), and the shortest text for each broken promise."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    shortest: dict[tuple[str, str], tuple[str, Any]] = field(default_factory=dict)

    @property
    def broken(self) -> bool:
        """Whether a part came back."""
        return bool(self.shortest)

    def add(self, kind: str, case: Case, reading: Reading) -> None:
        """Count a reading."""
        column = judged(case, reading)
        self.counts[kind, "readings"] += 1
        self.counts[kind, column] += 1
        if column in _BROKEN:
            found = (case.text, reading.data if isinstance(reading, Accepted) else repr(reading))
            self.shortest[kind, column] = min(found, self.shortest.get((kind, column), found), key=_length)

    def text(self) -> str:
        """Write the table and the examples."""
        kinds = [part.kind for part in KINDS]
        rows = [[kind, *(self.counts[kind, column] for column in _COLUMNS)] for kind in kinds]
        total = ["all", *(sum(self.counts[kind, column] for kind in kinds) for column in _COLUMNS)]
        examples = [
            example(f"{kind}: {column}", text=text, got=got) for (kind, column), (text, got) in self.shortest.items()
        ]
        note = "misread: neither the answer nor the other object; see the attack with damaged texts.\nwrong: must be 0."
        return "\n\n".join([table(("kind", *_COLUMNS), [*rows, total]), note, *examples])


def attack(budget: Budget, seed: int, reader: Read = read, typed_reader: ReadAs = read_as) -> PartReport:
    """Read texts of every kind in turn until the budget is used up; `count` counts texts."""
    report = PartReport()
    for number, rng in budget.turns(seed):
        part = KINDS[number % len(KINDS)]
        case = part.make(rng)
        if case is None:
            continue
        for finished in (None, True):
            reading = (
                typed_reader(case.text, case.dto_type, finished=finished)
                if case.dto_type
                else reader(case.text, finished=finished)
            )
            report.add(part.kind, case, reading)
    return report


def judged(case: Case, reading: Reading) -> str:
    """Name the column for what came back."""
    if isinstance(reading, Crashed):
        return "crashed"
    if isinstance(reading, Refused):
        return "refused"
    if _is_one_of(reading.data, case.right):
        return "right"
    return "wrong" if case.mistakes is None or _is_one_of(reading.data, case.mistakes) else "misread"


def _is_one_of(value: Any, others: Sequence[Any]) -> bool:  # noqa: ANN401 - any value
    return any(value == other if isinstance(value, BaseModel) else same(value, other) for other in others)


def _with_mark(*rewrites: Callable[[str], Callable[[str], str]], ends: bool = True) -> Callable[[Random], Case | None]:
    """A document with a mark at a comma, perhaps without the brackets at its end."""

    def make(rng: Random) -> Case | None:
        document, mark = any_document(rng), rng.choice(MARKS)
        pieces = one(COMMAS, rng.choice(rewrites)(mark))(rng, write(document, any_layout(rng)))
        if pieces is not None and not ends:
            pieces = all_at_the_end(rng, pieces)
        if pieces is None:
            return None
        text = any_wrapper(rng).wrap(join(pieces))
        return Case(text, right=(document, *strict_values([text, join(pieces)])))

    return make


def _beside(mark: str) -> Callable[[str], str]:
    return between(mark, "")


def _behind(mark: str) -> Callable[[str], str]:
    return between("", mark)


def _marked_keys(*, is_damaged: bool) -> Callable[[Random], Case | None]:
    """An answer with marks around its keys beside an object that satisfies its type."""

    def make(rng: Random) -> Case | None:
        shape = rng.choice(SHAPES)
        answer, (before, after) = shape.make(rng), rng.choice(AROUND_KEYS)
        other = rng.choice(OTHERS[:4]).make(rng, shape, answer)
        marked = every(KEYS, lambda key: f"{key[0]}{before}{key[1:-1]}{after}{key[-1]}")
        pieces = marked(rng, write(answer, any_layout(rng)))
        if pieces is not None and is_damaged:
            pieces = rng.choice(DAMAGES).change(rng, pieces)
        if pieces is None:
            return None
        layout = rng.choice([each for each in LAYOUTS if each.answers])
        text = layout.write(rng, join(pieces), join(write(other, any_layout(rng))))
        made = [_made(shape.dto_type, one) for one in (answer, other)]
        return Case(text, shape.dto_type, made[:1], made[1:] if made[0] != made[1] else ())

    return make


def _made(dto_type: type[BaseModel], value: Any) -> BaseModel | None:  # noqa: ANN401 - any JSON value
    try:
        return dto_type.model_validate(value)
    except ValidationError:
        return None


def _element(write_all: Callable[[Random, list[str]], str]) -> Callable[[Random], Case]:
    """An answer among other elements, written in a way that is no JSON; all of them together are right, too."""

    def make(rng: Random) -> Case:
        shape = rng.choice(SHAPES)
        elements = [json.dumps(shape.make(rng), ensure_ascii=False)]
        elements += [_other_element(rng) for _ in range(rng.randint(1, 3))]
        rng.shuffle(elements)
        text = any_wrapper(rng).wrap(write_all(rng, elements))
        whole = [json.loads(element) for element in elements]
        return Case(text, shape.dto_type if rng.random() < 0.5 else None, right=[whole])  # noqa: PLR2004 - a share

    return make


def _other_element(rng: Random) -> str:
    if rng.random() < 0.2:  # noqa: PLR2004 - a share
        return json.dumps(texts.any_text(rng), ensure_ascii=False)
    return rng.choice(_SCALARS)


def _numbered(opening: str, closing: str, *joints: str) -> Callable[[Random, list[str]], str]:
    def written(rng: Random, elements: list[str]) -> str:
        marker, joint, edge = rng.choice(_MARKERS), rng.choice(joints), rng.choice(("", "\n"))
        if "\n" in joint:
            edge = "\n"
        marked = [f"{marker(number)}{element}" for number, element in enumerate(elements, 1)]
        return opening + edge + joint.join(marked) + (edge + closing if closing else "")

    return written


def _filled(*templates: str) -> Callable[[Random, list[str]], str]:
    """The answer and another element, where a template has `A` and `O` between angle quotes."""

    def written(rng: Random, elements: list[str]) -> str:
        answer = next(one for one in elements if one.startswith("{"))
        other = next(one for one in elements if not one.startswith("{"))
        return rng.choice(templates).replace("«A»", answer).replace("«O»", other)

    return written


KINDS = (
    Part("mark for a comma", _with_mark(put)),
    Part("mark beside a comma", _with_mark(_beside, _behind)),
    Part("mark for a comma, end missing", _with_mark(put, ends=False)),
    Part("mark beside a comma, end missing", _with_mark(_beside, _behind, ends=False)),
    Part("keys in marks", _marked_keys(is_damaged=False)),
    Part("keys in marks, damaged", _marked_keys(is_damaged=True)),
    Part("numbered list", _element(_numbered("[", "]", ",\n", "\n", ", "))),
    Part("numbered list, full-width", _element(_numbered("［", "］", "，\n", "，"))),
    Part("numbered list that never closes", _element(_numbered("[", "", ",\n", "\n", ", "))),
    Part("numbered tuple", _element(_numbered("(", ")", ",\n", ", "))),
    Part("list of Markdown", _element(_numbered("", "", "\n", ",\n"))),
    Part("list of words", _element(_filled("[x y, «A»]", "[oops «A», «O»]", "[«O» und «A», «O»]", "[a: «A», b: «O»]"))),
    Part("list of calls", _element(_filled("[f(«A»), g(«O»)]", "[f(a=«A»), g(n=«O»)]", "[<b>«A»</b>, <b>«O»</b>]"))),
    Part("list cut off", _element(_filled("[«O», «A»", "[«A», «O»", "[[«O»], «A»"))),
    Part("broken call", _element(_filled("f(«O», «A»", 'f(x, «A», {"b"', "f(«A», «O»", "f(x, «A», [«O»"))),
    Part(
        "broken outer object",
        _element(
            _filled('{"o": oops oops «A», "b": }', '{"o": <«A»>, "b": «O»}', '{oops «A», "b": «O»}', '{"o": x «A»')
        ),
    ),
)
"""A row a kind."""


def _length(found: tuple[str, Any]) -> tuple[int, str]:
    return len(found[0]), found[0]
