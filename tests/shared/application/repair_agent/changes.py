"""Every single way in which a repair agent might not keep to syntax, done to a document at every place it can be."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

Change: TypeAlias = Callable[[object], Iterator[Any]]

TRANSLATED = {"贵州茅台": "Kweichow Moutai", "汇率": "exchange rate", "政策": "policy", "好": "good", "人工智能": "AI"}
REWRITTEN = {"，": ",", ",": "，", '"': "'", "\n": " ", "(": "（", "2.5": "25", "x": "y"} | TRANSLATED
BETWEEN = ("", ", ", '", "', "、")


def with_another_digit(text: str) -> Iterator[str]:
    """Yield the text with one digit changed."""
    for found in re.finditer(r"\d", text):
        yield text[: found.start()] + str((int(found.group()) + 1) % 10) + text[found.end() :]


def numbers(value: object) -> Iterator[Any]:
    """Another digit, no sign, the point elsewhere, another type."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield from (-value, abs(value), value * 10, value / 10, value + 1, int(value), str(value), None, [value], True)
        yield from map(float, with_another_digit(json.dumps(value)))


def strings(value: object) -> Iterator[Any]:
    """Another word, another case, a translation, a cut, another type."""
    if isinstance(value, str):
        yield from ("", None, "BUY", True, [value], {"text": value}, value.upper(), value.lower(), value.title())
        yield from (value + "。", value + " ", " " + value, value[:-1], value[1:], value[: len(value) // 2] + "…")
        yield from (value.replace(old, new) for old, new in REWRITTEN.items())
        yield from (value.replace(mark, "") for mark in '"，,。%\n\\')
        yield from (value.split(mark) for mark in ("，", ", ", "\n", " ") if mark in value)
        yield value.encode("unicode_escape").decode()
        yield from with_another_digit(value)
        if value.isdecimal():
            yield int(value)


def literals(value: object) -> Iterator[Any]:
    """Another literal, another type."""
    if value is None or isinstance(value, bool):
        yield from (not value, None, False, 0, 1, "", str(value), json.dumps(value), [])


def lists(value: object) -> Iterator[Any]:
    """An item more, less, twice, elsewhere, on another level; two items as one."""
    if isinstance(value, list):
        for at, item in enumerate(value):
            before, after = value[:at], value[at + 1 :]
            yield from ([*before, *after], [*before, item, item, *after], [*before, [item], *after])
            yield from ([*before, None, item, *after], [*before, *after[:1], item, *after[1:]])
            if isinstance(item, list):
                yield [*before, *item, *after]
            if before and isinstance(item, str):
                yield from ([*before[:-1], f"{before[-1]}{between}{item}", *after] for between in BETWEEN)
            if before and isinstance(item, dict):
                yield [*before[:-1], before[-1] | item, *after]
        yield from (value[::-1], [*value, ""], [*value, {}], [*value, []], [], None, {}, json.dumps(value))


def objects(value: object) -> Iterator[Any]:
    """A member more, less, elsewhere, under another name, on another level; two values swapped."""
    if isinstance(value, dict):
        members = list(value.items())
        for at, (name, item) in enumerate(members):
            before, after = members[:at], members[at + 1 :]
            yield dict(before + after)
            yield from (
                dict([*before, (other, item), *after]) for other in (name + "_", name.upper(), name[1:], "名称")
            )
            yield dict([*before, *after[:1], (name, item), *after[1:]])
            yield dict([*before, ("added", None), (name, item), *after])
            if after:
                yield dict([*before, (name, after[0][1]), (after[0][0], item), *after[1:]])
            if isinstance(item, dict):
                yield from (dict([*before, *item.items(), *after]), dict([*before, (name, item | dict(after))]))
        yield from ({**value, "added": 0.9}, {**value, "added": ""}, {**value, "added": []}, {**value, "added": {}})
        yield from ({}, {"result": value}, {"action": "BUY"}, list(value.values()), json.dumps(value))


CHANGES: dict[str, Change] = {
    "numbers": numbers,
    "strings": strings,
    "literals": literals,
    "lists": lists,
    "objects": objects,
}


def changed(value: object, change: Change) -> list[Any]:
    """List the value with one change at one place, for every place; never the value itself."""
    candidates = [*change(value)]
    if isinstance(value, dict):
        members = list(value.items())
        for at, (name, item) in enumerate(members):
            others = changed(item, change)
            candidates += (dict([*members[:at], (name, other), *members[at + 1 :]]) for other in others)
    elif isinstance(value, list):
        for at, item in enumerate(value):
            candidates += ([*value[:at], other, *value[at + 1 :]] for other in changed(item, change))
    different = {json.dumps(other): other for other in candidates}
    different.pop(json.dumps(value), None)
    return list(different.values())
