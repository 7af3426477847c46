"""The options of a call: what each of them may be. Whatever takes one checks it here, before it looks at the text."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from numbers import Real
from typing import Final, Literal, ParamSpec, TypeAlias, TypeVar, get_args

from src.shared.domain.finish_reasons import FinishReason
from src.shared.domain.grade import Grade
from src.shared.domain.type_shapes import ROOTS

P = ParamSpec("P")
R = TypeVar("R")

Finished: TypeAlias = bool | FinishReason | None
"""What is known of the end of a text: True, the model stopped by itself; False, it was cut off; None, nobody knows.

A `FinishReason` says one of the three (`FinishReason.finished`). NumPy's `bool_` is taken, too.
"""
Several: TypeAlias = Literal["refuse", "last"]
"""What to do with several different objects that could all be the answer: refuse the text, or take the last one."""
Escapes: TypeAlias = Literal["json", "latex", "path"]
"""What a backslash before b, f, n, r or t may begin: an escape of JSON, or also a LaTeX command or a part of a path."""
RunTogether: TypeAlias = Literal["refuse", "split"]
"""What to do with an element of a list in which the keys of several rows follow each other."""
Keep: TypeAlias = Literal["good"]
"""What to keep of an answer that is not all right: the elements of a list, and the members, that are."""


def known_end(finished: object) -> bool | None:
    """What is known of the end of a text, as True, False or None.

    Raises:
        TypeError: it is none of what `Finished` may be. A provider's word is not guessed at: "length" would be true.
    """
    if finished is None or finished is True or finished is False:
        return finished
    if _is_numpy_bool(finished):
        return bool(finished)
    if isinstance(finished, FinishReason):
        return finished.finished
    message = (
        f"finished must be True, False, None or a FinishReason, not {finished!r}; "
        "for what a provider said: finish_reason_of(word).finished"
    )
    raise TypeError(message)


def check_options(**options: object) -> None:
    """Check some options.

    Raises:
        TypeError: one of them is of another type.
        ValueError: one of them is none of the words, or not in the range, that there are.
    """
    for name, value in options.items():
        CHECKS[name](name, value)


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Check the options that a function is called with, before it begins."""
    parameters = inspect.signature(function).parameters
    own = {name: CHECKS[name] for name in parameters if name in CHECKS}
    if "tools" in own and "normalizers" in own:
        own["normalizers"] = _check_hooks_by_tool
    placed = [name for name, one in parameters.items() if one.kind is not inspect.Parameter.KEYWORD_ONLY]
    by_place = [(at, name) for at, name in enumerate(placed) if name in own]

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        for at, name in by_place:
            if at < len(args):
                own[name](name, args[at])
        for name, value in options.items():
            if name in own:
                own[name](name, value)
        return function(*args, **options)

    return call


def _is_numpy_bool(value: object) -> bool:
    """Whether it is a `bool_` of NumPy, which is imported where there is one."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, getattr(numpy, "bool_", ()))


def _check_flag(name: str, value: object) -> None:
    if not (value is True or value is False or _is_numpy_bool(value)):
        message = f"{name} must be True or False, not {value!r}"
        raise TypeError(message)


def _check_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        message = f"{name} must be str, not {type(value).__name__}"
        raise TypeError(message)


def _one_of(*words: str, or_none: bool = False) -> Callable[[str, object], None]:
    said = f"one of {', '.join(words)}" if len(words) > 1 else f"{words[0]!r} or None"

    def check(name: str, value: object) -> None:
        is_word = isinstance(value, str) and value in words
        if not (is_word or (or_none and value is None)):
            message = f"{name} must be {said}, not {value!r}"
            raise ValueError(message)

    return check


def _check_seconds(name: str, value: object) -> None:
    if value is None:
        return
    message = f"{name} must be a positive number of seconds, not {value!r}"
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(message)
    try:
        seconds = float(value)
    except OverflowError:
        seconds = math.inf
    if not (seconds > 0 and math.isfinite(seconds)):
        raise ValueError(message)


def _check_hooks(name: str, value: object) -> None:
    if value is None or value is NO_HOOKS:
        return
    if callable(value):
        called = getattr(value, "__name__", type(value).__name__)
        message = f"{name} must be a sequence of functions, not one function; write {name}=[{called}]"
        raise TypeError(message)
    if isinstance(value, str) or not isinstance(value, Sequence):
        message = f"{name} must be a sequence of functions, not {type(value).__name__}"
        raise TypeError(message)
    for at, hook in enumerate(value):
        if not callable(hook):
            message = f"{name}[{at}] must be a function, not {type(hook).__name__}"
            raise TypeError(message)


def _check_hooks_by_tool(name: str, value: object) -> None:
    if value is None:
        return
    if not isinstance(value, Mapping):
        message = f"{name} must be a mapping from a tool's name to its functions, not {type(value).__name__}"
        raise TypeError(message)
    for tool, hooks in value.items():
        _check_hooks(f"{name}[{tool!r}]", hooks)


def _check_tools(name: str, value: object) -> None:
    if not isinstance(value, Mapping):
        message = f"{name} must be a mapping from a tool's name to its type, not {type(value).__name__}"
        raise TypeError(message)


NO_HOOKS: Final[tuple[()]] = ()
REFUSE: Final = "refuse"
JSON: Final = "json"
FLAGS: Final = ("absent", "coerce", "deep", "explains", "salvage", "stream_data", "unwrap", "written")
CHECKS: Final[Mapping[str, Callable[[str, object], None]]] = {
    **dict.fromkeys(FLAGS, _check_flag),
    **dict.fromkeys(("context_label", "label"), _check_text),
    **dict.fromkeys(("normalizers", "rules"), _check_hooks),
    "several": _one_of(*get_args(Several)),
    "escapes": _one_of(*get_args(Escapes)),
    "run_together": _one_of(*get_args(RunTogether)),
    "keep": _one_of(*get_args(Keep), or_none=True),
    "accept": _one_of(*Grade),
    "root": _one_of(*ROOTS, or_none=True),
    "timeout": _check_seconds,
    "tools": _check_tools,
}
"""What checks an option, by its name; `finished` has `known_end`."""
