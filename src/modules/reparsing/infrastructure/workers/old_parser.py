"""An old parser: a function of the user's, which may do anything to its process and whose answer is kept."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

from pydantic_core import to_jsonable_python

from src.modules.reparsing.domain.comparison import ERROR_LIMIT, OldAnswer
from src.modules.reparsing.domain.exceptions import BatchReaderError
from src.shared.domain.language import Message
from src.shared.domain.one_line import one_line

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

    def answer(self, text: str, agent: str | None) -> OldAnswer:
        """What it makes of a text."""
        try:
            with self._modules.known():
                return self._answered(text, {AGENT: agent} if self._takes_agent else {})
        except BaseException as error:  # noqa: BLE001 - what the old code raises is to be told, whatever it is
            return OldAnswer(error=_told(error))

    def _answered(self, text: str, agent: dict[str, str | None]) -> OldAnswer:
        value = self._function(text, **agent)
        if value is None:
            return OldAnswer(error=Message("返回了 None", "it returned None").text())
        try:
            return OldAnswer(as_json(value))
        except (ValueError, TypeError, RecursionError) as error:
            why = _told(error)
            message = Message(f"返回值无法写成 JSON：{why}", f"what it returned cannot be written as JSON: {why}")
            return OldAnswer(error=one_line(message.text(), ERROR_LIMIT))


_decoded = json.JSONDecoder().decode
_encoded = json.JSONEncoder(default=to_jsonable_python).encode
"""Not `json.dumps`, which the old code may have replaced."""


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
        raise _unusable(name, Message("写法应为 package.module:function", "it must be package.module:function"))
    try:
        found: Any = import_module(module)
    except ModuleNotFoundError as error:
        where = Message(
            f"当前目录和已安装的软件包中都没有模块 {error.name}",
            f"there is no module {error.name} in the current directory or among the installed packages",
        )
        raise _unusable(name, where) from None
    except BaseException as error:  # noqa: BLE001 - the user's module runs here
        why = _told(error)
        raise _unusable(name, Message(f"导入失败：{why}", f"importing it failed: {why}")) from None
    for part in path.split("."):
        if not hasattr(found, part):
            raise _unusable(name, Message(f"{module} 中没有 {path}", f"{module} has no {path}"))
        found = getattr(found, part)
    if not callable(found):
        kind = type(found).__name__
        raise _unusable(name, Message(f"不是函数，而是 {kind}", f"it is no function but a {kind}"))
    if inspect.iscoroutinefunction(found):
        raise _unusable(
            name,
            Message(
                "是 async 函数；请指定一个直接返回结果的函数", "it is async; name a function that returns the result"
            ),
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
        why = Message(f"不能只用一段文本调用：{error}", f"it cannot be called with a text alone: {error}")
        raise _unusable(name, why) from None
    return takes_agent


def _unusable(name: str, why: Message) -> BatchReaderError:
    return BatchReaderError(Message(f"--against {name}：{why.zh}", f"--against {name}: {why.en}").text())


def _told(error: BaseException) -> str:
    """The class and the message of an exception on one line; its code may do anything, too."""
    name = type(error).__name__
    try:
        text = one_line(str.__getitem__(str(error), slice(ERROR_LIMIT)), ERROR_LIMIT)
    except BaseException:  # noqa: BLE001 - as said
        text = ""
    return one_line(f"{name}: {text}" if text else name, ERROR_LIMIT)
