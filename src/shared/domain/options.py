"""The options of a reading, each once: its values and bounds, its default, and what it does.

The keyword arguments of the API, the flags of the command line, the body of a request, the manifest of a batch and the
page of documentation are made of this list. Whatever takes an option checks it here, before it looks at the text.
"""
# Without postponed annotations: the list is read at import.

import inspect
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial, wraps
from numbers import Real
from operator import attrgetter
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    ParamSpec,
    TypeAlias,
    TypedDict,
    TypeVar,
    Union,
    Unpack,
    get_args,
    get_origin,
)

from pydantic import Field
from pydantic.fields import FieldInfo

from src.shared.domain.finish_reasons import FinishReason
from src.shared.domain.grade import ANY_GRADE, Accept
from src.shared.domain.language import Language
from src.shared.domain.rules import Normalizer
from src.shared.domain.type_shapes import Roots

KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY
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
Notation: TypeAlias = Literal["json", "yaml", "xml", "labelled", "markdown"]
"""What an answer is written in: labelled are lines such as `Rating: BUY`, markdown is a table."""
Notations: TypeAlias = Sequence[Notation] | AbstractSet[Notation]
"""Some of them, in any order."""
Keep: TypeAlias = Literal["good"]
"""What to keep of an answer that is not all right: the elements of a list, and the members, that are."""
Spoken: TypeAlias = Language | Literal["zh", "en", "both"]
"""A language of messages."""
NO_HOOKS: Final[tuple[()]] = ()


class _NoOptions(TypedDict):
    """None."""


class SharedOptions(TypedDict, total=False):
    """What can be said of any texts, with a type or without."""

    normalizers: Annotated[
        Sequence[Normalizer] | None,
        Field(None, description="Functions that run in order on the decoded data; each returns the next data."),
    ]
    context_label: Annotated[str, Field("", description="The caller's name for the log, such as an agent's title.")]
    several: Annotated[
        Several,
        Field(
            "refuse",
            description="If several different objects could be the answer: refuse the text, or take the last, or none.",
        ),
    ]


class TextOptions(TypedDict, total=False):
    """What can be said of one text alone."""

    finished: Annotated[
        Finished,
        Field(
            None,
            description="Whether the model stopped by itself; if it was cut off, the text is refused, whatever it "
            "looks like. Where nobody knows, the text itself has to show its end.",
        ),
    ]
    language: Annotated[
        Spoken | None,
        Field(
            None,
            description="The language of the error if the text is refused: its message, its problems and its feedback. "
            "None for the one that the environment asks for.",
        ),
    ]


class DecodeOptions(SharedOptions, TextOptions, total=False):
    """What can be said of a text that is decoded without a type.

    .. versionadded:: 0.1.0
    """

    salvage: Annotated[
        bool,
        Field(
            default=False,
            description="Of a text that was cut off keep the members that were complete, and say so, instead of "
            "refusing it.",
        ),
    ]


class ReadAsOptions(TypedDict, total=False):
    """What a type may allow besides JSON.

    .. versionadded:: 0.1.0
    """

    unwrap: Annotated[
        bool,
        Field(
            default=False,
            description="Also take an answer under one key, or in a list of one, if just one candidate fits the type.",
        ),
    ]
    escapes: Annotated[
        Escapes,
        Field(
            "json",
            description="What a backslash before b, f, n, r or t may begin besides an escape of JSON: a LaTeX command "
            "(\\times), or a part of a path.",
        ),
    ]
    run_together: Annotated[
        RunTogether,
        Field(
            "refuse",
            description="Whether rows that were run together in one object of a list are refused, or split if each is "
            "complete.",
        ),
    ]
    scalar: Annotated[
        bool,
        Field(
            default=False,
            description="Also take a type that is an enum, a `Literal`, a number, a boolean, a date or a union of "
            "these: the text is the value alone, or names it at its end, as in `The answer is **BUY**.`",
        ),
    ]
    notations: Annotated[
        Notations,
        Field(
            ("json",),
            description="What the answer may be written in: JSON, which always comes first, and what else is named, "
            "each by the fields of the type.",
        ),
    ]


