"""The same content as a Markdown answer, the way models lay one out when they are not asked for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_SHORT = 60
"""Characters; a longer text gets a heading of its own."""
_CODE = frozenset({"code", "loading_example"})


def as_markdown(answer: dict[str, Any]) -> str:
    """Lay an object out: short values as bullets, long texts and lists under headings, code in a fence.

    A key becomes a label in words (`stop_loss`: "Stop loss"). In a list of objects each gets a heading, its first
    short text, and a bullet for each of its other members.
    """
    return "\n".join(_members(answer, 2)).strip()


def _members(members: dict[str, Any], level: int) -> Iterator[str]:
    short = {key: value for key, value in members.items() if _is_short(value)}
    yield from (f"- **{_label(key)}**: {_text(value)}" for key, value in short.items())
    for key, value in members.items():
        if key not in short:
            yield from ("", f"{'#' * level} {_label(key)}", "")
            yield from _section(key, value, level + 1)


def _section(key: str, value: Any, level: int) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    if key in _CODE:
        yield from ("```python", str(value).rstrip("\n"), "```")
    elif isinstance(value, dict):
        yield from _members(value, level)
    elif isinstance(value, list):
        for item in value:
            yield from _item(item, level)
    else:
        yield str(value)


def _item(item: Any, level: int) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    if not isinstance(item, dict):
        yield f"- {_text(item)}"
        return
    title = next((key for key, value in item.items() if isinstance(value, str) and _is_short(value)), None)
    yield from ("", f"{'#' * level} {item[title]}" if title else "---", "")
    for key, value in item.items():
        if key == title:
            continue
        if isinstance(value, list | dict):
            yield f"- **{_label(key)}**:"
            yield from ("  " + line for line in _nested(value))
        else:
            yield f"- **{_label(key)}**: {_text(value)}"


def _nested(value: list[Any] | dict[str, Any]) -> Iterator[str]:
    """Bullets in bullets, as deep as the value goes."""
    members = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    for key, member in members:
        head = "-" if key is None else f"- **{_label(key)}**:"
        if isinstance(member, list | dict) and member:
            yield head
            yield from ("  " + line for line in _nested(member))
        else:
            yield f"{head} {_text(member)}"


def _is_short(value: object) -> bool:
    return not isinstance(value, list | dict) and len(_text(value)) <= _SHORT and "\n" not in _text(value)


def _label(key: str) -> str:
    return key.replace("_", " ").strip().capitalize()


def _text(value: object) -> str:
    """A value in words: yes and no, a dash for none."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value in ([], {}):
        return "-"
    return str(value)
