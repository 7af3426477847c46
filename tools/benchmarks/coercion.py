"""What libraries make of values in another spelling: `python -m tools.benchmarks.coercion` prints a Markdown table.

The values are those of `tests/shared/domain/coercion/pairs.txt`, each with what it means, and `traps.txt`, none of
which has one exact meaning. Each is one field of an object, given to each library with the type of that field. Of a
library that is not installed the table says so; `.cache/bench-3.12/bin/python` has all of them.
"""

from __future__ import annotations

import importlib
import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from enum import Enum
from importlib.metadata import version
from types import ModuleType
from typing import Any, NamedTuple

from pydantic import BaseModel

from tests.shared.domain.coercion.kinds import Line, lines, model_of
from tools.benchmarks.report import table

Read = Callable[[str, str], Any]
"""Takes a text and the kind of its value, and returns the object; raises where it refuses."""


class NoSuchTypeError(Exception):
    """The library has no type for this kind of value."""


class Peer(NamedTuple):
    """A library under its name in the table.

    Attributes:
        name: as the table shows it.
        package: the distribution; empty for ours.
        load: imports it.
    """

    name: str
    package: str
    load: Callable[[], Read]


def _ours() -> Read:
    parse = importlib.import_module("src.shared.infrastructure.llm_json").parse_llm_json_output
    return lambda text, kind: parse(text, model_of(kind), coerce=True)


def _pydantic() -> Read:
    return lambda text, kind: model_of(kind).model_validate_json(text)


def _parsantic() -> Read:
    parse = importlib.import_module("parsantic").parse
    return lambda text, kind: parse(text, model_of(kind)).value


_BAML_TYPES = {
    "float": (
        "number",
        "ratio_by_bounds",
        "percent_by_bounds",
        "between_minus_one_and_one",
        "from_minus_hundred",
        "at_most_nothing",
        "far_below_one",
        "digits",
        "percent",
        "points",
        "amount",
    ),
    "int": ("whole", "whole_percent"),
    "bool": ("truth",),
    "bool?": ("truth_or_null",),
    "Rating": ("rating",),
    "Valuation": ("valuation",),
    "Twins": ("twins",),
    '"BUY" | "SELL" | "NOT_RATED"': ("choice",),
    "string[]": ("texts",),
    "int[]": ("wholes",),
    '"买入" | "持有" | "卖出" | "中性"': ("chinese",),
    "int | float": ("whole_or_float",),
    "float?": ("number_or_null",),
    "string?": ("text_or_none",),
}
"""The kinds by their types in BAML's own language, which has no dates, decimals or bounds of a number."""
_ENUMS = """
enum Rating { STRONG_BUY @alias("强烈买入") \n HOLD @alias("持有") }
enum Valuation { FAIR @alias("Fair") \n OVERVALUED @alias("Overvalued") }
enum Twins { ONE @alias("A") \n A @alias("one") }
client<llm> Offline { provider openai \n options { model "none" \n api_key "none" } }
"""


def _baml() -> Read:
    kinds = {kind: written for written, names in _BAML_TYPES.items() for kind in names}
    source = _ENUMS + "".join(
        f"class C_{kind} {{ value {written} }}\nfunction F_{kind}(text: string) -> C_{kind}"
        f' {{ client Offline \n prompt #"{{{{ text }}}}"# }}\n'
        for kind, written in kinds.items()
    )
    runtime = importlib.import_module("baml_py").BamlRuntime.from_files(".", {"kinds.baml": source}, {})
    context = runtime.create_context_manager()
    members = importlib.import_module("tests.shared.domain.coercion.kinds")
    made = ModuleType("kinds")
    vars(made).update({f"C_{kind}": _Whatever for kind in kinds}, **{name: getattr(members, name) for name in _MEMBERS})

    def read(text: str, kind: str) -> Any:  # noqa: ANN401 - what the library makes of it
        if kind not in kinds:
            raise NoSuchTypeError
        return runtime.parse_llm_response(
            f"F_{kind}", text, made, made, made, allow_partials=False, ctx=context, tb=None, cb=None, env_vars={}
        )

    return read


_MEMBERS = ("Rating", "Valuation", "Twins")


class _Whatever(BaseModel):
    value: Any


PEERS = (
    Peer("ours, `coerce=True`", "", _ours),
    Peer("Pydantic alone", "pydantic", _pydantic),
    Peer("BAML", "baml-py", _baml),
    Peer("parsantic", "parsantic", _parsantic),
)


def rows() -> Iterator[tuple[str, ...]]:
    """One row a library: its pairs right, wrong and refused, and its traps refused and read."""
    for peer in PEERS:
        try:
            read = peer.load()
        except ImportError:
            yield (peer.name, "not installed", *[""] * 4)
            continue
        pairs = Counter(_verdict(read, line) for line in lines("pairs.txt"))
        traps = Counter(_verdict(read, line) for line in lines("traps.txt"))
        name = f"{peer.name} {version(peer.package)}" if peer.package else peer.name
        traps_read = traps["right"] + traps["wrong"]
        yield (name, *(str(pairs[what]) for what in _VERDICTS), str(traps["refused"]), str(traps_read))


_VERDICTS = ("right", "wrong", "refused")


def _verdict(read: Read, line: Line) -> str:
    """What became of a value; one of a type that the library does not have is no part of the count."""
    try:
        value = read(json.dumps({"value": line.text}, ensure_ascii=False), line.kind).value
    except NoSuchTypeError:
        return "no such type"
    except Exception:  # noqa: BLE001 - whatever a library raises is its refusal
        return "refused"
    return "right" if _plain(value) == _plain(line.value) else "wrong"


def _plain(value: object) -> object:
    """A value as any of the libraries has it: of an enum the member's name, a decimal as a float."""
    if isinstance(value, Enum):
        return value.name
    return float(value) if isinstance(value, Decimal) else value


def main() -> None:
    """Print the table."""
    header = ("", "pairs right", "wrong", "refused", "traps refused", "read")
    print("\n".join(table(header, rows())))


if __name__ == "__main__":
    import structlog

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    main()