class ReaderOptions(SharedOptions, ReadAsOptions, total=False):
    """What can be said of all texts that are parsed into a type, but `keep`, which gives another type.

    .. versionadded:: 0.1.0
    """

    coerce: Annotated[
        bool,
        Field(
            default=False,
            description="Read values in another spelling than their type, if they have one exact reading: `1.2亿` for "
            "a number; also keys in another spelling, and one object in place of a list. Fields marked as `Lenient` "
            "are read so anyway.",
        ),
    ]
    accept: Annotated[
        Accept, Field(ANY_GRADE, description="The last grade that is taken: a result that is less sure is refused.")
    ]
    timeout: Annotated[
        float | None,
        Field(
            None,
            gt=0,
            allow_inf_nan=False,
            description="Seconds after which the text is refused; one step may still come to its end.",
        ),
    ]


class KeepingOptions(ReaderOptions, total=False):
    """What can be said of all texts that are parsed into a type."""

    keep: Annotated[
        Keep | None,
        Field(
            None,
            description="Keep the elements of a list that satisfy the type, and of a text that was cut off the members "
            "that were complete. The result is then a `Partial`, which names what is left out.",
        ),
    ]


class TypedOptions(ReaderOptions, TextOptions, total=False):
    """What can be said of one text that is parsed into a type, but `keep`."""


class ReadOptions(KeepingOptions, TypedOptions, total=False):
    """What can be said of a text that is parsed into a type: the keyword arguments of `parse_llm_json_output`.

    Each has a default that reads a text as JSON and nothing else. For a function of your own that passes them on:
    `def read(text: str, **options: Unpack[ReadOptions])`.

    .. versionadded:: 0.1.0
    """


class Option(NamedTuple):
    """An option of the list.

    Attributes:
        kind: its type.
        field: its default, bounds and description.
        words: its values, if they are words.
        is_optional: whether it may be None.
    """

    kind: Any
    field: FieldInfo
    words: tuple[str, ...]
    is_optional: bool

    @property
    def takes_several(self) -> bool:
        """Whether its value is some of the words."""
        return bool(self.kind == Notations)

    @classmethod
    def of(cls, annotation: Any) -> "Option":  # noqa: ANN401 - `Annotated`
        """The option of a field of the list."""
        kind, field = annotation.__origin__, annotation.__metadata__[0]
        parts = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
        choices = (*parts, *get_args(parts[0]))
        words = next((get_args(part) for part in choices if get_origin(part) is Literal), ())
        return cls(kind, field, words, NoneType in parts)


def _options_of(given: type) -> dict[str, Option]:
    return {name: Option.of(annotation) for name, annotation in given.__annotations__.items()}


OPTIONS: Final[Mapping[str, Option]] = {**_options_of(DecodeOptions), **_options_of(ReadOptions)}
"""All of them by name."""
DEFAULTS: Final[Mapping[str, Any]] = {name: option.field.default for name, option in OPTIONS.items()}
"""What each is where nobody says it."""
READ_AS: Final = tuple(ReadAsOptions.__annotations__)
"""The names of those that a type may allow by itself."""
NEEDING_TYPE: Final = tuple(name for name in ReadOptions.__annotations__ if name not in DecodeOptions.__annotations__)
"""The names of those that say something of a type: without one they are refused."""


def all_notations(named: Notations) -> tuple[Notation, ...]:
    """The notations that are tried for those that are named, in the order in which they are."""
    return tuple(word for word in get_args(Notation) if word == "json" or word in named)


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


