"""A dossier: everything a committee is told about one stock, as one JSON document."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from src.entrypoints.reports.words import problem_word
from src.modules.research.domain.inputs import ResearchInput
from src.shared.domain.exceptions import AppException, json_path
from src.shared.domain.language import Language, Message

MOST_PROBLEMS = 20
"""Most problems of a dossier that are named; all are counted."""


class Dossier(ResearchInput):
    """One stock and what is known about it. What is optional and not given is told to the agents as missing."""

    version: Literal[1] = Field(description="档案格式的版本")
    note: Annotated[str, Field(min_length=1, max_length=2000)] | None = Field(
        default=None, description="给人看的说明，不会交给任何专家"
    )


class DossierError(AppException):
    """A document is no dossier, or it cannot be made of a table. Values of the document are not repeated."""

    default_code = "DOSSIER_INVALID"

    @classmethod
    def unreadable(cls, path: Path, why: Message) -> DossierError:
        """The error for a file that cannot be used."""
        return cls(Message(f"无法使用 {path}：{why.zh}", f"cannot use {path}: {why.en}").text(), {"path": str(path)})

    @classmethod
    def of(cls, error: ValidationError) -> DossierError:
        """The error for what does not fit the model, each problem with its place on a line of its own."""
        count = error.error_count()
        lines = [Message(f"档案有 {count} 处需要修改", f"problems in the dossier: {count}").text()]
        for problem in error.errors(include_url=False, include_input=False)[:MOST_PROBLEMS]:
            kind = problem["type"]
            said = Message(problem_word(kind, Language.ZH), problem_word(kind, Language.EN))
            lines.append(f"  - {json_path(problem['loc'])}: {said.text()}")
        return cls("\n".join(lines), {"problem_count": count})


def load_dossier(path: Path) -> Dossier:
    """Read a dossier from a file.

    Raises:
        DossierError: the file cannot be read, is not JSON, or does not fit the model.
    """
    try:
        return Dossier.model_validate_json(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise DossierError.unreadable(path, Message(why, why)) from error
    except ValidationError as error:
        raise DossierError.of(error) from None
