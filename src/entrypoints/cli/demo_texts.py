"""Texts as models write them, for the demonstration: recorded ones, and damage done to them by chance with a seed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass

from src.entrypoints.agents import AGENTS, Agent
from src.entrypoints.cli.recorded import PACKAGED, packaged
from src.entrypoints.cli.source import read_source

Damage = Callable[[str, random.Random], str]

_LAST_BRACE = -1


def _before_the_end(mark: str) -> Damage:
    return lambda text, _: text[:_LAST_BRACE].rstrip() + mark + "}"


def _at_a_line_end(old: str, new: str) -> Damage:
    """Write something else at the end of one line that has it."""

    def damaged(text: str, chance: random.Random) -> str:
        lines = text.split("\n")
        fitting = [number for number, line in enumerate(lines) if line.endswith(old)]
        at = chance.choice(fitting)
        lines[at] = lines[at].removesuffix(old) + new
        return "\n".join(lines)

    return damaged


def _everywhere(old: str, new: str) -> Damage:
    return lambda text, _: text.replace(old, new)


MENDED: tuple[Damage, ...] = (
    _before_the_end(","),
    _at_a_line_end(",", ""),
    _at_a_line_end(",", ",,"),
    _at_a_line_end(",", ",  # checked"),
    _everywhere('": ', '"：'),
    _everywhere('\n  "', "\n  \N{LEFT DOUBLE QUOTATION MARK}"),
    lambda text, _: f"<think>The numbers first.</think>\n```json\n{text}\n```",
    lambda text, _: f"Here is the result:\n\n{text}\n\nTell me if you need more.",
)
"""Damage that the parser undoes by itself, and what stands around a text."""
ASKED_AGAIN: tuple[Damage, ...] = (
    lambda text, chance: text[: int(len(text) * chance.uniform(0.3, 0.8))],
    lambda *_: "I am sorry, I cannot judge this company.",
    lambda text, _: text.replace('": ', '_": ', 1),
    lambda text, _: f"<think>A draft: {text}",
    lambda *_: "",
)
"""Texts that the parser refuses, and that a model has to write anew."""
FOR_THE_REPAIR_AGENT: tuple[Damage, ...] = (_at_a_line_end(",", ", ;;"),)
"""Damage of which the parser cannot prove how it is undone."""


@dataclass(frozen=True)
class Written:
    """What a model wrote for an agent.

    Attributes:
        agent: whose text it is.
        text: the text.
        meant: what it should have been, which is what a model answers that is asked again.
        is_asked_again: whether the agent's model is asked again; else the repair agent is.
    """

    agent: Agent
    text: str
    meant: str
    is_asked_again: bool = True


class Author:
    """Writes texts for all agents."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._clean = {name: _lines(_text(name, "clean.txt")) for name in packaged()}
        self._recorded = {
            name: [_text(name, recording.file) for recording in manifest.recordings if recording.is_read]
            for name, manifest in packaged().items()
        }

    def ordinary(self, name: str) -> Written:
        """A text of an agent on an ordinary day: mostly clean, sometimes damaged, seldom of no use."""
        kind, meant = self._chance.random(), self._clean[name]
        if kind < _CLEAN:
            return Written(AGENTS[name], meant, meant)
        if kind < _RECORDED:
            return Written(AGENTS[name], self._chance.choice(self._recorded[name]), meant)
        return self._damaged(name, MENDED if kind < _MENDED else ASKED_AGAIN)

    def broken(self, name: str) -> Written:
        """A text that the repair agent is asked about."""
        return self._damaged(name, FOR_THE_REPAIR_AGENT, is_asked_again=False)

    def _damaged(self, name: str, damages: tuple[Damage, ...], *, is_asked_again: bool = True) -> Written:
        meant = self._clean[name]
        return Written(AGENTS[name], self._chance.choice(damages)(meant, self._chance), meant, is_asked_again)


_CLEAN, _RECORDED, _MENDED = 0.72, 0.8, 0.95
"""Shares of ordinary texts: clean, recorded, damaged; the rest has to be written anew."""


def _lines(text: str) -> str:
    """A JSON text with one member a line."""
    return json.dumps(json.loads(text), ensure_ascii=False, indent=2)


def _text(name: str, file: str) -> str:
    return read_source(str(PACKAGED / name / file)).text
