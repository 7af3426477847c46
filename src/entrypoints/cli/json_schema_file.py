"""Loads the type that `--schema FILE` names: a JSON Schema in a file."""

from __future__ import annotations

import json
from pathlib import Path

from src.entrypoints.cli.files import STDIN, read_source
from src.entrypoints.cli.guard import CommandError
from src.shared.infrastructure.json_schema.drafts import JsonSchemaError
from src.shared.infrastructure.json_schema.json_schema import JsonSchema


def json_schema_file(path: str) -> JsonSchema:
    """The type of a file; without a `title` in the schema it has the file's name.

    Raises:
        CommandError: the file cannot be read, is no JSON, or no schema that can be taken; or the extra is missing.
    """
    if path == STDIN:
        raise CommandError("--schema 须为文件，不能是标准输入", "--schema takes a file, not stdin")
    source = read_source(path)
    try:
        schema = json.loads(source.text)
    except json.JSONDecodeError as error:
        place = f"{path}:{error.lineno}:{error.colno}"
        raise CommandError(
            f"--schema {place} 不是合法 JSON：{error.msg}", f"--schema {place} is not JSON: {error.msg}"
        ) from error
    except (ValueError, RecursionError) as error:  # an integer of thousands of digits, brackets in brackets
        why = str(error) or type(error).__name__
        raise CommandError(f"--schema {path} 不是合法 JSON：{why}", f"--schema {path} is not JSON: {why}") from error
    titled = isinstance(schema, dict) and schema.get("title")
    try:
        return JsonSchema(schema, name=None if titled else Path(path).stem)
    except JsonSchemaError as error:
        reason = error.reason
        raise CommandError(
            f"--schema {path} 不能作为类型：{error.place}：{reason.zh}",
            f"--schema {path} cannot be used as a type: {error.place}: {reason.en}",
        ) from error
    except ModuleNotFoundError as error:
        raise CommandError(str(error)) from error
