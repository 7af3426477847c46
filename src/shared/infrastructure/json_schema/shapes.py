"""What JSON a schema takes: objects, arrays or both, and with which keys; as `type_shapes` says of a Pydantic type."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from itertools import product
from typing import Any, TypeAlias

from src.shared.domain.language import Phrase
from src.shared.domain.schema_walk import CHOICES, ROOT
from src.shared.domain.type_shapes import Root, Shape
from src.shared.infrastructure.json_schema.drafts import JsonSchemaError
from src.shared.infrastructure.json_schema.references import References

MOST_FORMS = 32
"""Forms that are told apart for one schema; more become one with the keys of all."""
MAX_STEPS = 2_000_000
"""Forms that are looked at, and keys that are put together, until all forms are found: half a second."""
_READ = 10
"""Steps of reading one schema, beside its forms."""
_PAIR = 20
"""Steps of putting two forms together, beside their keys."""
_ITEMS_DEEP = 20
"""Arrays inside each other that are looked into."""

_TOO_COMPLEX = Phrase("too complex: its alternatives and references are too many together; simplify it")
_ROOTS: tuple[Root, Root] = ("object", "array")
_ABOUT: dict[Root, tuple[str, ...]] = {"object": ("properties", "required"), "array": ("items", "prefixItems")}
_ROOT_OF: dict[type, Root] = {dict: "object", list: "array"}


_Forms: TypeAlias = frozenset[Shape]
"""The forms of an object, or of the objects in an array; a root of which there is none is refused."""
_ANY: _Forms = frozenset(Shape(root, optional=True) for root in _ROOTS)


def shapes_of_schema(root: dict[str, Any], references: References) -> tuple[Shape, ...]:
    """Every form of JSON that a schema takes and that is an object or an array, in a fixed order.

    Raises:
        JsonSchemaError: that would take too long, or go too deep.
    """
    try:
        forms = _Reader(references).forms(root, 0)
    except RecursionError as error:  # arrays inside arrays, each through a long chain of references
        raise JsonSchemaError(ROOT, _TOO_COMPLEX) from error
    in_order = sorted(forms, key=lambda form: (_ROOTS.index(form.root), sorted(form.keys), form.optional))
    return tuple(form._replace(optional=bool(form.keys) and form.optional) for form in in_order)


class _Reader:
    """Reads each schema once for each number of arrays around it: two ways a level are a million at the twentieth."""

    def __init__(self, references: References) -> None:
        self._references = references
        self._known: dict[tuple[int, int], _Forms] = {}
        self._steps = 0

    def forms(self, schema: Any, depth: int) -> _Forms:  # noqa: ANN401 - a schema may be true or false
        """The forms that a schema takes; `depth` counts the arrays around it."""
        if not isinstance(schema, dict):
            return _ANY if schema else frozenset()
        known = (id(schema), depth)
        if known not in self._known:
            self._known[known] = self._read(schema, depth)
        return self._known[known]

    def _read(self, schema: dict[str, Any], depth: int) -> _Forms:
        self._spend(_READ)
        together = [self._own(schema, depth), *(self.forms(part, depth) for part in schema.get("allOf", ()))]
        if "$ref" in schema:
            together.append(self.forms(self._references.places[self._references.target(schema)], depth))
        given = (schema[keyword] for keyword in CHOICES if keyword in schema)
        together += (self._bounded(form for one in choices for form in self.forms(one, depth)) for choices in given)
        return reduce(self._both, together)

    def _own(self, schema: dict[str, Any], depth: int) -> _Forms:
        """The forms by the keywords of the schema itself.

        One without a type is about what its keywords are: by the letter, `{"properties": {...}}` takes any array and
        any number as well. No one who writes it means that.
        """
        implied = [root for root, keywords in _ABOUT.items() if not schema.keys().isdisjoint(keywords)]
        types = schema.get("type") or implied or _ROOTS
        types = [types] if isinstance(types, str) else types
        literals = [schema["const"]] if "const" in schema else schema.get("enum")
        if literals is not None:
            types = {_ROOT_OF[type(value)] for value in literals if type(value) in _ROOT_OF}.intersection(types)
        own = {self._object(schema, depth)} if "object" in types else set()
        return self._array(schema, depth) | own if "array" in types else frozenset(own)

    def _object(self, schema: dict[str, Any], depth: int) -> Shape:
        required = schema.get("required", ())
        keys = {*schema.get("properties", ()), *required}
        for keyword in ("then", "else"):  # what may hold adds keys, and takes none away
            inner = self.forms(schema[keyword], depth) if keyword in schema else ()
            keys.update(key for form in inner if form.root == "object" for key in form.keys)
        return Shape("object", frozenset(keys), optional=not required)

    def _array(self, schema: dict[str, Any], depth: int) -> _Forms:
        items = [*schema.get("prefixItems", ()), *([schema["items"]] if "items" in schema else [])]
        inner = [self.forms(item, depth + 1) for item in items] if depth < _ITEMS_DEEP else []
        forms = self._bounded(form._replace(root="array") for one in inner if one != _ANY for form in one)
        return forms or frozenset({Shape("array", optional=True)})

    def _both(self, one: _Forms, other: _Forms) -> _Forms:
        """The forms of what satisfies both."""
        if _ANY in (one, other):
            return other if one == _ANY else one
        pairs = [(left, right) for left, right in product(one, other) if left.root == right.root]
        self._spend(sum(_PAIR + len(left.keys) + len(right.keys) for left, right in pairs))
        return self._bounded(
            {Shape(left.root, left.keys | right.keys, left.optional and right.optional) for left, right in pairs}
        )

    def _bounded(self, found: Iterable[Shape]) -> _Forms:
        """The forms; of one root those with keys as one that has the keys of all, where they are too many."""
        several = [*found]
        self._spend(len(several))
        forms = frozenset(several)
        for root in _ROOTS:
            many = {form for form in forms if form.root == root}
            if len(many) > MOST_FORMS:
                self._spend(sum(len(form.keys) for form in many))
                keyed = {form for form in many if form.keys}
                keys = frozenset[str]().union(*(form.keys for form in keyed))
                forms = (forms - keyed) | {Shape(root, keys, any(form.optional for form in keyed))}
        return forms

    def _spend(self, steps: int) -> None:
        self._steps += steps
        if self._steps > MAX_STEPS:
            raise JsonSchemaError(ROOT, _TOO_COMPLEX)
