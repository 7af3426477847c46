"""Finds the list that an object only wraps: `{"orders": […]}`, `{"result": {"orders": […]}}`, `{"item": {…}}`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from src.shared.domain.coercion.keys import words_of
from src.shared.domain.strict_json import Repeating

MOST_KEYS = 2
"""Most keys around the list that is the whole answer; around one that is a field's value there is one."""
_OF_ANY_ANSWER = frozenset(
    """
    answer answers array body content data element elements entries entry item items list output payload record records
    report response result results row rows value values
    """.split()
)
"""Keys that say no more than that an answer is there."""
_OF_NO_ANSWER = frozenset(
    """
    arguments before calls competitor competitors draft drafts except false former input inputs missing no non not old
    parameters past properties removal removals schema template templates unknown unrelated unused unwanted warning
    warnings without wrong
    """.split()
)
_STEMS_OF_NO_ANSWER = tuple(
    """
    archiv cancel declin delet deprecat discard duplicat error example exclu expir fail histor hypothe ignor incorrect
    invalid obsolet omit omission outdat previous reject remove sample skipp unavailab unmatched
    """.split()
)
_CHINESE_OF_NO_ANSWER = tuple("不 非 未 无 错 旧 示例 例子 样例 删除 移除 取消 拒绝 失败 排除 忽略".split())
"""Words of keys that say that what they hold is not what is asked for: `{"rejected_orders": […]}`."""


class Inside(NamedTuple):
    """What an object wraps: the list, and the keys around it."""

    elements: list[Any]
    keys: tuple[str, ...]


def lists_in(
    value: Mapping[str, Any], is_element: Callable[[Mapping[str, Any]], bool] | None, names: Iterable[str], most: int
) -> list[Inside]:
    """The lists that an object may be read as: its own as one element, and those that it wraps.

    A list of objects may stand under any key that does not deny it: they show themselves what they are. Around plain
    values, one object and another key, a key has to say that it only wraps: `{"AAPL": {…}}` says something of its own.

    Args:
        value: the object.
        is_element: whether an object is plainly an element; None where the elements are plain values.
        names: what the list and its elements are called: the field, and the types.
        most: most keys around a list.
    """
    found = [Inside([value], ())] if is_element and is_element(value) else []
    keys, inner, own = list[str](), value, [words_of(name) for name in names]
    while len(keys) < most and len(inner) == 1 and not isinstance(inner, Repeating):
        ((key, held),) = inner.items()
        keys.append(key)
        words = words_of(key)
        is_named = any(_is_same_or_one_of(words, name) or _is_same_or_one_of(name, words) for name in own)
        is_wrapper = is_named or (len(words) == 1 and words[0] in _OF_ANY_ANSWER)
        if isinstance(held, list) and (is_wrapper or (is_element and not _denies(key, words))):
            rivals = [one for one in held if isinstance(one, dict) and is_element and is_element(one)]
            if not found or rivals or not held:  # else its lists are those of one element
                found.append(Inside(held, tuple(keys)))
        if not is_wrapper or not isinstance(held, dict):
            break
        if is_element and is_element(held):
            found.append(Inside([held], tuple(keys)))
        inner = held
    return found


def _denies(key: str, words: tuple[str, ...]) -> bool:
    if not words or any(sign in key for sign in _CHINESE_OF_NO_ANSWER):
        return True
    return any(word in _OF_NO_ANSWER or word.startswith(_STEMS_OF_NO_ANSWER) for word in words)


def _is_same_or_one_of(words: tuple[str, ...], several: tuple[str, ...]) -> bool:
    """Whether a name is another one, or that of one of what the other one is called by: `file` and `files`."""
    if not (words and several) or words[:-1] != several[:-1]:
        return False
    one, all_ = words[-1], several[-1]
    return all_ in (one, one + "s", one + "es", one.removesuffix("y") + "ies")
