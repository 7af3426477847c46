"""What a text is parsed into: an agent's result, a type of the user's, or plain data."""

from __future__ import annotations

import difflib
import json
import sys
import traceback
from collections.abc import Collection, Iterator
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Unpack, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.errors import PydanticUserError

from src.entrypoints.agents import AGENTS
from src.entrypoints.cli.files import STDIN, read_source
from src.entrypoints.cli.guard import CommandError
from src.entrypoints.cli.options import TypeOptions
from src.shared.domain.answer_type import AnswerType, adapter_of, json_schema_of, name_of
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.language import Phrase
from src.shared.domain.options import NEEDING_TYPE, ReadOptions
from src.shared.domain.read_as import told_scalar
from src.shared.domain.strict_schema import NotStrictError, strict_schema
from src.shared.infrastructure.agents.agent_output import AgentOutput
from src.shared.infrastructure.llm_json import ParsedOutput
from src.shared.infrastructure.view import json_value

if TYPE_CHECKING:
    from src.shared.infrastructure.json_schema.json_schema import JsonSchema

_OWN_PACKAGE = __name__.partition(".")[0]
_TYPES = (type(BaseModel), TypeAdapter)
"""What a type of the user's is likely to be, beside an alias."""


class Contract(AgentOutput[Any]):
    """What a command parses texts into; what is wrong with the type itself is a `CommandError`."""

    taken_options = AgentOutput.taken_options | {"keep"}

    def parse_with_trace(self, raw: str, **options: Unpack[ReadOptions]) -> ParsedOutput[Any]:
        """As `AgentOutput.parse_with_trace`."""
        with _type_errors(self.dto_type):
            return super().parse_with_trace(raw, **options)

    def data(self, value: object) -> Any:  # noqa: ANN401 - any JSON type
        """A value of the type as JSON types, ready to be written.

        Raises:
            CommandError: it cannot be written as JSON.
        """
        with _type_errors(self.dto_type):
            return json_value(value, self.dto_type)

    def schema(self, *, strict: bool = False) -> dict[str, Any]:
        """The JSON schema of the type.

        Args:
            strict: as providers take it that hold a model strictly to one.

        Raises:
            CommandError: it has none; the message names the place in the answer and the reason.
        """
        with _type_errors(self.dto_type):
            schema = json_schema_of(self.dto_type)
        try:
            return strict_schema(schema) if strict else schema
        except NotStrictError as error:
            name, path, why = name_of(self.dto_type), error.path, error.reason
            raise CommandError(
                "strict mode cannot take the DTO {name}: {path}: {why}", name=name, path=path, why=why
            ) from error


@contextmanager
def _type_errors(dto_type: AnswerType[Any]) -> Iterator[None]:
    """Say that it is the DTO which cannot be used; what its code prints does not mix with the result."""
    try:
        with redirect_stdout(sys.stderr):
            yield
    except (PydanticUserError, ValueError, RecursionError) as error:
        name, why = name_of(dto_type), str(error).splitlines()[0]
        raise CommandError("the DTO {name} cannot be used: {why}", name=name, why=why) from error


def contract_of(types: TypeOptions, options: ReadOptions | None = None) -> Contract | None:
    """The contract that the options name between them; None where no type is named.

    Args:
        types: the type.
        options: how texts are read, where that is not as usual.

    Raises:
        CommandError: more than one type is given, or it names nothing, or there is none, and the options need one.
    """
    agent, dto, schema = types.agent, types.dto, types.schema
    if [agent, dto, schema].count(None) < 2:  # noqa: PLR2004 - two of three
        raise CommandError("--agent, --dto and --schema exclude each other: the text is parsed into one type")
    read_options: Any = options or {}
    if schema is not None:
        return contract_for(json_schema_file(schema), read_options)
    if dto is not None:
        return contract_for(load_dto(dto, read_options), read_options)
    if agent in AGENTS:
        output = AGENTS[agent].output
        return Contract(output.label, output.checked_type, LLMJsonParseError, output.normalizers, options=read_options)
    if agent is not None:
        hint = _near(agent.lower(), AGENTS, Phrase("."))
        names = ", ".join(AGENTS)
        raise CommandError(
            "there is no agent {name!r}{hint} The agents are: {names}.", name=agent, hint=hint, names=names
        )
    if read_options.get("coerce"):
        raise CommandError("--coerce needs --agent, --dto or --schema: a type has to say what a value means")
    needing = [f"--{name.replace('_', '-')}" for name in NEEDING_TYPE if name in read_options]
    if needing:
        raise CommandError(
            "{options} must go with --agent, --dto or --schema: a type has to say what the answer is",
            options=Phrase.joined("{one}, {other}", needing),
        )
    return None


