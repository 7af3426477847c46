"""Comparing costs time in proportion to the texts, also for hostile ones; counted, never timed."""

import json
import sys
from typing import Any

import pytest

from src.shared.application.repair_agent.answer import strict_object
from src.shared.application.repair_agent.proof import Mending
from src.shared.domain.repair_errors import RepairRefusedError
from tests.linear.steps import calls


def mend(damaged: str, answer: dict[str, Any]) -> list[str]:
    """The mended texts; none if the answer departs from the damaged one."""
    try:
        mending = Mending(damaged)
        mending.follow(answer)
    except RepairRefusedError:
        return []
    return list(mending.texts())


FAMILIES: dict[str, tuple[str, str, str, str]] = {
    "members": ('{"k": 1; ', '"a%d": "x "y" z"; ', '"z": 0}', ""),
    "quotes and commas": ('{"a": "', '",', '";}', ""),
    "opening quotes": ('{"a": "', "，“", '";}', ""),
    "blanks": ('{"a":', " ", "1;}", ""),
    "block comments": ("{", "/*x*/", '"a": 1;}', '{"a": 1}'),
    "comments never closed": ('{"a": "', "/*", '";}', ""),
    "levels": ("", '{"a": [', "", ""),
    "bars": ('{"k": 1', " |", ' "a": 2}', '{"k": 1, "a": 2}'),
    "signs of bold": ("{", "**", '"a": 1;}', '{"a": 1}'),
    "bullets": ("{", "- ", '"a": 1;}', '{"a": 1}'),
    "breaks of HTML": ("{", "<br>", '"a": 1;}', '{"a": 1}'),
    "comments of HTML never closed": ("{", "<!--", '"a": 1;}', '{"a": 1}'),
    "colons": ('{"a"', " :", "1;}", '{"a": 1}'),
    "entities": ('{"a": &quot;', "&quot;", "&quot;;}", '{"a": "x"}'),
    "backslashes": ('{"a": "', "\\\\", '";}', ""),
}


def answer_to(name: str, size: int) -> tuple[str, dict[str, Any]]:
    head, body, tail, answer = FAMILIES[name]
    if name == "members":
        bodies = [body % number for number in range(size // len(body))]
        data: dict[str, Any] = {"k": 1} | {f"a{number}": 'x "y" z' for number in range(len(bodies))} | {"z": 0}
        return head + "".join(bodies) + tail, strict_object(json.dumps(data))
    times = size // len(body)
    if answer:
        return head + body * times + tail, strict_object(answer)
    if name == "levels":
        return body * times, strict_object('{"a": [' * 80 + "]}" * 80)
    text = body * times if name != "backslashes" else "\\" * times
    value = 1 if name == "blanks" else text
    return head + body * times + tail, strict_object(json.dumps({"a": value}))


@pytest.mark.parametrize("name", FAMILIES)
def test_ten_times_the_text_takes_at_most_about_ten_times_the_steps(name: str) -> None:
    small, large = (calls(mend, *answer_to(name, size)) for size in (2_000, 20_000))
    assert large <= 12 * max(small, 2_000)


def test_deep_answers_are_compared_without_recursion() -> None:
    depth = sys.getrecursionlimit() // 2
    damaged = '{"a": [' * depth + "1;" + "]}" * depth
    assert mend(damaged, strict_object('{"a":[' * 100 + "1" + "]}" * 100)) == []
