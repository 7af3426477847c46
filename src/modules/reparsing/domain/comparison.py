"""An old parser beside the new one: for each text, whether they agree, and where two values of JSON differ.

Numbers are equal by their value, `1` and `1.0` too; `true` is no number. Strings are equal character by character.
Lists are compared item by item, objects by their keys, whose order does not matter. A key that is missing is told as
such.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice, zip_longest
from typing import Any, Final, NamedTuple, TypeAlias

from src.modules.reparsing.domain.record import Record
from src.shared.domain.exceptions import Place, json_path, steps_to
from src.shared.domain.one_line import one_line, well_formed

MOST_NAMES = 200
"""Most agents, models, reasons or paths that are counted by name; those that come later count together."""
OTHERS = "…"
"""The name under which they do."""
EXAMPLES = 5
"""How many texts of a class are kept as examples."""
PATHS = 20
"""Most differing paths that are told of one text."""
EXCERPT_LIMIT = 800
"""Most characters of an example's text and of each of its readings."""
VALUES_SHOWN = 5
"""Most differing paths of an example that are shown with their two values."""
VALUE_LIMIT = 200
"""Most characters of such a value."""
ERROR_LIMIT = 300
"""Most characters of an old parser's error."""
PATH_LIMIT = 200
"""Most characters of a path."""
ONLY_NEW = ": only new"
"""What stands behind the path of a value that the old reading does not have."""
ONLY_OLD = ": only old"
"""What stands behind the path of a value that the new reading does not have."""
_KEY_LIMIT = 60


def bounded_name(name: str, names: Collection[str]) -> str:
    """The name under which something is counted: its own, as long as there are not too many."""
    return name if name in names or len(names) < MOST_NAMES else OTHERS


def add_counts(counts: Counter[str], more: Mapping[str, int]) -> None:
    """Add counts to others, with a bounded number of names."""
    for name, count in more.items():
        counts[bounded_name(name, counts)] += count


def add_groups(groups: dict[str, Counter[str]], more: Mapping[str, Mapping[str, int]]) -> None:
    """Add the counts of groups to those of others, with a bounded number of groups and of names in each."""
    for name, counts in more.items():
        add_counts(groups.setdefault(bounded_name(name, groups), Counter()), counts)


class Agreement(StrEnum):
    """What the two parsers make of one text."""

    EQUAL = "equal"
    """Both read it, and the same."""
    ONLY_NEW = "only_new"
    """The new one reads it, the old one does not."""
    ONLY_OLD = "only_old"
    """The old one reads it, the new one does not."""
    DIFFERENT = "different"
    """Both read it, and not the same."""
    NEITHER = "neither"
    """Neither reads it."""


class ParserAnswer(NamedTuple):
    """What a parser made of a text.

    Attributes:
        data: what it read, as JSON types; None where it read nothing.
        error: why it refused the text, as the exception's class and message, or how its process ended; empty where it
            did not.
    """

    data: Any = None
    error: str = ""


@dataclass(slots=True)
class Comparison:
    """What two parsers make of some texts.

    Attributes:
        classes: texts by `Agreement`.
        by_agent: the same by agent; texts without one are not in there.
        paths: texts by differing path, each text once a path; `[*]` stands for every item of a list.
        examples: the first texts of each class, as `compare` tells of them and with the first differing `values`, why
            the new parser refused the text (`new_error`), the `text` and both readings (`old`, `new`), each cut.
    """

    classes: Counter[str] = field(default_factory=Counter)
    by_agent: dict[str, Counter[str]] = field(default_factory=dict)
    paths: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def add(self, other: Comparison) -> None:
        """Count those of another as well; its texts come behind the ones counted so far."""
        add_counts(self.classes, other.classes)
        add_counts(self.paths, other.paths)
        add_groups(self.by_agent, other.by_agent)
        for name, examples in other.examples.items():
            kept = self.examples.setdefault(name, [])
            kept += examples[: EXAMPLES - len(kept)]


def compare(record: Record, old: ParserAnswer, new: ParserAnswer, comparison: Comparison) -> dict[str, Any]:
    """Compare the two readings of one text, and count it.

    An old parser that returned None did not read the text.

    Returns:
        `place`, `id`, `agreement`, the first differing `paths`, and why the old parser gave up (`old_error`).
    """
    is_old_read = not old.error and old.data is not None
    found = list(islice(differences(old.data, new.data), PATHS)) if is_old_read and not new.error else []
    if new.error:
        agreement = Agreement.ONLY_OLD if is_old_read else Agreement.NEITHER
    elif is_old_read:
        agreement = Agreement.DIFFERENT if found else Agreement.EQUAL
    else:
        agreement = Agreement.ONLY_NEW
    name = agreement.value
    row = {
        "place": record.place,
        "id": record.id,
        "agreement": name,
        "paths": [each.path for each in found],
        "old_error": old.error,
    }
    comparison.classes[name] += 1
    comparison.paths.update(dict.fromkeys((each.anywhere for each in found), 1))
    if record.agent is not None:
        comparison.by_agent.setdefault(well_formed(record.agent), Counter())[name] += 1
    examples = comparison.examples.setdefault(name, [])
    if len(examples) < EXAMPLES:
        example = {
            "place": well_formed(record.place),
            "id": well_formed(record.id),
            "values": [differing_value(each)._asdict() for each in found[:VALUES_SHOWN]],
            "new_error": _excerpt(new.error, ERROR_LIMIT),
            "text": _excerpt(record.text or "", EXCERPT_LIMIT),
            "old": _shown(old.data, EXCERPT_LIMIT) if is_old_read else "",
            "new": "" if new.error else _shown(new.data, EXCERPT_LIMIT),
        }
        examples.append(row | example)
    return row


