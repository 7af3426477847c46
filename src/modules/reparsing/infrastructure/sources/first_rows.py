"""A look at the first rows before a run begins: a field whose name is wrong would refuse every one of millions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import chain

from src.modules.reparsing.domain.exceptions import BatchInputError, UnusableRowError
from src.modules.reparsing.domain.ports.rows import RowSource, SourceRow
from src.modules.reparsing.domain.record import FieldNames, Fields, has_field, shown_fields
from src.modules.reparsing.infrastructure.rows import row_content
from src.modules.reparsing.infrastructure.sources.standard_input import StandardInput
from src.shared.domain.language import Message

ROWS_LOOKED_AT = 1_000
BYTES_LOOKED_AT = 64 * 1024 * 1024
"""Rows may be large: behind so many bytes no more of them are looked at."""


def check_fields(sources: Sequence[RowSource], names: FieldNames) -> None:
    """Look for the fields that are asked for, until each was seen once: as a rule that is the first row.

    The text must be there. Of the other fields those must be that were asked for under another name than usual. Rows
    that are a text alone have no fields, and rows that cannot be read are left to the run.

    Raises:
        BatchInputError: a field is in none of the first rows; it names those that are.
    """
    missing = _asked(names)
    seen: dict[str, None] = {}
    try:
        for row in _first_rows(sources):
            missing = {option: name for option, name in missing.items() if not has_field(row, name)}
            seen |= dict.fromkeys(map(str, row))
            if not missing:
                return
    except BatchInputError:  # the run tells it, and keeps what stands before
        return
    if seen:
        option, name = next(iter(missing.items()))
        raise BatchInputError.of(sources[0].name, _nowhere(option, name, shown_fields(seen)))


def _asked(names: FieldNames) -> dict[str, str]:
    """The names of the fields that have to be somewhere, by their options."""
    usual = FieldNames()
    asked = {each.name: getattr(names, each.name) for each in fields(names)}
    return {
        f"--{option.partition('_')[0]}-field": name
        for option, name in asked.items()
        if option == "text" or name != getattr(usual, option)
    }


def _first_rows(sources: Sequence[RowSource]) -> Iterator[Fields]:
    """Those of the first rows that have fields."""
    size = 0
    rows = chain.from_iterable(_beginning(source) for source in sources)
    for _, (row, taken, _position) in zip(range(ROWS_LOOKED_AT), rows, strict=False):
        with contextlib.suppress(UnusableRowError):
            content = row_content(row)
            if isinstance(content, Mapping):
                yield content
        size += taken
        if size > BYTES_LOOKED_AT:
            return


def _beginning(source: RowSource) -> Iterator[SourceRow]:
    return source.beginning() if isinstance(source, StandardInput) else source.rows()


def _nowhere(option: str, name: str, shown: str) -> Message:
    return Message(
        f"最初的各行中没有字段 {name!r}；它们的字段：{shown or '无'}。请用 {option} 指明",
        f"there is no field {name!r} in the first rows, which have {shown or 'none'}; name the field with {option}",
    )
