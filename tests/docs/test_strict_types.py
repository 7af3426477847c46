"""The page of types says of every type of ours whether a provider can be held to it strictly, and if not, why."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from src.entrypoints.agents import AGENTS
from src.modules.cowriting.domain import Envelope
from src.modules.visual_rag.domain.actions import ACTION
from src.modules.workbench.domain import response_formats
from src.shared.domain.answer_type import AnswerType, adapter_of
from src.shared.domain.language import Language
from src.shared.domain.strict_schema import NotStrictError, strict_schema
from tests.docs.pages import PAGES, name_in, rows

PAGE = PAGES["docs/reference/types.md"]


def types() -> dict[str, AnswerType[Any]]:
    """Every type that a model is asked for, by the name of its agent or its own."""
    formats = {
        name: found
        for name, found in vars(response_formats).items()
        if isinstance(found, type) and issubclass(found, BaseModel) and found is not BaseModel
    }
    agents = {name: agent.output.checked_type for name, agent in AGENTS.items()}
    return {**agents, **formats, "Action": ACTION, "Envelope": Envelope}


def why_not(dto_type: AnswerType[Any]) -> tuple[str, str]:
    """Where and why a type cannot be held to; two empty texts where it can."""
    try:
        strict_schema(adapter_of(dto_type).json_schema())
    except NotStrictError as error:
        return error.path, error.reason.text(Language.EN)
    return "", ""


def test_types_that_cannot_be_held_to_are_those_of_the_table_with_their_place_and_reason() -> None:
    found = {name: why_not(dto_type) for name, dto_type in types().items()}
    written = {name_in(name): (name_in(place), why) for name, place, why in rows(PAGE, "not strict")}
    assert written == {name: why for name, why in found.items() if why != ("", "")}