MISSING: Final = object()
"""No value at all, which is not null."""

_Pair: TypeAlias = tuple[Place, Any, Any]


class Difference(NamedTuple):
    """A place at which two readings differ.

    Attributes:
        path: such as `$.rows[0].score`, with `: only new` or `: only old` where one of them has nothing there.
        anywhere: the same for every item of a list: `$.rows[*].score`.
        old, new: the values, or `MISSING`.
    """

    path: str
    anywhere: str
    old: Any
    new: Any


def differences(old: object, new: object) -> Iterator[Difference]:
    """The places at which two values differ, in the order of the new one; keys that it does not have come last.

    Takes linear time. Values may be nested to any depth.
    """
    levels: list[Iterator[_Pair]] = [iter([(None, old, new)])]
    while levels:
        pair = next(levels[-1], None)
        if pair is None:
            levels.pop()
            continue
        at, mine, other = pair
        if isinstance(mine, dict) and isinstance(other, dict):
            levels.append(_members(at, mine, other))
        elif isinstance(mine, list) and isinstance(other, list):
            levels.append(_items(at, mine, other))
        elif not _same(mine, other):
            yield _difference(at, mine, other)


def _members(at: Place, old: dict[str, Any], new: dict[str, Any]) -> Iterator[_Pair]:
    for key, value in new.items():
        yield (at, key), old.get(key, MISSING), value
    for key, value in old.items():
        if key not in new:
            yield (at, key), value, MISSING


def _items(at: Place, old: list[Any], new: list[Any]) -> Iterator[_Pair]:
    for index, (mine, other) in enumerate(zip_longest(old, new, fillvalue=MISSING)):
        yield (at, index), mine, other


def _same(old: object, new: object) -> bool:
    if isinstance(old, bool) or isinstance(new, bool):
        return old is new
    if isinstance(old, int | float) and isinstance(new, int | float):
        return old == new or (old != old and new != new)  # noqa: PLR0124 - so is NaN
    return type(old) is type(new) and old == new


def _difference(at: Place, old: object, new: object) -> Difference:
    steps = tuple(one_line(step, _KEY_LIMIT) if isinstance(step, str) else step for step in steps_to(at))
    which = ONLY_NEW if old is MISSING else ONLY_OLD if new is MISSING else ""
    anywhere = "$" + "".join("[*]" if isinstance(step, int) else json_path((step,))[1:] for step in steps)
    path, anywhere = (one_line(each, PATH_LIMIT) + which for each in (json_path(steps), anywhere))
    return Difference(path, anywhere, old, new)


class DifferingValue(NamedTuple):
    """The two values at a differing path as JSON, cut; empty on the side that has none."""

    path: str
    old: str
    new: str


_dumps = json.dumps
"""Held here: an old parser's code may put another function in its place."""
_CUT = " … "
_CUT_HEAD = "… "
_BEFORE = 20
"""How many characters of two long strings are shown before the first that is another one."""
_END_SHARE = 4
"""Of an excerpt, one part in so many is the end of the text: where it was cut off, or what follows the answer."""


def differing_value(difference: Difference) -> DifferingValue:
    """A place at which two readings differ, with excerpts of both; long strings are shown where they part."""
    path, _, old, new = difference
    if isinstance(old, str) and isinstance(new, str):
        start = max(0, _same_beginning(old, new) - _BEFORE)
        if start:
            old, new = _CUT_HEAD + old[start:], _CUT_HEAD + new[start:]
    return DifferingValue(path, _shown(old, VALUE_LIMIT), _shown(new, VALUE_LIMIT))


def _same_beginning(one: str, other: str) -> int:
    """How many characters two strings have in common at their beginning."""
    same, rest = 0, min(len(one), len(other))
    while same < rest:
        middle = (same + rest + 1) // 2
        if one[same:middle] == other[same:middle]:
            same = middle
        else:
            rest = middle - 1
    return same


def _shown(value: object, limit: int) -> str:
    if value is MISSING:
        return ""
    try:
        return _excerpt(_dumps(value, ensure_ascii=False), limit)
    except RecursionError:
        return _CUT.strip()


def _excerpt(text: str, limit: int) -> str:
    """The beginning and the end of a text that is too long."""
    if len(text) > limit:
        end = limit // _END_SHARE
        text = text[: limit - end - len(_CUT)] + _CUT + text[-end:]
    return well_formed(text)[:limit]