def unusual(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are not at their defaults, for a manifest or another call."""
    return {name: value for name, value in options.items() if value is not NO_HOOKS and value != DEFAULTS[name]}


def is_usual(options: Mapping[str, object]) -> bool:
    """Whether options change nothing of how a text is read, as far as that is seen without looking at their values."""
    for name, value in options.items():
        if name == "context_label":
            is_default = type(value) is str
        elif name == "finished":
            is_default = value is None or value is True
        else:
            is_default = name in DEFAULTS and (value is DEFAULTS[name] or value is NO_HOOKS)
        if not is_default:
            return False
    return True


def check_options(**options: object) -> None:
    """Check some options.

    Raises:
        TypeError: one of them is of another type.
        ValueError: one of them is none of the words, or not in the range, that there are.
    """
    for name, value in options.items():
        CHECKS[name](name, value)


def describes(options: type) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Show the options that a function takes in its signature, and what they do where its docstring says `options:`."""

    def describe(function: Callable[P, R]) -> Callable[P, R]:
        taken, signature = _options_of(options), inspect.signature(function)
        own = [one for one in signature.parameters.values() if not _is_unpacked(one.annotation)]
        more = [
            inspect.Parameter(name, KEYWORD_ONLY, default=option.field.default, annotation=option.kind)
            for name, option in taken.items()
            if name not in signature.parameters
        ]
        parameters = sorted((*own, *more), key=attrgetter("kind"))
        function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        before, line, rest = (function.__doc__ or "").partition("options: ")
        indent = before.rpartition("\n")[2] + "    "  # Python 3.13 takes some of it away
        said, end, after = rest.partition("\n\n")
        told = "".join(f"{indent}{name}: {option.field.description}\n" for name, option in taken.items())
        function.__doc__ = f"{before}{line}{said}\n{told}{end[1:]}{after}" if line else before
        return function

    return describe


def _is_unpacked(annotation: object) -> bool:
    return get_origin(annotation) is Unpack or str(annotation).startswith("Unpack[")


def takes(options: type = _NoOptions) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Check the options that a function is called with, before it begins, and show them as `describes` does.

    Args:
        options: what it takes by name besides its own parameters, of which those that are options are checked as well.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = inspect.signature(function).parameters
        named = [name for name, one in parameters.items() if one.kind is not one.VAR_KEYWORD]
        taken = {name: CHECKS.get(name) for name in (*named, *options.__annotations__)}
        if {"tools", "normalizers"} <= taken.keys():
            taken["normalizers"] = _check_hooks_by_tool
        placed = [name for name, one in parameters.items() if one.kind < KEYWORD_ONLY]
        by_place = [(at, name, check) for at, name in enumerate(placed) if (check := taken[name])]
        is_open = any(one.kind is one.VAR_KEYWORD and not _is_unpacked(one.annotation) for one in parameters.values())

        @wraps(function)
        def call(*args: P.args, **given: P.kwargs) -> R:
            for at, name, check in by_place:
                if at < len(args):
                    check(name, args[at])
            for name, value in given.items():
                known = taken.get(name)
                if known:
                    known(name, value)
                elif name not in taken and not is_open:
                    message = f"{function.__name__}() got an unexpected keyword argument {name!r}"
                    raise TypeError(message)
            return function(*args, **given)

        return describes(options)(call)

    return decorate


def _is_numpy_bool(value: object) -> bool:
    """Whether it is a `bool_` of NumPy, which is imported where there is one."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, getattr(numpy, "bool_", ()))


def _check_end(_: str, value: object) -> None:
    known_end(value)


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


def _check_words(name: str, value: object, words: Sequence[str]) -> None:
    if isinstance(value, str) or not isinstance(value, (Sequence, AbstractSet)):
        message = f"{name} must be a sequence or a set of words, not {value!r}"
        raise TypeError(message)
    if any(one not in words for one in value):
        message = f"{name} must be some of {', '.join(words)}, not {value!r}"
        raise ValueError(message)


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


def _check_of(option: Option) -> Callable[[str, object], None]:
    """What checks the values of an option."""
    if option.takes_several:
        return partial(_check_words, words=option.words)
    if option.words:
        return _one_of(*option.words, or_none=option.is_optional)
    return _CHECK_OF[option.kind]


_CHECK_OF: dict[Any, Callable[[str, object], None]] = {
    bool: _check_flag,
    str: _check_text,
    Sequence[Normalizer] | None: _check_hooks,
    Finished: _check_end,
    float | None: _check_seconds,
}
"""What checks a value, by its type."""
FLAGS: Final = ("absent", "deep", "explains", "stream_data", "written")
CHECKS: Final[Mapping[str, Callable[[str, object], None]]] = {
    **{name: _check_of(option) for name, option in OPTIONS.items()},
    **dict.fromkeys(FLAGS, _check_flag),
    "label": _check_text,
    "rules": _check_hooks,
    "root": _one_of(*get_args(Roots), or_none=True),
    "tools": _check_tools,
}
"""What checks an option, or another argument that says how to read, by its name."""
