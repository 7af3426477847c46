"""An old parser beside the new one: a function of the user's, which may do anything to its process.

What it makes of a row, whose reading is known, is compared with that.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias

from pydantic_core import to_jsonable_python

from src.modules.reparsing.domain.comparison import ERROR_LIMIT, ParserAnswer, compare
from src.modules.reparsing.domain.exceptions import BatchReaderError
from src.modules.reparsing.domain.part import COMPARED, PARSED, Line, Outcomes
from src.modules.reparsing.domain.record import FieldNames, Row, record_of
from src.modules.reparsing.infrastructure.reading import encoded
from src.shared.domain.language import Message, Phrase
from src.shared.domain.one_line import one_line

_OURS = __name__.partition(".")[0]
AGENT = "agent"
"""The parameter of an old parser that wants to know whose output the text is."""
_decode = json.JSONDecoder().decode
_encode = json.JSONEncoder(default=to_jsonable_python).encode
"""Neither `json.loads` nor `json.dumps`, which the old code may have replaced."""


class OldParser:
    """Asks an old parser. Whatever its code raises is an answer.

    Python knows one module of a name. While the old code runs, our own package is not among the known ones, so that the
    old code imports its own package of that name, at its first import and inside its functions.
    """

    def __init__(self, name: str) -> None:
        """Import it.

        Args:
            name: `package.module:function`; the function may be an attribute of a class or of an object.

        Raises:
            BatchReaderError: it cannot be imported, or not be called with a text.
        """
        self._ours = _take_modules()  # what of ours is imported later than this is not hidden
        sys.modules.update(self._ours)
        self._theirs: dict[str, ModuleType] = {}
        with self._among_its_modules():
            self._function = _imported(name)
        self._takes_agent = _takes_agent(name, self._function)

    def answer(self, text: str, agent: str | None) -> ParserAnswer:
        """What it makes of a text."""
        try:
            with self._among_its_modules():
                value = self._function(text, **({AGENT: agent} if self._takes_agent else {}))
                if value is None:
                    return ParserAnswer(error=Phrase("it returned None").text())
                try:
                    return ParserAnswer(as_json(value))
                except (ValueError, TypeError, RecursionError) as error:
                    message = Phrase("what it returned cannot be written as JSON: {why}", why=_shown(error))
                    return ParserAnswer(error=one_line(message.text(), ERROR_LIMIT))
        except BaseException as error:  # noqa: BLE001 - what the old code raises is to be told, whatever it is
            return ParserAnswer(error=_shown(error))

    @contextmanager
    def _among_its_modules(self) -> Iterator[None]:
        """While the old code runs. Nothing of ours may be imported meanwhile."""
        for name in self._ours:
            sys.modules.pop(name, None)
        sys.modules.update(self._theirs)
        count = len(sys.modules)
        try:
            yield
        finally:
            if self._theirs or len(sys.modules) != count:
                self._theirs = _take_modules()
            sys.modules.update(self._ours)


def _take_modules() -> dict[str, ModuleType]:
    """The modules of the package that has our name, taken out of the known ones."""
    names = [name for name in list(sys.modules) if name.startswith(_OURS) and name.partition(".")[0] == _OURS]
    return {name: sys.modules.pop(name) for name in names}


def as_json(value: object) -> Any:  # noqa: ANN401 - any JSON type
    """A value as JSON types: models and dataclasses by alias, enums, dates and Decimals as Pydantic writes them.

    Raises:
        ValueError: it holds itself, a number with too many digits, or an object that JSON cannot hold.
        TypeError: the same.
        RecursionError: it is nested too deeply.
    """
    try:
        text = _encode(value)
    except TypeError:  # a key that is no string, such as a date
        text = _encode(to_jsonable_python(value))
    return _decode(text)


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
        raise _unusable(name, Phrase("importing it failed: {why}", why=_shown(error))) from None
    for part in path.split("."):
        if not hasattr(found, part):
            raise _unusable(name, Phrase("{module} has no {path}", module=module, path=path))
        found = getattr(found, part)
    if not callable(found):
        raise _unusable(name, Phrase("it is no function but a {kind}", kind=type(found).__name__))
    if inspect.iscoroutinefunction(found):
        raise _unusable(name, Phrase("it is async; name a function that returns the result"))
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
        raise _unusable(name, Phrase("it cannot be called with a text alone: {error}", error=error)) from None
    return takes_agent


def _unusable(name: str, why: Message) -> BatchReaderError:
    return BatchReaderError(Phrase("--against {name}: {why}", name=name, why=why).text())


def _shown(error: BaseException) -> str:
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


ReadRow: TypeAlias = tuple[Row, Line]
"""A row that the new parser is done with, and its line in one of the outputs."""


class ComparingHandler:
    """Asks the old parser for each row. No row raises anything."""

    def __init__(self, function: str, names: FieldNames, agent: str | None = None) -> None:
        """Import the old parser in a process of its own, whose stderr goes nowhere: it is the old parser's.

        Args:
            function: `package.module:function` of the old parser.
            names: which field of a row holds what.
            agent: whose output all rows are; None where their own field says it.

        Raises:
            BatchReaderError: there is no such function, or it cannot be called with a text.
        """
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, _STDERR)
        os.close(nothing)
        self._old, self._names, self._agent = OldParser(function), names, agent
        self._outcomes = Outcomes()

    def handle(self, item: ReadRow) -> None:
        """Ask the old parser and compare."""
        _compare(self._outcomes, item, self._names, lambda text, agent: self._old.answer(text, self._agent or agent))

    def take(self) -> Outcomes:
        """What came of the rows since the last time."""
        taken, self._outcomes = self._outcomes, Outcomes()
        return taken


COMPARING = f"{__name__}:{ComparingHandler.__name__}"
"""The handler as a task has it."""


def blame_old(arguments: Mapping[str, Any], item: ReadRow, why: Message) -> Outcomes:
    """The comparison of one row on which its process died; in the process of the owner, which asks no parser."""
    outcomes, died = Outcomes(), ParserAnswer(error=one_line(why.text(), ERROR_LIMIT))
    _compare(outcomes, item, arguments["names"], lambda *_: died)
    return outcomes


def _compare(
    outcomes: Outcomes, item: ReadRow, names: FieldNames, ask: Callable[[str, str | None], ParserAnswer]
) -> None:
    """Take up the answers of both parsers for one row."""
    row, line = item
    record = record_of(row, names)
    if record.problem:
        old = ParserAnswer(error=Phrase("not asked: the row holds no text").text())
    else:
        old = ask(record.text or "", record.agent)
    sys.setrecursionlimit(_LEVELS * 2)  # what could be written with a bound must be read with any stack below
    try:
        read = _decode(line.content.decode())
        new = ParserAnswer(read["data"]) if line.output == PARSED else ParserAnswer(error=read["message"])
        compared = compare(record, old, new, outcomes.tally.comparison)
        outcomes.lines.append(Line(COMPARED, encoded(compared)))
    finally:
        sys.setrecursionlimit(_LEVELS)
