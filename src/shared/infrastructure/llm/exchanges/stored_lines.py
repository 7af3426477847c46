"""Reading what was stored of models, a JSON object a line: recordings, transcripts."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from src.shared.domain.language import Message
from src.shared.infrastructure.llm.provider_errors import configuration_error

Line = TypeVar("Line", bound=BaseModel)


def stored_lines(path: Path, line_type: type[Line], what: Message, *, hint: str = "") -> list[Line]:
    """Read a file of JSON Lines; empty lines do not count.

    Args:
        path: the file.
        line_type: what a line is.
        what: what the file is called.
        hint: what to do where it cannot be read, in English, behind a semicolon.

    Raises:
        LLMConfigurationError: the file cannot be read, or a line is malformed; says which.
    """
    try:
        lines = path.read_bytes().removeprefix(codecs.BOM_UTF8).split(b"\n")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        problem = Message.glossed(
            f"无法读取{what.zh} {path}：{reason}",
            f"cannot read the {what.en} {path}: {reason}{hint}",
            f"cannot read the {what.en}{hint}",
        )
        raise configuration_error(problem, path=str(path), reason=reason) from error
    return [_line(path, number, line, line_type, what) for number, line in enumerate(lines, 1) if line.strip()]


def _line(path: Path, number: int, line: bytes, line_type: type[Line], what: Message) -> Line:
    try:
        return line_type.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        reason = ": ".join(filter(None, [".".join(map(str, first["loc"])), first["msg"]]))
    problem = Message.glossed(
        f"{what.zh} {path} 第 {number} 行有误：{reason}；请修正或删除该行",
        f"line {number} of the {what.en} {path} is malformed: {reason}; correct or delete it",
        f"line {number} of the {what.en} is malformed; correct or delete it",
    )
    raise configuration_error(problem, path=str(path), line=number, reason=reason)
