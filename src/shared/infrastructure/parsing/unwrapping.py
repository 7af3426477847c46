"""Takes an answer out of one key, or out of a list of one, where the caller allows that and just one of them fits."""

from __future__ import annotations

from src.shared.domain.coercion.coercion import Coercion, CoercionKind
from src.shared.domain.exceptions import json_path
from src.shared.domain.parse_reasons import WRAPPING_FITS
from src.shared.domain.type_shapes import accepts_root
from src.shared.infrastructure.parsing.parse_errors import not_json
from src.shared.infrastructure.parsing.places import span_of
from src.shared.infrastructure.parsing.state import UNWRAPPED, Layer, Note, ParseState, changed, layers_of
from src.shared.infrastructure.parsing.target_type import known_keys


def without_wrapping(state: ParseState) -> ParseState:
    """The state with the one of its layers that satisfies the type; as it was where none does.

    Where none does, and only what is wrapped has the type's fields, the error is to be about that.

    Raises:
        LLMJsonParseError: the whole satisfies the type, and what it wraps does so, too.
    """
    layers = [layer for layer in layers_of(state.data) if accepts_root(state.target.roots, layer.data)]
    fitting = [layer for layer in layers if state.target.problem(layer.data) is None]
    if len(fitting) > 1:
        places = [state.lines.position(span_of(state, layer.path).start) for layer in fitting]
        raise not_json(WRAPPING_FITS, "root", state.raw, position=places[-1], candidates=places)
    known = [layer for layer in layers if _has_fields(state, layer)]
    chosen = fitting or known
    return _inside(state, chosen[0]) if chosen and chosen[0].path else state


def _has_fields(state: ParseState, layer: Layer) -> bool:
    dto_type = state.target.dto_type
    return dto_type is not None and bool(known_keys(layer.data, dto_type, state.target.normalizers))


def _inside(state: ParseState, layer: Layer) -> ParseState:
    note = Note("root", UNWRAPPED, span_of(state, layer.path))
    taken = Coercion(CoercionKind.WRAPPER, json_path(layer.path), state.data, layer.data)
    coercions = (*state.coercions, taken)
    return changed(state, data=layer.data, notes=(*state.notes, note), inside=layer.path, coercions=coercions)
