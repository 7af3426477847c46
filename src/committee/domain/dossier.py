"""A dossier: everything a committee is told about one stock, as one JSON document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from src.modules.research.application.public import ResearchInput


class Dossier(ResearchInput):
    """One stock and what is known about it. Whatever is optional and not given is told to the agents as missing."""

    version: Literal[1] = Field(description="档案格式的版本")
    note: Annotated[str, Field(min_length=1, max_length=2000)] | None = Field(
        default=None, description="给人看的说明，不会交给任何专家"
    )


def dossier_schema() -> dict[str, Any]:
    """The JSON Schema of a dossier; its descriptions say what each value means, in which unit."""
    return Dossier.model_json_schema()
