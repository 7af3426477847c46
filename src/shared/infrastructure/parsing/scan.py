"""The parts of a text: values, fenced blocks, marks around reasoning, channels, code in a line.

Each kind is looked for once, when it is first asked for; one whose first sign does not stand in the text costs that
look. What is inside a value that was read is data, and no part of the text.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from typing import Any, NamedTuple, TypeAlias, TypeVar

from src.shared.domain.edits import span_around
from src.shared.domain.expression import expression, match_end
from src.shared.domain.reading.openings import BLANK_LIMIT, KEY_LIMIT
from src.shared.domain.reading.reading import Value
from src.shared.domain.reading.scanner import ValueScanner
from src.shared.domain.reading.signs import FENCES, MARGIN, OPENERS
from src.shared.domain.reasoning import STEP_WORDS, Mark, draft_marks, says_reasoning
from src.shared.domain.shown_end import begins_line
from src.shared.domain.work import STEP

T = TypeVar("T")
Span: TypeAlias = tuple[int, int]
MAX_CANDIDATES = 256
"""More objects than this in one text, or more fenced blocks, are refused without looking at them."""
CHANNEL_LIMIT = 200
"""Most characters between the parts of the line that opens a channel of harmony."""
_REST = rf"[^<]{{0,{CHANNEL_LIMIT}}}+"
CHANNEL = expression(rf"<\|channel\|>\s{{0,{MARGIN}}}+(?P<name>\w++){_REST}(?:<\|constrain\|>{_REST})?<\|message\|>")
MARK_COST = 8 * STEP
"""Units of work for a mark: to find it, and to keep what it encloses as a span and a note."""
CHANNEL_COST = 2 * MARK_COST
"""The same for a channel of harmony, its name and its end."""
CHANNEL_MARK = "<|channel|>"
ROLE_MARK = "<|start|>"
OPENER = expression(f"[{re.escape(''.join(OPENERS))}]")
CODE = expression(r"(?<!`)(`{1,2})(?!`)[^`\n]++\1(?!`)")
_CHANNEL_END = expression(r"<\|(?:end|return|call|start|channel)\|>")

INFO_LIMIT = 80
"""Most characters after the tag of a fence, on its line, that are not part of its block."""
_FENCE = expression(
    r"(?P<fence>[`~:<](?:(?<=`)``++|(?<=~)~~++|(?<=:)(?<!::)::++(?=[ \t]{0,3}[A-Za-z])|(?<=<)!\[CDATA\[))[ \t]*+"
    rf"(?P<tag>[\w+.#\-]*+)(?:[^\n`~{{\[｛［]{{0,{INFO_LIMIT}}}+\n|[ \t]*+)"
)
"""It begins with one set of characters, so that a search skips all others at full speed."""
_BLANKS = rf"[ \t]{{0,{BLANK_LIMIT}}}+"
JSON_FENCE = expression(rf"(?:{'|'.join(FENCES)}){_BLANKS}(?:json[5c]?|JSON)?{_BLANKS}\r?\n")
"""The line of a fence behind which a stream looks for JSON."""
BEGUN_FENCE = expression(rf"(?:`{{1,3}}|~{{1,3}}){_BLANKS}[A-Za-z0-9]{{0,6}}{_BLANKS}\r?\Z")
"""The same, as far as it is written."""
_FENCE_LINE = expression(r"(?P<fence>`{3,}+|~{3,}+|:{3,}+)[ \t]*+(?P<tag>[\w+.#\-]*+)")
_MARKS = {"`": "```", "~": "~~~", ":": ":::", "<": "]]>"}
"""The first character of a fence, and the mark that closes its block; that of XML is a CDATA section."""
_JSON_TAGS = frozenset({"json", "json5", "jsonc", "jsonl"})
_TEXT_TAGS = _JSON_TAGS | {"", "text", "txt", "plaintext", "markdown", "md", "output"}
_JSON_START = expression(r"\s*+[{\[｛［]")
_UNOPENED = expression(rf'\s*+"[^"\\\n]{{1,{KEY_LIMIT}}}+"\s*+:')
"""A member right at the beginning: the brace before it was forgotten."""


@dataclass
class Fences:
    """The fenced blocks of a text, by what they hold: JSON, code, what should be JSON and is not, reasoning, text."""

    json: list[Span] = field(default_factory=list)
    code: list[Span] = field(default_factory=list)
    unread: list[Span] = field(default_factory=list)
    reasoning: list[Span] = field(default_factory=list)
    text: list[Span] = field(default_factory=list)


class Channels(NamedTuple):
    """What harmony's channels say.

    Attributes:
        beside: all but the answering ones: the final ones, or without one the commentaries.
        called: where the first one begins that is the call of a tool; None where there is none.
        last: where the last one begins.
        answers: whether there is an answering one.
    """

    beside: list[Span]
    called: int | None
    last: int
    answers: bool


class Scan(ValueScanner):
    """The values of a text, and what else it consists of."""

    def outermost(self) -> Iterator[Value]:
        """The outermost values of the text, in order; none of them is looked for twice."""
        found, left = self._outermost
        yield from found
        for value in left:
            found.append(value)
            yield value

    @cached_property
    def _outermost(self) -> tuple[list[Value], Iterator[Value]]:
        """Those that were found so far, and what finds the others."""
        return [], self.values(0, len(self.text))

    @cached_property
    def known(self) -> dict[object, Any]:
        """What other modules found in the text: by the function that looks for it, or the value that fills a part."""
        return {}

    def once(self, look: Callable[[str], T]) -> T:
        """What a function finds in the text."""
        if look not in self.known:
            self.known[look] = look(self.text)
        found: T = self.known[look]
        return found

    @cached_property
    def drafts(self) -> list[Mark]:
        """The marks around reasoning and steps, also those in strings; as many as there is work for."""
        return list(takewhile(lambda _: self.work.spend(MARK_COST), draft_marks(self.text)))

    @cached_property
    def code(self) -> list[tuple[int, int]]:
        """Where code between backticks stands in a line."""
        return [found.span() for found in CODE.finditer(self.text)]

    @cached_property
    def has_fences(self) -> bool:
        """Whether what closes a fenced block stands in the text."""
        text = self.text
        return "```" in text or "~~~" in text or ":::" in text or "]]>" in text

    def has_reasoning_block(self) -> bool:
        """Whether the tag of some fence says reasoning."""
        return any(says_reasoning(opening["tag"]) for opening in _FENCE.finditer(self.text))

    @cached_property
    def fences(self) -> Fences:
        """The fenced blocks that open in no value."""
        found, at, blocks = Fences(), 0, 0
        while blocks <= MAX_CANDIDATES and self.work.spend(STEP) and (opening := _FENCE.search(self.text, at)):
            inline = not begins_line(self.text, opening.start())
            covered_to = self.covering(at, opening.start(), in_open_string=True, in_brackets=inline)
            if covered_to:
                at = covered_to
                continue
            blocks += 1
            at = match_end(_FENCE, self.text, self._sort(opening, found))
        return found

    def _sort(self, opening: re.Match[str], found: Fences) -> int:
        """Put the block into the list it belongs to, and return where its content ends."""
        text, mark, tag = self.text, _MARKS[opening["fence"][0]], opening["tag"].lower()
        content = _JSON_START.match(text, opening.end())
        end = self._closing(opening.end(), mark)
        if says_reasoning(opening["tag"]):
            end = _end_of_reasoning(text, opening)
            found.reasoning.append((opening.start(), end))
        elif opening["fence"][0] == ":":
            return opening.end()  # a container of Markdown's: only one of reasoning matters
        elif content:
            block = self._block(content.end() - 1, mark)
            found.json.append(block)
            return block[1]
        elif _UNOPENED.match(text, opening.end()) and text[max(0, end - MARGIN) : end].rstrip().endswith("}"):
            found.json.append((opening.end(), end))
        elif tag not in _TEXT_TAGS:
            found.code.append((opening.end(), end))
        else:
            found.text.append((opening.end(), end))
            if tag in _JSON_TAGS and text[opening.end() : end].strip() and not any(self.values(opening.end(), end)):
                found.unread.append((opening.end(), end))
        return end

    def _block(self, opened: int, mark: str) -> Span:
        start, value = opened, self.value_at(opened)
        if value and value.problem is None:
            return (start, self._closing(value.end, mark))
        end = self._closing(start, mark)
        while value is None and end < len(self.text) and (covered_to := self.covering(start, end)):
            start, end = covered_to, self._closing(covered_to, mark)
        return (opened, end)

    def _closing(self, start: int, mark: str) -> int:
        end = self.text.find(mark, start)
        return end if end >= 0 else len(self.text)

    def reasoning(self, arguments: Callable[[str], Sequence[Span]]) -> tuple[list[Span], bool]:
        """The blocks between marks around reasoning that are in no value, and whether the last of them is closed.

        `arguments` finds the values between the tags of parameters in a text: no mark in one is a mark.

        A closing mark without an opening one closes everything before it. A block that is never closed reaches to the
        end of the text.
        """
        dropped: list[Span] = []
        steps: list[Span] = []
        values = arguments(self.text) if self.drafts else ()
        marks = [mark for mark in self.drafts if not span_around(values, mark.start)]
        closings = next_closings(marks)
        at = 0
        for number, mark in enumerate(marks):
            if mark.start < at:
                continue
            covered_to = self.covering(at, mark.start)
            at = covered_to or mark.end
            if at > mark.end or (covered_to and mark.is_void):
                continue
            if mark.is_void:
                dropped.append((mark.start, mark.end))
            elif mark.closes and mark.is_firm:
                dropped, steps = [(0, mark.end)], []
            elif not mark.closes and (closing := closings[number]) is not None:
                at = marks[closing].end
                (steps if mark.family in STEP_WORDS else dropped).append((mark.start, at))
            elif not mark.closes and mark.is_firm:
                return [*dropped, (mark.start, len(self.text))], False
        if steps and OPENER.search(self.text, steps[-1][1]):
            dropped = sorted([*dropped, *steps])
        return dropped, True

    def channels(self, is_call: Callable[[str], bool]) -> Channels | None:
        """What harmony's channels say, those in values that can be read apart; None where there is none.

        `is_call` tells of the header of a channel whether it calls a tool.
        """
        said: dict[str, array[int]] = {}  # where what each channel says begins: matches would take ten times as much
        called, last = None, -1
        marks = self.text.count(CHANNEL_MARK)
        for channel in self._opened_channels() if marks and self.work.spend(CHANNEL_COST * marks) else ():
            said.setdefault(channel["name"], array("q")).append(channel.end())
            last = channel.start()
            called = last if called is None and is_call(self._header(channel)) else called
        if not said:
            return None
        answering = "final" if "final" in said else "commentary"
        edges = array("q", [0])
        for start in said.get(answering, ()):
            end = _CHANNEL_END.search(self.text, start)
            edges.extend((start, end.start() if end else len(self.text)))
        edges.append(len(self.text))
        beside = [(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end]
        return Channels(beside, called, last, answering in said)

    def _header(self, channel: re.Match[str]) -> str:
        """The mark of a channel, with the role in front of it: either may name the tool that is called."""
        role = self.text.rfind(ROLE_MARK, max(0, channel.start() - CHANNEL_LIMIT), channel.start())
        is_beside = role >= 0 and "<" not in self.text[role + 1 : channel.start()]
        return self.text[role if is_beside else channel.start() : channel.end()]

    def _opened_channels(self) -> Iterator[re.Match[str]]:
        """Those that are in no value that can be read; a draft is often broken off in a string."""
        at = 0
        for channel in CHANNEL.finditer(self.text):
            start = channel.start()
            if start >= at:
                values = (value.end for value in self.values(at, start) if value.problem is None)
                at = next((end for end in values if end > start), channel.end())
                if at == channel.end():
                    yield channel


def next_closings(marks: Sequence[Mark]) -> list[int | None]:
    """For each mark, the number of the next one after it that closes a block of its kind."""
    next_of: dict[str, int] = {}
    closings: list[int | None] = [None] * len(marks)
    for number in range(len(marks) - 1, -1, -1):
        closings[number] = next_of.get(marks[number].family)
        if marks[number].closes:
            next_of[marks[number].family] = number
    return closings


def _end_of_reasoning(text: str, opening: re.Match[str]) -> int:
    """The end of a block of reasoning: of what it quotes, a fence with a tag is closed by one without."""
    sign, open_fences = opening["fence"], [len(opening["fence"])]
    for line in _FENCE_LINE.finditer(text, opening.end()):
        if line["fence"][0] != sign[0]:
            continue
        if line["tag"] and begins_line(text, line.start()) and text[line.end() : line.end() + 1] in {"\n", "\r"}:
            open_fences.append(len(line["fence"]))
        elif len(line["fence"]) >= open_fences[-1]:
            open_fences.pop()
        if not open_fences:
            return line.end("fence")
    return len(text)
