"""The live progress of an episode on stderr, if that is a terminal."""

from __future__ import annotations

from typing import Self

from rich.status import Status

from src.entrypoints.cli.plain_output import spoken, visible
from src.entrypoints.cli.screen import stderr
from src.modules.visual_rag.domain.actions import Action, AnswerAction, SearchAction
from src.modules.visual_rag.domain.episode import Turn

_LONGEST = 100


class TurnsView:
    """A spinner, and a line for each turn; nothing where stderr is no terminal. Implements `TurnsPort`."""

    def __init__(self) -> None:
        self._console = stderr()
        self._status: Status | None = (
            self._console.status(spoken("启动中", "starting")) if self._console.is_terminal else None
        )

    def __enter__(self) -> Self:
        """Begin to spin."""
        if self._status:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop, and leave the lines."""
        if self._status:
            self._status.stop()

    def pages(self, done: int, of: int) -> None:
        """So many pages have been read."""
        if self._status:
            self._status.update(
                spoken(f"正在为索引读取页面：{done}/{of}", f"reading pages for the index: {done} of {of}")
            )

    def add(self, turn: Turn) -> None:
        """A turn is done."""
        if self._status:
            self._console.print(turn_line(turn))
            self._status.update(spoken("下一轮", "the next turn"))


def turn_line(turn: Turn) -> str:
    """A turn in one line: what was done, and whether it failed."""
    problem = turn.parsed.problem
    why = problem.message if problem else ""
    done = _done(turn.parsed.action) if turn.parsed.action else spoken(f"没有动作：{why}", f"no action: {why}")
    error = turn.observation.error if turn.parsed.action else None
    failed = f"  {spoken('失败', 'failed')}: {error}" if error else ""
    return visible(f"{spoken('第', 'turn')} {turn.number}{spoken(' 轮', '')}  {done[:_LONGEST]}{failed}")


def _done(action: Action) -> str:
    if isinstance(action, SearchAction):
        return f"search  {action.query}"
    if isinstance(action, AnswerAction):
        return f"answer  {action.answer}"
    return f"{action.type}  {action.image_id} {list(action.region)}"
