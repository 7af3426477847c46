"""The progress of a committee on stderr: a live table on a terminal, otherwise a line for each event."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pydantic import BaseModel
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from examples.committee.application.progress import ProgressPort, Stage
from examples.committee.reports.effort import effort_of
from examples.committee.reports.labels import agent_title, stance_of
from src.entrypoints.cli.plain_output import spoken, visible
from src.entrypoints.cli.screen import plain_table, stderr
from src.modules.research.domain.dtos.expert_result import ExpertResult
from src.shared.application.agent_runs import AgentAnswer, AgentId
from src.shared.domain.exceptions import error_of

_LABEL_WIDTH = 12
_ERROR_SHOWN = 100
_STYLES = {"waiting": "dim", "asking": "cyan", "answered": "green", "failed": "bold red"}


def _word(state: str) -> str:
    """What a state, or a stage's beginning, is called."""
    words = {"waiting": "等待", "asking": "提问中", "answered": "已答复", "failed": "失败", "stage": "阶段"}
    return spoken(words[state], state)


@contextmanager
def progress(agents: Iterable[AgentId], *, live: bool) -> Iterator[ProgressPort]:
    """Somebody to tell of these agents; `live` if nothing else writes to stderr meanwhile."""
    console = stderr()
    if not (live and console.is_terminal):
        yield Lines(console)
        return
    board = Board(agents)
    with Live(console=console, get_renderable=board.table, refresh_per_second=8):
        yield board


class Lines:
    """Says each event in a line."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._began: dict[str, float] = {}

    def stage_started(self, stage: Stage) -> None:
        """Say which stage begins."""
        self._say("stage", stage.value)

    def stage_finished(self, stage: Stage) -> None:
        """Nothing: the next one's beginning says it."""

    def agent_started(self, agent: AgentId) -> None:
        """Say who is asked."""
        self._began[agent.name] = time.monotonic()
        self._say("asking", agent_title(agent.name, agent.label))

    def agent_answered(self, answer: AgentAnswer[BaseModel]) -> None:
        """Say what came of it."""
        seconds = time.monotonic() - self._began[answer.agent.name]
        state = "failed" if answer.outcome.parsed is None else "answered"
        title = agent_title(answer.agent.name, answer.agent.label)
        wide = set_cell_size(title, max(_LABEL_WIDTH, cell_len(title)))
        self._say(state, f"{wide} {seconds:6.1f} s  {found_by(answer)}")

    def _say(self, what: str, text: str) -> None:
        with contextlib.suppress(OSError):  # who watches has gone: that ends no committee
            self._console.print(
                Text.assemble((set_cell_size(_word(what), 9), _STYLES.get(what, "bold")), " ", text), soft_wrap=True
            )


@dataclass
class _Row:
    label: str
    state: str = "waiting"
    began: float = 0.0
    seconds: float = 0.0
    found: str = ""


class Board:
    """A row for each agent: who waits, is asked, has answered or failed, since when, and what came of it."""

    def __init__(self, agents: Iterable[AgentId]) -> None:
        self._rows = {agent.name: _Row(agent_title(agent.name, agent.label)) for agent in agents}

    def stage_started(self, stage: Stage) -> None:
        """Nothing: the rows say it."""

    def stage_finished(self, stage: Stage) -> None:
        """Nothing: the rows say it."""

    def agent_started(self, agent: AgentId) -> None:
        """Show who is asked."""
        row = self._rows[agent.name]
        row.state, row.began = "asking", time.monotonic()

    def agent_answered(self, answer: AgentAnswer[BaseModel]) -> None:
        """Show what came of it."""
        row = self._rows[answer.agent.name]
        row.state = "failed" if answer.outcome.parsed is None else "answered"
        row.seconds = time.monotonic() - row.began
        row.found = found_by(answer)

    def table(self) -> Table:
        """The board as it is now."""
        table = plain_table(spoken("成员", "agent"), "", spoken("秒", "seconds"), "")
        table.columns[2].justify = "right"
        for row in self._rows.values():
            seconds = time.monotonic() - row.began if row.state == "asking" else row.seconds
            shown = "" if row.state == "waiting" else f"{seconds:.1f}"
            table.add_row(row.label, Text(_word(row.state), _STYLES[row.state]), shown, row.found)
        return table


def found_by(answer: AgentAnswer[BaseModel]) -> str:
    """What an agent's answer comes to, and what it took to read it, in a line."""
    outcome, effort = answer.outcome, effort_of(answer)
    if outcome.parsed is None:
        text = error_of(outcome.error).message
        return visible(text if len(text) <= _ERROR_SHOWN else text[: _ERROR_SHOWN - 1] + "…")
    told = [_conclusion(outcome.parsed.value)]
    if effort.asked > 1:
        told.append(spoken(f"提问 {effort.asked} 次", f"asked {effort.asked} times"))
    repairs = sum(count for _, count in effort.repaired)
    if repairs:
        told.append(spoken(f"修复 {repairs} 处", f"{repairs} repairs"))
    return visible(", ".join(told))


def _conclusion(value: BaseModel) -> str:
    if isinstance(value, ExpertResult):
        opinion = value.opinion()
        return f"{stance_of(opinion.signal).word} {opinion.confidence:g}"
    raw = str(getattr(value, "action", None) or getattr(value, "direction", ""))
    return f"{stance_of(raw).word} {getattr(value, 'confidence', 0):g}"
