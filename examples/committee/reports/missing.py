"""What a dossier does not say, so that missing data is not mistaken for good news."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel

from examples.committee.domain.dossier import Dossier
from src.shared.domain.language import Message

_NOT_DATA = {"version", "note", "price_history"}
"""What no expert is shown, and so is not missing."""


@dataclass(frozen=True, slots=True)
class MissingSection:
    """What is missing of one section.

    Attributes:
        title: of the section.
        fields: what is not given; empty where the whole section is not.
    """

    title: Message
    fields: tuple[Message, ...]


def missing_in(dossier: Dossier) -> tuple[MissingSection, ...]:
    """Every section of which something is not given, in the dossier's order."""
    return tuple(_sections(dossier))


def _sections(dossier: Dossier) -> Iterator[MissingSection]:
    for name, field in Dossier.model_fields.items():
        if name in _NOT_DATA:
            continue
        section, title = getattr(dossier, name), called(name, field.description)
        if section is None:
            yield MissingSection(title, ())
            continue
        fields = tuple(_fields(section))
        if fields:
            yield MissingSection(title, fields)


def _fields(section: BaseModel) -> Iterator[Message]:
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        if value is None:
            yield called(name, field.description)
        elif isinstance(value, list):
            yield from _rows(value)


def _rows(rows: list[object]) -> Iterator[Message]:
    """What some rows of a list do not say, such as a quarter's figure; a source's date and link are no data."""
    models = [row for row in rows if isinstance(row, BaseModel) and "text" not in type(row).model_fields]
    for row in models:
        names = type(row).model_fields
        first = getattr(row, next(iter(names)))
        for name in _none(row):
            title = called(name, names[name].description)
            yield Message(f"{first} {title.zh}", f"{first} {title.en}", f"{first} {title.zh}")


def _none(row: BaseModel) -> list[str]:
    return [name for name in type(row).model_fields if getattr(row, name) is None]


def called(name: str, description: str | None) -> Message:
    """What a value is called: its description up to the first comma or colon; in English its name."""
    zh = (description or "").partition("，")[0].partition("：")[0]
    return Message(zh, name.replace("_", " "), zh)
