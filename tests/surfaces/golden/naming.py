"""The public names of a module, each with its signature and its public members: what an importer can rely on."""

import inspect
import re
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from typing import Any


def names(module_name: str) -> None:
    """Print the names of `__all__`, sorted."""
    module = import_module(module_name)
    for name in sorted(module.__all__):
        value = getattr(module, name)
        if inspect.isclass(value):
            print(f"class {name}{'' if issubclass(value, Enum) else _signature(value)}")  # noqa: T201 - for the transcript
            for line in _members(value):
                print(f"    {line}")  # noqa: T201 - as above
        elif inspect.isroutine(value):
            print(f"{_word(value)} {name}{_signature(value)}")  # noqa: T201 - as above
        else:
            print(f"{name}: {_bare(str(value))}")  # noqa: T201 - as above


def _signature(value: Any) -> str:  # noqa: ANN401 - whatever can be called
    try:
        return _bare(str(inspect.signature(value)))
    except (TypeError, ValueError):
        return ""


def _bare(text: str) -> str:
    """The text without the modules of our names, which are nobody's business."""
    return re.sub(r"\bsrc\.(?:\w+\.)+", "", text)


def _word(function: Any) -> str:  # noqa: ANN401 - whatever can be called
    return "async def" if inspect.iscoroutinefunction(function) else "def"


def _members(kind: type[Any]) -> Iterator[str]:
    if issubclass(kind, Enum):
        yield from (f"{one.name} = {one.value!r}" for one in kind)
    if issubclass(kind, BaseException):
        code = getattr(kind, "default_code", None)
        yield f"code {code!r}, of {', '.join(base.__name__ for base in kind.__mro__[1:-2])}"
    own = {name for base in kind.__mro__ if base.__module__.startswith("src.") for name in vars(base)}
    for name in sorted(name for name in own if not name.startswith("_")):
        found = inspect.getattr_static(kind, name)
        if isinstance(found, classmethod | staticmethod):
            yield f"{type(found).__name__} {name}{_signature(found.__func__)}"
        elif inspect.isfunction(found):
            yield f"{_word(found)} {name}{_signature(found)}"
        elif type(found).__name__ in {"property", "cached_property", "member_descriptor"}:
            yield f"attribute {name}"
