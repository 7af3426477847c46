"""Which drafts of JSON Schema are taken: those in which the keywords mean what they mean in 2020-12.

What a draft says differently is refused, with how 2020-12 says it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from src.shared.domain.language import Message
from src.shared.domain.one_line import one_line
from src.shared.infrastructure.json_schema.limits import check_enum
from src.shared.infrastructure.json_schema.schema_error import ROOT, JsonSchemaError

DEFAULT = "https://json-schema.org/draft/2020-12/schema"

VALIDATORS = {
    DEFAULT: "Draft202012Validator",
    "https://json-schema.org/draft/2019-09/schema": "Draft201909Validator",
    "http://json-schema.org/draft-07/schema": "Draft7Validator",
    "http://json-schema.org/draft-06/schema": "Draft6Validator",
}
"""The validator of each draft, by what `$schema` says, without a `#` at the end."""
_DECLARED = f"{ROOT}/$schema"
_OLD = ("Draft7Validator", "Draft6Validator")

_DYNAMIC = ("$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor")
_BESIDE_A_REF = frozenset(
    {"$ref", "title", "description", "default", "examples", "$comment", "readOnly", "writeOnly", "deprecated"}
    | {"definitions", "$defs", "$schema", "$id"}
)
"""What may stand beside a `$ref` in draft-07 and earlier, where everything else is ignored."""


class Draft(NamedTuple):
    """A draft of JSON Schema.

    Attributes:
        uri: what `$schema` says for it.
        validator: the name of its validator.
    """

    uri: str
    validator: str

    def refusals(self, schema: dict[str, Any], place: str, *, is_root: bool) -> Iterator[JsonSchemaError]:
        """What one schema says that is not taken."""
        if "enum" in schema:
            check_enum(f"{place}/enum", schema["enum"])
        for keyword in _DYNAMIC:
            if keyword in schema:
                yield _refused(place, f"不支持 {keyword}，请用 $ref", f"{keyword} is not supported: use $ref")
        if not is_root:
            for keyword in ("$id", "$schema"):
                if keyword in schema:
                    yield _refused(place, f"内层不支持 {keyword}", f"{keyword} is not supported inside a schema")
        if self.validator in _OLD and "$ref" in schema and not schema.keys() <= _BESIDE_A_REF:
            zh = "该草案忽略 $ref 旁的关键字；请改用 2020-12，或放进 allOf"
            en = "this draft ignores what stands beside a $ref: declare 2020-12, or use allOf"
            yield _refused(place, zh, en)
        if isinstance(schema.get("items"), list):
            zh = "items 是数组：请改用 2020-12 的 prefixItems"
            yield _refused(place, zh, "items is an array: declare 2020-12 and use prefixItems")


def draft_of(schema: dict[str, Any]) -> Draft:
    """The draft that a schema declares, 2020-12 where it declares none.

    Raises:
        JsonSchemaError: it declares another one.
    """
    declared = schema.get("$schema", DEFAULT)
    uri = str(declared).removesuffix("#")
    if uri not in VALIDATORS:
        said = one_line(str(declared), 80)
        zh = f"不支持 $schema {said}；支持：{', '.join(VALIDATORS)}"
        raise _refused(_DECLARED, zh, f"$schema {said} is not supported; these are: {', '.join(VALIDATORS)}")
    return Draft(uri, VALIDATORS[uri])


def _refused(place: str, zh: str, en: str) -> JsonSchemaError:
    return JsonSchemaError(place, Message(zh, en))