def contract_for(dto_type: AnswerType[Any], options: Any) -> Contract:  # noqa: ANN401 - `ReadOptions`
    """The contract of a type."""
    return Contract(name_of(dto_type), dto_type, LLMJsonParseError, options=options)


def _near(name: str, names: Collection[str], otherwise: Phrase) -> Phrase:
    """Which of some names may be meant."""
    near = difflib.get_close_matches(name, names, n=1)
    return Phrase("; did you mean {near}?", near=near[0]) if near else otherwise


def load_dto(name: str, options: ReadOptions) -> AnswerType[Any]:
    """Import the type, which is what the options allow; the current directory can be imported from.

    Raises:
        CommandError: what is wrong with the name, the module or the type.
    """
    module_name, _, path = name.partition(":")
    if not path or not all(part.isidentifier() for part in module_name.split(".")):
        raise CommandError(
            "--dto {name!r} is not of the form package.module:Class, for example shop.models:Order", name=name
        )
    module = _import(module_name)
    try:
        found: Any = attrgetter(path)(module)  # Outer.Inner is a class too
    except AttributeError as error:
        types = [
            key
            for key, value in vars(module).items()
            if (isinstance(value, _TYPES) and value is not BaseModel) or get_origin(value)
        ]
        first = Phrase("; did you mean {near}?", near=types[0]) if types else Phrase("; it defines no Pydantic model")
        hint = _near(path, types, first)
        raise CommandError(
            "the module {module} has no {path}{hint}", module=module_name, path=path, hint=hint
        ) from error
    try:
        with _type_errors(found):
            adapter_of(told_scalar(found, options))
    except TypeError as error:
        raise CommandError("--dto {name}: {error}", name=name, error=error) from error
    dto_type: AnswerType[Any] = found
    return dto_type


def _import(name: str) -> ModuleType:
    if "" not in sys.path:
        sys.path.insert(0, "")  # the current directory, as `python -m` has it
    try:
        with redirect_stdout(sys.stderr):  # a module may print; stdout is the result's
            return import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if not f"{name}.".startswith(f"{missing}."):
            raise CommandError(
                "importing {name} failed: it needs the module {missing}, which is not installed here",
                name=name,
                missing=missing,
            ) from error
        hint: Phrase | str = ""
        if name.endswith(".py"):
            hint = Phrase("; name the module without .py: {module}", module=name.removesuffix(".py"))
        elif name.partition(".")[0] == _OWN_PACKAGE:
            hint = Phrase(
                "; {own_package} is llm-output's own package: go into ./{own_package} and leave it out of the name",
                own_package=_OWN_PACKAGE,
            )
        raise CommandError(
            "there is no module {missing} in the current directory or among the installed packages{hint}",
            missing=missing,
            hint=hint,
        ) from error
    except (Exception, SystemExit) as error:  # an error of the user's module becomes one line, not a traceback of ours
        frames = traceback.extract_tb(error.__traceback__)
        place: Phrase | str = ""
        if frames and not isinstance(error, SyntaxError):  # its message names the place
            place = Phrase(" ({file}, line {line})", file=frames[-1].filename, line=frames[-1].lineno)
        why = Phrase("{kind}: {error}{place}", kind=type(error).__name__, error=error, place=place)
        raise CommandError("importing {name} failed: {why}", name=name, why=why) from error


def json_schema_file(path: str) -> JsonSchema:
    """The type that `--schema FILE` names; without a `title` in the schema it has the file's name.

    Raises:
        CommandError: the file cannot be read, is no JSON, or no schema that can be taken; or the extra is missing.
    """
    from src.shared.infrastructure.json_schema.drafts import JsonSchemaError  # noqa: PLC0415 - its validator is an extra
    from src.shared.infrastructure.json_schema.json_schema import JsonSchema  # noqa: PLC0415 - as above

    if path == STDIN:
        raise CommandError("--schema takes a file, not stdin")
    source = read_source(path)
    try:
        schema = json.loads(source.text)
        titled = isinstance(schema, dict) and schema.get("title")
        return JsonSchema(schema, name=None if titled else Path(path).stem)
    except json.JSONDecodeError as error:
        place = f"{path}:{error.lineno}:{error.colno}"
        raise CommandError("--schema {place} is not JSON: {msg}", place=place, msg=error.msg) from error
    except JsonSchemaError as error:
        reason = error.reason
        raise CommandError(
            "--schema {path} cannot be used as a type: {place}: {reason}", path=path, place=error.place, reason=reason
        ) from error
    except ModuleNotFoundError as error:
        raise CommandError("{error}", error=error) from error
    except (ValueError, RecursionError) as error:  # an integer of thousands of digits, brackets in brackets
        why = str(error) or type(error).__name__
        raise CommandError("--schema {path} is not JSON: {why}", path=path, why=why) from error
