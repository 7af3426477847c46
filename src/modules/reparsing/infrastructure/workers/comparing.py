"""An old parser beside the new one: a function of the user's, which may do anything to its process.

What it makes of a row, whose reading is known, is compared with that.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from pydantic_core import to_jsonable_python

from src.modules.reparsing.domain.comparison import ERROR_LIMIT, Comparison, ParserAnswer, compare
from src.modules.reparsing.domain.exceptions import BatchReaderError
from src.modules.reparsing.domain.record import FieldNames, RawRow, Record
from src.modules.reparsing.infrastructure.rows import compared_line, record_in
from src.modules.reparsing.infrastructure.workers.reading import Line
from src.shared.domain.language import Message, Phrase
from src.shared.domain.one_line import one_line
from src.shared.infrastructure.processes import Task

_OURS = __name__.partition(".")[0]


class OldModules:
    """The modules of the old parser's code base.

    Python knows one module of a name. While the old code runs, our own package is not among the known ones, so that the
    old code imports its own package of that name, at its first import and inside its functions.
    """

    def __init__(self) -> None:
        """Hide nothing yet. What of ours is imported later than this is not hidden."""
        self._ours = _taken()
        sys.modules.update(self._ours)
        self._theirs: dict[str, ModuleType] = {}

    @contextmanager
    def known(self) -> Iterator[None]:
        """While the old code runs. Nothing of ours may be imported meanwhile."""
        for name in self._ours:
            sys.modules.pop(name, None)
        sys.modules.update(self._theirs)
        count = len(sys.modules)
        try:
            yield
        finally:
            if self._theirs or len(sys.modules) != count:
                self._theirs = _taken()
            sys.modules.update(self._ours)


def _taken() -> dict[str, ModuleType]:
    """The modules of the package that has our name, taken out of the known ones."""
    names = [name for name in list(sys.modules) if name.startswith(_OURS) and name.partition(".")[0] == _OURS]
    return {name: sys.modules.pop(name) for name in names}


AGENT = "agent"
"""The parameter of an old parser that wants to know whose output the text is."""


class OldParser:
    """Asks an old parser. Whatever its code raises is an answer."""

    def __init__(self, name: str) -> None:
        """Import it.

        Args:
            name: `package.module:function`; the function may be an attribute of a class or of an object.

        Raises:
            BatchReaderError: it cannot be imported, or not be called with a text.
        """
        self._modules = OldModules()
        with self._modules.known():
            found = _imported(name)
        self._function, self._takes_agent = found, _takes_agent(name, found)

    def answer(self, text: str, agent: str | None) -> ParserAnswer:
        """What it makes of a text."""
        try:
            with self._modules.known():
                return self._answered(text, {AGENT: agent} if self._takes_agent else {})
        except BaseException as error:  # noqa: BLE001 - what the old code raises is to be told, whatever it is
            return ParserAnswer(error=_told(error))

    def _answered(self, text: str, agent: dict[str, str | None]) -> ParserAnswer:
        value = self._function(text, **agent)
        if value is None:
            return ParserAnswer(error=Phrase("it returned None").text())
        try:
            return ParserAnswer(as_json(value))
        except (ValueError, TypeError, RecursionError) as error:
            why = _told(error)
            message = Phrase("what it returned cannot be written as JSON: {why}", why=why)
            return ParserAnswer(error=one_line(message.text(), ERROR_LIMIT))


_decoded = json.JSONDecoder().decode
_encoded = json.JSONEncoder(default=to_jsonable_python).encode
"""Neither `json.loads` nor `json.dumps`, which the old code may have replaced."""


def as_json(value: object) -> Any:  # noqa: ANN401 - any JSON type
    """A value as JSON types: models and dataclasses by alias, enums, dates and Decimals as Pydantic writes them.

    Raises:
        ValueError: it holds itself, a number with too many digits, or an object that JSON cannot hold.
        TypeError: the same.
        RecursionError: it is nested too deeply.
    """
    try:
        text = _encoded(value)
    except TypeError:  # a key that is no string, such as a date
        text = _encoded(to_jsonable_python(value))
    return _decoded(text)


def _imported(name: str) -> Callable[..., Any]:
    module, colon, path = name.partition(":")
    if not (colon and all(part.isidentifier() for part in (*module.split("."), *path.split(".")))):
        raise _unusable(name, Phrase("it must be package.module:function"))
    try:
        found: Any = import_module(module)
    except ModuleNotFoundError as error:
        where = Phrase(
            "there is no module {name} in the current directory or among the installed packages", name=error.name
        )
        raise _unusable(name, where) from None
    except BaseException as error:  # noqa: BLE001 - the user's module runs here
        why = _told(error)
        raise _unusable(name, Phrase("importing it failed: {why}", why=why)) from None
    for part in path.split("."):
        if not hasattr(found, part):
            raise _unusable(name, Phrase("{module} has no {path}", module=module, path=path))
        found = getattr(found, part)
    if not callable(found):
        kind = type(found).__name__
        raise _unusable(name, Phrase("it is no function but a {kind}", kind=kind))
    if inspect.iscoroutinefunction(found):
        raise _unusable(
            name,
            Phrase("it is async; name a function that returns the result"),
        )
    function: Callable[..., Any] = found
    return function


def _takes_agent(name: str, function: Callable[..., Any]) -> bool:
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):  # written in C: nothing is known of its parameters
        return False
    takes_agent = AGENT in list(signature.parameters)[1:]
    try:
        signature.bind("", **({AGENT: None} if takes_agent else {}))
    except TypeError as error:
        why = Phrase("it cannot be called with a text alone: {error}", error=error)
        raise _unusable(name, why) from None
    return takes_agent


def _unusable(name: str, why: Message) -> BatchReaderError:
    return BatchReaderError(Phrase("--against {name}: {why}", name=name, why=why).text())


def _told(error: BaseException) -> str:
    """The class and the message of an exception on one line; its code may do anything, too."""
    name = type(error).__name__
    try:
        text = one_line(str.__getitem__(str(error), slice(ERROR_LIMIT)), ERROR_LIMIT)
    except BaseException:  # noqa: BLE001 - as said
        text = ""
    return one_line(f"{name}: {text}" if text else name, ERROR_LIMIT)


_STDERR = 2
_LEVELS = sys.getrecursionlimit()
"""As it is before the old parser's code may change it."""


