"""Families of texts: a few tokens in a random order, repeated to any size, between a prefix and a suffix."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

TOKENS = (
    *("{", "}", "[", "]", "｛", "｝", "［", "］", "{{", "}}", "[[", "(", ")"),
    *('"', "'", "`", "“", "”", "‘", "’", "「", "」", "＂", '""', '"""', "''", '\\"', "\\'"),
    *('"a"', '"key"', "'key'", "key", "a", "“k”", '"a b"', "a_b", '"a":', "'a':", "a:", "“a”：", '"a" '),
    *("1", "42", "-1.5e3", "007", "1_000", ".5", "+1", "0x1F", "1,000", "1e400", "12"),
    *("true", "false", "null", "True", "None", "undefined", "NaN", "-Infinity", "..."),
    *('"x"', "'x'", '"some text"', "some text", '"say "hi" now"', '"it\'s"', '"一二"', "「引」", '"x" + "y"'),
    *(",", ",,", "，", ", ", ";", ":", "：", "=", "=>", " : ", "+", "…", "|", "-", ".", "$", "*"),
    *("\\", "\\\\", "\\n", "\\t", "\\u0041", "\\ud83d", "\\x41", "\\s", "\\_", "\\/"),
    *("//", "/*", "*/", "#", "// note\n", "/* note */", "# note\n", "/*x", "*", "/"),
    *("```", "```json\n", "```python\n", "~~~", "\n```\n", "`"),
    *("<think>", "</think>", "<think/>", "<reasoning>", "</reasoning>", "<answer>", "</answer>", "<b>", "</", "<|"),
    *("<|channel|>final<|message|>", "<|channel|>analysis<|message|>", "<|end|>", "[THINK]", "[/THINK]", "<", ">"),
    *("C:\\dir\\new", "C:\\temp\\file.txt", "C:", ":\\", "\\\\host\\share", "/usr/bin", "https://a.com/x"),
    *("\\frac{1}{2}", "\\times", "\\beta", "\\to ", "$x$", "\\textbf{a}"),
    *("x", "word ", "some prose. ", "一二三", "A", "0", "_", "é", "🙂", "\u3000", "\u200b", "\ufeff", "\x00"),
    *("\n", "\r\n", "\t", " ", "  ", "\n  ", "\n    ", "          ", "\n\n"),
    *('"a": 1', '"a": 1, ', "'a': 1, ", "a: 1, ", '"a": "x", ', '"key": "some value", ', "“a”：“值”，", '"a": "x"\n'),
    *('"k": "some "inner" value", ', '"k": "some\nvalue", ', '"k": "x,\n', '"k": x y, ', '"k": True, '),
    *('{"a":1}', '{"a": 1}', "{'a': 1}", "{a: 1}", "{a:1}", '{"a": 1,}', '{"a": 1', '"a": 1}', "{x}", "{}", "[]"),
    *("[1]", "[1, 2]", '["a"]', '[{"a": 1}]', '{"a": {"b": 1}}', '{"a": [1, 2]}', '{"a": "x}'),
    *('{"a" 1}', '{"a": "x"y"}', "Answer: ", "f(x)", "[0, 1)"),
    *('{\\"a\\": 1}', '"{\\"a\\": 1}"', '```json\n{"a": 1}\n```\n', '<think>{"a": 1}</think>'),
)  # fmt: skip
"""What model output is made of, whole and in pieces."""

PREFIXES = (
    *("", "{", "[", '{"a": "', '{"a": ', "{'a': '", '{"a": 1, ', '[{"a": ', '{"rows": [', "<think>", "```json\n"),
    *('"', "\\", "{a"),
)
SUFFIXES = ("", "}", "]", '"}', '": 1}', "'}", "]}", '"a": 1}', '{"a": 1}', "\n```", "</think>", '"', ", 1}")
MOST_TOKENS = 8
PAIRS_UP = 12
"""Twos, threes and fours come out even."""


NUMBER = "№"
"""In a body, the number of each repetition, from 0; behind it, how many there are."""
NEXT = "№+"
"""In a body, the number of the next one."""


@dataclass(frozen=True, slots=True)
class Family:
    """Texts of one shape and of any size.

    Attributes:
        prefix: what stands there first.
        body: what is repeated.
        suffix: what stands there last.
        middle: what follows the bodies.
        second: what is repeated as often behind that.
    """

    prefix: str
    body: str
    suffix: str
    middle: str = ""
    second: str = ""

    def text(self, size: int) -> str:
        """The text of about `size` bytes in UTF-8; in a long one quotes pair up at every size or at none."""
        times = self.times(size)
        last = self.suffix.replace(NUMBER, str(times))
        return self.prefix + _repeated(self.body, times) + self.middle + _repeated(self.second, times) + last

    def times(self, size: int) -> int:
        """How often the body stands in the text of about this size."""
        frame, body = map(_bytes, (self.prefix + self.middle + self.suffix, self.body + self.second))
        times = max(0, size - frame) // body
        return times - times % PAIRS_UP if times > PAIRS_UP else times

    def expression(self, size: int) -> str:
        """The text as Python writes it."""
        times = self.times(size)
        last = self.suffix.replace(NUMBER, str(times))
        parts = (_literal(self.prefix), _repetition(self.body, times), _literal(self.middle))
        return " + ".join(part for part in (*parts, _repetition(self.second, times), _literal(last)) if part)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _repeated(body: str, times: int) -> str:
    if NUMBER not in body:
        return body * times
    return "".join(body.replace(NEXT, str(n + 1)).replace(NUMBER, str(n)) for n in range(times))


def _literal(text: str) -> str:
    return repr(text) if text else ""


def _repetition(body: str, times: int) -> str:
    if NUMBER not in body:
        return f"{body!r} * {times}" if body else ""
    following = f".replace({NEXT!r}, str(n + 1))" if NEXT in body else ""
    return f"''.join({body!r}{following}.replace({NUMBER!r}, str(n)) for n in range({times}))"


def families(seed: int) -> Iterator[Family]:
    """Random families, without end; the same for the same seed."""
    chance = random.Random(seed)
    while True:
        body = "".join(chance.choices(TOKENS, k=chance.randint(1, MOST_TOKENS)))
        framed = chance.random() < 0.5  # noqa: PLR2004 - every other one
        prefix, suffix = (chance.choice(PREFIXES), chance.choice(SUFFIXES)) if framed else ("", "")
        yield Family(prefix, body, suffix)
