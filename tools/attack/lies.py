"""What a model that was asked to repair a text might make of it instead: one change of the document, anywhere in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

from tools.attack.documents import Document
from tools.attack.outcome import same

_MARK = re.compile(r"[^\w\s]")
_WORD = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
_REACH = 60
"""Characters of the text around a string that are taken into it."""
_FAR = 6
"""Places at which a string is cut or lengthened."""

Change = Callable[[Any, str], Iterator[Any]]
"""The changes of one value, given the damaged text it stands in."""


class Lie(NamedTuple):
    """One kind of lie: its name in the table, and the values it makes of a value."""

    kind: str
    changes: Change


def _of_strings(change: Callable[[str, str], Iterator[Any]]) -> Change:
    return lambda value, text: change(value, text) if isinstance(value, str) else iter(())


def _of_numbers(change: Callable[[float], Iterator[Any]]) -> Change:
    return lambda value, _: change(value) if type(value) in {int, float} else iter(())


def _of_lists(change: Callable[[list[Any]], Iterator[Any]]) -> Change:
    return lambda value, _: change(value) if isinstance(value, list) else iter(())


def _of_objects(change: Callable[[Document], Iterator[Any]]) -> Change:
    return lambda value, _: change(value) if isinstance(value, dict) else iter(())


def _shorter(value: str, _: str) -> Iterator[Any]:
    yield from (value[:-1], value[1:], value[: len(value) // 2], value.strip(), "", re.sub(r"\W", "", value))
    for mark in list(_MARK.finditer(value))[:_FAR]:
        yield from (value[: mark.start()].rstrip(), value[mark.end() :].lstrip())


def _longer(value: str, _: str) -> Iterator[Any]:
    yield from (value + sign for sign in ("。", ".", " ", '"', "\n", "!", ",", ";", "}"))
    yield from (" " + value, '"' + value, f'"{value}"', f"**{value}**")


def _swallowed(value: str, text: str) -> Iterator[Any]:
    """The string goes on as the text does, or begins earlier, up to each mark near it."""
    start = text.find(value) if value else -1
    if start < 0:
        return
    end = start + len(value)
    yield from (text[start : mark.end()] for mark in list(_MARK.finditer(text, end, end + _REACH))[:_FAR])
    yield from (text[start : mark.start()] for mark in list(_MARK.finditer(text, end, end + _REACH))[:_FAR])
    before = list(_MARK.finditer(text, max(0, start - _REACH), start))[-_FAR:]
    yield from (text[mark.start() : end] for mark in before)
    yield text[start:].strip()


def _reworded(value: str, _: str) -> Iterator[Any]:
    yield from (value.upper(), value.lower(), value.title(), value[::-1])
    for word in list(_WORD.finditer(value))[:_FAR]:
        yield from (value[: word.start()] + other + value[word.end() :] for other in ("", "other", "BUY"))
    for digit in list(_DIGIT.finditer(value))[:_FAR]:
        yield value[: digit.start()] + str((int(digit.group()) + 1) % 10) + value[digit.end() :]


def _requoted(value: str, _: str) -> Iterator[Any]:
    pairs = (('"', "'"), ("'", '"'), ('"', ""), ("'", ""), ("“", '"'), ("，", ","), (",", "，"), (" ", ""), ('"', '""'))
    yield from (value.replace(old, new) for old, new in pairs)


def _reescaped(value: str, _: str) -> Iterator[Any]:
    yield from (value.replace("\\", "\\\\"), value.replace("\\\\", "\\"), value.replace("\n", "\\n"))
    yield from (
        value.replace("\\n", "\n"),
        value.replace("\\t", "\t"),
        value.replace("\\", ""),
        value.replace("\n", " "),
    )
    yield from (value.encode("unicode_escape").decode(), value.replace("&", "&amp;"), value.replace("&amp;", "&"))


def _string_retyped(value: str, _: str) -> Iterator[Any]:
    yield from (None, True, [value], {"text": value}, {value: value})
    try:
        yield json.loads(value)
    except ValueError:
        return


def _other_number(value: float) -> Iterator[Any]:
    yield from (-value, abs(value), value + 1, value * 10, value / 10)
    written = json.dumps(value)
    for digit in _DIGIT.finditer(written):
        yield float(written[: digit.start()] + str((int(digit.group()) + 1) % 10) + written[digit.end() :])


def _number_retyped(value: float) -> Iterator[Any]:
    yield from (str(value), int(value), float(value), None, [value], bool(value), f"{value}%")


def _literal(value: Any, _: str) -> Iterator[Any]:  # noqa: ANN401 - any JSON value
    if value is None or isinstance(value, bool):
        yield from (True, False, None, 0, 1, "", str(value), json.dumps(value), [], {})


def _items(value: list[Any]) -> Iterator[Any]:
    for at, item in enumerate(value):
        before, after = value[:at], value[at + 1 :]
        yield from (
            [*before, *after],
            [*before, item, *value[at:]],
            [*before, [item], *after],
            [*before, None, *value[at:]],
        )
        yield [*before, *after[:1], item, *after[1:]]
    yield from (value[::-1], [*value, ""], [*value, {}], [], value[:-1], [value])


def _split_or_joined(value: list[Any]) -> Iterator[Any]:
    for at, item in enumerate(value):
        before, after = value[:at], value[at + 1 :]
        if isinstance(item, str):
            yield from ([*before, *item.split(sign), *after] for sign in (",", ", ", " ", "\n", "、", ";", '"'))
        if isinstance(item, list):
            yield [*before, *item, *after]
        if before and isinstance(item, str):
            signs = ("", " ", ",", ", ", '", "', '""', '" "', '"; "', "、")
            yield from ([*before[:-1], f"{before[-1]}{sign}{item}", *after] for sign in signs)
        if before and isinstance(item, dict) and isinstance(before[-1], dict):
            yield [*before[:-1], before[-1] | item, *after]
        yield from ([before, value[at:]] if at else ())


def _members(value: Document) -> Iterator[Any]:
    names = list(value)
    for name in names:
        yield {other: value[other] for other in names if other != name}
        for renamed in (name + "_", name.upper(), name[1:], f"{name}:", f"**{name}**", name.replace(" ", "_")):
            yield {renamed if other == name else other: value[other] for other in names}
    yield from ({**value, "added": None}, {**value, "added": ""}, {**value, "added": 0}, {**value, "added": []})
    yield from ({"added": None, **value}, {}, {"result": value}, {"action": "BUY"}, list(value.values()))


def _order(value: Document) -> Iterator[Any]:
    members = list(value.items())
    if len(members) > 1:
        yield dict(members[::-1])
    for at in range(len(members) - 1):
        (one, left), (two, right) = members[at : at + 2]
        yield dict([*members[:at], (two, right), (one, left), *members[at + 2 :]])
        yield dict([*members[:at], (one, right), (two, left), *members[at + 2 :]])


def _moved(value: Document) -> Iterator[Any]:
    """Members move into the object or list before them, or out of it: a bracket in another place."""
    members = list(value.items())
    for at, (name, item) in enumerate(members):
        before, after = members[:at], members[at + 1 :]
        if isinstance(item, dict):
            yield from (dict([*before, (name, item | dict(after[:some])), *after[some:]]) for some in (1, len(after)))
            inside = list(item.items())
            yield from (dict([*before, (name, dict(inside[:-some])), *inside[-some:], *after]) for some in (1, 2))
        if isinstance(item, list):
            yield dict([*before, (name, [*item, *(other for _, other in after)])])
            yield from (dict([*before, (name, [*item, dict(after)])]),) if after else ()
            if item:
                yield from (dict([*before, (name, item[:-1]), (text, None), *after]) for text in [str(item[-1])])
                yield from (
                    dict([*before, (name, item[:-2]), (str(pair[0]), pair[1]), *after])
                    for pair in [item[-2:]]
                    if len(item) > 1
                )


LIES = (
    Lie("string shortened", _of_strings(_shorter)),
    Lie("string lengthened", _of_strings(_longer)),
    Lie("text around a string swallowed", _of_strings(_swallowed)),
    Lie("string reworded", _of_strings(_reworded)),
    Lie("quotes of a string changed", _of_strings(_requoted)),
    Lie("escapes of a string changed", _of_strings(_reescaped)),
    Lie("type of a string changed", _of_strings(_string_retyped)),
    Lie("number changed", _of_numbers(_other_number)),
    Lie("type of a number changed", _of_numbers(_number_retyped)),
    Lie("true, false or null changed", _literal),
    Lie("item dropped, added or moved", _of_lists(_items)),
    Lie("items split or joined", _of_lists(_split_or_joined)),
    Lie("member dropped, added or renamed", _of_objects(_members)),
    Lie("order of members or values changed", _of_objects(_order)),
    Lie("member moved to another level", _of_objects(_moved)),
)


def lies(rng: Random, document: Document, text: str, count: int) -> Iterator[tuple[str, Document]]:
    """Make lies about a document whose damaged text is given, of every kind in turn: the kind and the answer."""
    by_kind = {}
    for lie in LIES:
        answers = [other for other in _anywhere(document, lie.changes, text) if _is_lie(other, document)]
        rng.shuffle(answers)
        if answers:
            by_kind[lie.kind] = answers
    while by_kind and count > 0:
        for kind, answers in list(by_kind.items())[:count]:
            yield kind, answers.pop()
            count -= 1
            if not answers:
                del by_kind[kind]


def _is_lie(answer: Any, document: Document) -> bool:  # noqa: ANN401 - any JSON value
    return isinstance(answer, dict) and not (same(answer, document) and json.dumps(answer) == json.dumps(document))


def _anywhere(value: Any, changes: Change, text: str) -> Iterator[Any]:  # noqa: ANN401 - any JSON value
    """The value with one change at one place, for every place."""
    yield from changes(value, text)
    if isinstance(value, dict):
        for name, item in value.items():
            yield from ({**value, name: other} for other in _anywhere(item, changes, text))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from ([*value[:at], other, *value[at + 1 :]] for other in _anywhere(item, changes, text))