class ReadRow(NamedTuple):
    """A row that the new parser is done with, and its line in one of the outputs."""

    row: RawRow
    line: Line


@dataclass(slots=True)
class Comparisons:
    """What two parsers made of some rows, in their order: the lines of the output, and the counts."""

    lines: list[bytes] = field(default_factory=list)
    comparison: Comparison = field(default_factory=Comparison)

    def keep(self, record: Record, old: ParserAnswer, line: Line) -> None:
        """Take up the two answers for one row."""
        sys.setrecursionlimit(_LEVELS * 2)  # what could be written with a bound must be read with any stack below
        try:
            self.lines.append(compared_line(compare(record, old, _new_answer(line), self.comparison)))
        finally:
            sys.setrecursionlimit(_LEVELS)


def comparing_task(function: str, names: FieldNames, agent: str | None = None, folder: str = "") -> Task:
    """The task of asking an old parser and comparing.

    Args:
        function: `package.module:function` of the old parser.
        names: which field of a row holds what.
        agent: whose output all rows are; None where their own field says it.
        folder: as for `Task`.
    """
    return Task(f"{__name__}:comparing_handler", {"function": function, "names": names, "agent": agent}, folder)


def comparing_handler(function: str, names: FieldNames, agent: str | None) -> ComparingHandler:
    """The handler in a process of its own, whose stderr goes nowhere: it is the old parser's.

    Raises:
        BatchReaderError: there is no such function, or it cannot be called with a text.
    """
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, _STDERR)
    os.close(nothing)
    return ComparingHandler(function, names, agent)


class ComparingHandler:
    """Asks the old parser for each row. No row raises anything."""

    def __init__(self, function: str, names: FieldNames, agent: str | None) -> None:
        """As `comparing_handler`."""
        self._old = OldParser(function)
        self._names = names
        self._agent = agent
        self._comparisons = Comparisons()

    def handle(self, item: ReadRow) -> None:
        """Ask the old parser and compare."""
        record, unusable = record_in(item.row, self._names)
        old = _not_asked() if unusable else self._old.answer(record.text or "", self._agent or record.agent)
        self._comparisons.keep(record, old, item.line)

    def take(self) -> Comparisons:
        """What came of the rows since the last time."""
        taken, self._comparisons = self._comparisons, Comparisons()
        return taken


def old_blamed(names: FieldNames, item: ReadRow, why: Message) -> Comparisons:
    """The comparison of one row on which its process died; in the process of the owner, which asks no parser."""
    record, unusable = record_in(item.row, names)
    comparisons = Comparisons()
    old = _not_asked() if unusable else ParserAnswer(error=one_line(why.text(), ERROR_LIMIT))
    comparisons.keep(record, old, item.line)
    return comparisons


def _not_asked() -> ParserAnswer:
    return ParserAnswer(error=Phrase("not asked: the row holds no text").text())


def _new_answer(line: Line) -> ParserAnswer:
    row = _decoded(line.content.decode())
    return ParserAnswer(row["data"]) if line.is_read else ParserAnswer(error=row["message"])
