"""Finds the list that an object only wraps: `{"orders": […]}`, `{"result": {"orders": […]}}`, `{"item": {…}}`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from src.shared.domain.coercion.keys import words_of

MOST_KEYS = 2
"""Most keys around the list that is the whole answer; around one that is a field's value there is one."""
_OF_ANY_LIST = frozenset(
    """
    answer answers array data element elements entries entry item items list output record records response result
    results row rows value values
    """.split()
)
"""Keys that say no more than that a list is there; around plain values only these count, and the list's own name."""
_OF_NO_ANSWER = frozenset(
    """
    before canceled cancelled declined deleted draft drafts error errors example examples except excluded excluding
    failed failures false former ignored incorrect input inputs invalid missing no non not old omitted outdated previous
    rejected removed sample samples schema skipped template unknown unrelated warning warnings without wrong
    """.split()
)
_CHINESE_OF_NO_ANSWER = tuple("不 非 未 无 错 旧 示例 例子 样例 删除 移除 取消 拒绝 失败 排除 忽略".split())
"""Words of keys that say that what they hold is not what is asked for: `{"rejected_orders": […]}`."""


class Inside(NamedTuple):
    """What an object wraps: the list, and the keys around it."""

    elements: list[Any]
    keys: tuple[str, ...]


def lists_in(
    value: Mapping[str, Any], is_element: Callable[[Mapping[str, Any]], bool] | None, name: str | None
) -> list[Inside]:
    """The lists that an object may be read as: its own as one element, and those that it wraps.

    Args:
        value: the object.
        is_element: whether an object is plainly an element; None where the elements are plain values.
        name: the name of the field; None where the list is the whole answer.
    """
    found = [Inside([value], ())] if is_element and is_element(value) else []
    keys, inner = list[str](), value
    while len(keys) < (MOST_KEYS if name is None else 1) and len(inner) == 1:
        ((key, held),) = inner.items()
        if not _may_hold(key, name, is_plain=is_element is None):
            break
        keys.append(key)
        if isinstance(held, list):
            rivals = [one for one in held if isinstance(one, dict) and is_element and is_element(one)]
            if not found or rivals or not held:  # else its lists are those of one element
                found.append(Inside(held, tuple(keys)))
        if not isinstance(held, dict):
            break
        if is_element and is_element(held):
            found.append(Inside([held], tuple(keys)))
        inner = held
    return found


def _may_hold(key: str, name: str | None, *, is_plain: bool) -> bool:
    """Whether what stands under a key may be the list; elements with fields of their own show what they are."""
    words = words_of(key)
    if not words or not _OF_NO_ANSWER.isdisjoint(words) or any(sign in key for sign in _CHINESE_OF_NO_ANSWER):
        return False
    if not is_plain:
        return True
    return (words[-1:] == words and words[0] in _OF_ANY_LIST) or words in _numbers_of(words_of(name or ""))


def _numbers_of(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """A name, and what one of it may be called."""
    if not words:
        return []
    *first, last = words
    endings = (("", ""), ("s", ""), ("es", ""), ("ies", "y"))
    return [(*first, last.removesuffix(old) + new) for old, new in endings if last.endswith(old)]
