"""The validator behind a JSON Schema: jsonschema-rs, which is an extra and imported with the first schema.

Formats are annotations, as 2020-12 has it, and not asserted. Patterns run on the engine without backtracking, whose
time is linear in the text; a pattern that it does not take is refused. Nothing is ever fetched.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from src.shared.domain.language import Phrase
from src.shared.domain.one_line import one_line
from src.shared.domain.schema_walk import ROOT, Schema, pointer_to
from src.shared.infrastructure.json_schema.drafts import JsonSchemaError, SchemaDialect

if TYPE_CHECKING:
    import jsonschema_rs

MAX_PATTERN = 500_000
"""Bytes that one compiled pattern may take: nested repetitions cost their product for every character of a text."""
MAX_COMPILED = 100_000
"""Schemas that are compiled to explain refusals, together: a second. A part takes all that it refers to with it."""
_SAID_LIMIT = 200
_SELF = "urn:llm-output:schema"
"""The name of a schema without an `$id`, by which its parts are asked for."""
INSTALL = 'pip install "jsonschema-rs>=0.60"'


class TooManyPartsError(Exception):
    """A part of a schema cannot be asked any more: it would take too long."""


class Engine:
    """Validates with one schema and with the schemas in it.

    Args:
        schema: a JSON Schema within the limits.
        dialect: the draft it is of.
        size: how many schemas are in it.
    """

    def __init__(self, schema: Schema, dialect: SchemaDialect, size: int) -> None:
        """Compile the schema.

        Raises:
            JsonSchemaError: it is no schema of its draft, or has a pattern that is not taken.
            ModuleNotFoundError: jsonschema-rs is not installed.
        """
        self._library = _library()
        self._schema = schema
        self._dialect = dialect
        self._compiled_parts: dict[str, jsonschema_rs.Validator] = {}
        self._size, self._left = size, max(size, MAX_COMPILED)
        with _refusing():
            self._whole = self._compiled(schema)

    def accepts(self, value: object) -> bool:
        """Whether decoded data satisfies the schema."""
        return self._whole.is_valid(value)

    def accepts_at(self, pointer: str, value: object) -> bool:
        """Whether it satisfies the schema that stands there in the schema.

        Raises:
            TooManyPartsError: that cannot be told.
        """
        if pointer not in self._compiled_parts:
            self._left -= self._size
            if self._left < 0:
                raise TooManyPartsError
            part = {"$ref": f"{self._name}{quote(pointer, safe='#/')}"}
            self._compiled_parts[pointer] = self._compiled(part, self._registry)
        return self._compiled_parts[pointer].is_valid(value)

    def accepts_by(self, pointer: str, keyword: str, stated: object, value: object) -> bool:
        """Whether it satisfies one keyword that holds no schema; `pointer` says whose it is."""
        key = f"{pointer} {keyword}"
        if key not in self._compiled_parts:
            self._compiled_parts[key] = self._compiled({keyword: stated})
        return self._compiled_parts[key].is_valid(value)

    @property
    def _name(self) -> str:
        return str(self._schema.get("$id", _SELF)).removesuffix("#")

    @cached_property
    def _registry(self) -> jsonschema_rs.Registry:
        """The schema by its name; made when the first value is refused."""
        schema = {**self._schema, "$schema": self._dialect.uri}
        return self._library.Registry([(self._name, schema)], retriever=_fetch_nothing)  # type: ignore[no-any-return]

    def _compiled(self, schema: Schema, registry: jsonschema_rs.Registry | None = None) -> jsonschema_rs.Validator:
        patterns = self._library.RegexOptions(size_limit=MAX_PATTERN)
        validator: jsonschema_rs.Validator = getattr(self._library, self._dialect.validator)(
            schema, validate_formats=False, pattern_options=patterns, retriever=_fetch_nothing, registry=registry
        )
        return validator


def check_is_schema(schema: Schema, dialect: SchemaDialect) -> None:
    """Check a schema against the schema of its draft, so that each keyword holds what it has to.

    Raises:
        JsonSchemaError: it is none.
        ModuleNotFoundError: jsonschema-rs is not installed.
    """
    with _refusing():
        _library().meta.validate({**schema, "$schema": dialect.uri})


def _fetch_nothing(uri: str) -> None:
    message = f"{uri} is not fetched"
    raise ValueError(message)


def _library() -> Any:  # noqa: ANN401 - a module
    try:
        import jsonschema_rs  # noqa: PLC0415 - an extra, for those who have schemas
    except ModuleNotFoundError as error:
        message = Phrase("JsonSchema needs the package {name}; run {install}", name=error.name, install=INSTALL)
        raise ModuleNotFoundError(message.text(), name=error.name) from error
    return jsonschema_rs


@contextmanager
def _refusing() -> Iterator[None]:
    """Turn what the library says of a schema into our error."""
    try:
        yield
    except ValueError as error:
        path = [*getattr(error, "instance_path", ())]
        said = one_line(str(getattr(error, "message", error)), _SAID_LIMIT)
        reason = Phrase("not a JSON Schema that can be used: {said}", said=said)
        if path[-1:] == ["pattern"] or path[-2:-1] == ["patternProperties"]:
            reason = Phrase(
                "the pattern cannot be used: it is malformed, too large, or needs backtracking (looking around, "
                "references back)"
            )
        raise JsonSchemaError(pointer_to(ROOT, path), reason) from error
