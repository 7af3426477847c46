"""The state that the stages pass on: the raw text, what is left of it, what was found, and the notes."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import ValidationError

from src.shared.domain.coercion.coercion import Coercion
from src.shared.domain.edits import EditedText, Edits, LineIndex, blanked, kinds_of, repairs_of
from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.domain.grade import Grade
from src.shared.domain.options import Several
from src.shared.domain.parse_reasons import Reason
from src.shared.domain.read_as import AS_JSON, ReadAs
from src.shared.domain.reading.reading import UNREAD, Value
from src.shared.domain.repair import Repair, RepairKind
from src.shared.domain.rules import Normalizer
from src.shared.domain.type_shapes import ROOTS, SCALAR, Root, accepts_root
from src.shared.infrastructure.parsing.as_json import has_minus_zero
from src.shared.infrastructure.parsing.parse_errors import not_json, validator_failed
from src.shared.infrastructure.parsing.target_type import (
    TargetType,
    ValidatorCrashError,
    is_filled_schema,
    is_schema,
    objects_of,
)


class Span(NamedTuple):
    """Part of the raw text: from `start` up to, not including, `end`.

    .. versionadded:: 0.1.0
    """

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Note:
    r"""What one stage did with one part of the text.

    Attributes:
        stage: the stage.
        action: what it did.
        span: with which part.
        meant: what an escape of JSON may have been, such as `\frac` or `C:\temp`, or a string without escapes that may
            be doubled; empty for other notes.
        path: the JSON path of the string, or of the member with the key, that the note is about; empty for other notes.

    .. versionadded:: 0.1.0
    """

    stage: str
    action: str
    span: Span
    meant: str = ""
    path: str = ""


if TYPE_CHECKING:
    from src.shared.domain.work import Work
    from src.shared.infrastructure.parsing.scan import Scan

    changed = dataclasses.replace
else:

    def changed(state: ParseState, /, **changes: object) -> ParseState:
        """What `dataclasses.replace` does, at a tenth of its price: a stage changes two fields of thirteen."""
        new = object.__new__(ParseState)
        new.__dict__.update(state.__dict__, **changes)
        return new


BRACKETS = frozenset({RepairKind.MISSING_BRACKET, RepairKind.SURPLUS_BRACKET})
"""Repairs that say where a value begins or ends."""
PASSED_OVER = "passed over"
"""The action of a note on what could have been read in place of the answer: a candidate, or where a reading differs."""
UNWRAPPED = "unwrapped"
"""The action of a note on the part of the text that was taken out of its wrapping."""
SPLIT = "split"
"""The action of a note on an object whose rows were told apart."""
ALONE, STATED = "is the text", "is named at the end"
"""The actions of a note on a scalar: it is all of the text but its markup, or the last statement names it."""
NOTATED = {word: f"read as {word}" for word in ("yaml", "xml", "labelled", "markdown")}
"""The actions of a note on the part of the text that was read in a notation other than JSON."""
MOST_LAYERS = 2
"""Most wrappings that are taken off: one key, and one list of one; of a list that is asked for, two keys."""


class Layer(NamedTuple):
    """Data inside the one key, or the list of one, that wraps them; `path` is where they are."""

    data: Any
    path: tuple[str | int, ...]


def layers_of(data: Any, roots: frozenset[Root]) -> list[Layer]:  # noqa: ANN401 - decoded JSON
    """The data, and what they wrap: under their only key, in a list of one, or both in either order.

    Where only a list is asked for (`roots`), it may stand under two keys; only one value that is asked for has a layer.

    Data in the `properties` of a schema that was handed back count as under their only key.
    """
    layers, kinds, is_list = [Layer(data, ())], set[type](), roots == ROOTS["array"]
    while len(layers) <= MOST_LAYERS and isinstance(data, (dict, list)) and (len(data) == 1 or is_filled_schema(data)):
        step: Any = 0 if isinstance(data, list) else "properties" if len(data) > 1 else next(iter(data))
        inner = data[step]
        if type(data) in kinds or not (roots == SCALAR or isinstance(inner, (dict, list))):
            break
        if not (is_list and isinstance(data, dict)):
            kinds.add(type(data))
        data = inner
        layers.append(Layer(data, (*layers[-1].path, step)))
    return layers


class NormalizerError(Exception):
    """A hook raised, or returned something else than the type is read from."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name}: {problem}")
        self.name = name
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Target:
    """What the caller asked for.

    Attributes:
        dto_type: the type the data must satisfy, or None when only decoding.
        normalizers: hooks run on the object before it is validated.
        salvage: keep the complete members of a text that was cut off.
        finished: whether the model stopped by itself (True) or was cut off (False); None if unknown.
        several: what to do where several different objects could be the answer.
        decoded_roots: what the data may be when only decoding; a type says so itself. None: an object, or an array
            where nothing else could be the answer.
        work: what reading the text may take; None for what its length allows.
        accept: the last grade that is taken.
        keep: keep what satisfies the type, and name the rest; as a `draft`, also what the rest takes to be mended.
        read_as: what the caller or the type allows besides JSON.
        as_written: whether numbers keep their digits, whatever the type says of them.
        is_likely: of two readings as near, tells of the data of one whether it counts, where no type does.
        keeps_repeating: whether rows that were run together are told apart later.
        takes_scalars: whether the data may also be a string, a number, a boolean or null that is the whole text.
    """

    dto_type: TargetType[Any] | None = None
    normalizers: Sequence[Normalizer] = ()
    salvage: bool = False
    finished: bool | None = None
    several: Several = "refuse"
    decoded_roots: frozenset[Root] | None = None
    work: Work | None = None
    accept: Grade = Grade.CHOSEN
    keep: Literal["good", "draft"] | None = None
    read_as: ReadAs = AS_JSON
    as_written: bool = False
    is_likely: Callable[[object], bool] | None = None
    keeps_repeating: bool = False
    takes_scalars: bool = False

    @property
    def roots(self) -> frozenset[Root]:
        """What is looked for: an object, an array, or either."""
        return self.dto_type.roots if self.dto_type else self.decoded_roots or ROOTS["object"]

    @property
    def is_scalar(self) -> bool:
        """Whether one value is looked for that is neither an object nor an array."""
        return self.roots == SCALAR

    @property
    def own_roots(self) -> frozenset[Root]:
        """The same as the type has it, where nothing is coerced."""
        return self.dto_type.own_roots if self.dto_type else self.roots

    @property
    def accepted_roots(self) -> frozenset[Root]:
        """What the data may be as they stand; an array that is all there is counts also where none is looked for."""
        if self.read_as.unwrap and not self.is_scalar:
            return ROOTS["any"]
        return self.roots if self.dto_type or self.decoded_roots else ROOTS["any"]

    @property
    def reads_decimals(self) -> bool:
        """Whether the digits of numbers have to be kept."""
        return self.as_written or (self.dto_type is not None and self.dto_type.reads_decimals)

    @property
    def reads_escapes(self) -> bool:
        """Whether an escape may be read otherwise than JSON says, in all of the text or in a field."""
        return self.read_as.escapes != "json" or (self.dto_type is not None and bool(self.dto_type.field_escapes))

    def is_template(self, data: object) -> bool:
        """Whether data are a template of the type that was handed back."""
        return self.dto_type is not None and self.dto_type.templates.is_one(data)

    @property
    def is_cut_off(self) -> bool:
        """Whether the text is known to be cut off, and not to be used all the same."""
        return self.finished is False and not self.salvage

    def scanner(self, text: str, work: Work | None = None) -> Scan:
        """The parts of a text for this target, with what work is left."""
        from src.shared.domain.reading.scanner import ScanOptions  # noqa: PLC0415 - with all of the reader
        from src.shared.infrastructure.parsing.scan import Scan  # noqa: PLC0415 - as above

        fits = self.fits if self.dto_type else self.is_likely
        search = ScanOptions(self.finished, self.salvage, self.reads_decimals, "array" in self.roots, fits=fits)
        return Scan(text, search, work or self.work)

    def own_keys(self) -> frozenset[str]:
        """The field names and aliases of the type itself; those of its items for an array."""
        return self.dto_type.own_keys if self.dto_type else frozenset()

    def accepts_root(self, data: object) -> bool:
        """Whether decoded data is what is looked for: an object, an array, or either."""
        return accepts_root(self.accepted_roots, data)

    def may_be_other_root(self, text: str, value: Value) -> bool:
        """Whether a value is an array that no one asked for, and one of its own brackets was mended."""
        if not isinstance(value.data, list) or value.cut or self.dto_type or self.decoded_roots is not None:
            return False
        brackets = [edit for edit in value.edits if edit.kind in BRACKETS]
        return bool(brackets) and (
            brackets[0].offset == value.start or not text[brackets[-1].offset + brackets[-1].length : value.end].strip()
        )

    def is_known(self, data: object) -> bool:
        """Whether data has some of the type's own fields, before or after the hooks, or there are none to know.

        A schema has none: its keys are only called so.
        """
        if self.dto_type is None or not self.dto_type.own_keys:
            return True
        if is_schema(data, self.dto_type.own_keys):
            return False
        is_wrapped = self.read_as.unwrap or self.dto_type.is_list_of_object
        inside = layers_of(data, self.own_roots)[-1].data if is_wrapped else data
        return bool(self.known_keys(data) or (inside is not data and self.known_keys(inside)))

    def known_keys(self, data: object) -> frozenset[str]:
        """The type's own keys that data has, before or after the hooks, or in marks; the data itself is not changed.

        What the hooks put into any object, such as an empty text for a missing one, says nothing about this one.
        """
        wanted = self.dto_type
        known = wanted.known_keys(data) if wanted else frozenset[str]()
        if not known and self.normalizers:
            known = self._after_hooks(data) - self._after_hooks({})
        return known or (wanted.marked_keys(data) if wanted else known)

    def _after_hooks(self, data: object) -> frozenset[str]:
        with suppress(NormalizerError, RecursionError):  # what is nested too deep cannot be copied
            data = self.normalized(copy.deepcopy(data))
            return self.dto_type.known_keys(data) if self.dto_type else frozenset()
        return frozenset()

    def normalized(self, data: Any) -> Any:  # noqa: ANN401 - decoded JSON
        """The data after every hook, in order.

        Raises:
            NormalizerError: from the hook's own exception.
        """
        for normalizer in self.normalizers:
            name = getattr(normalizer, "__name__", type(normalizer).__name__)
            try:
                data = normalizer(data)
            except Exception as error:  # a hook is the caller's code: whatever it raises becomes the parser's error
                raise NormalizerError(name, f"{type(error).__name__}: {error}") from error
            if not accepts_root(self.roots, data):
                kinds = ("object", "dict"), ("array", "list"), ("scalar", "one value")
                wanted = " or ".join(name for root, name in kinds if root in self.roots)
                raise NormalizerError(name, f"returned {type(data).__name__}, not {wanted}")
        return data

    def fits(self, data: object) -> bool:
        """Whether decoded data satisfies the type and has no keys but the type's: evidence, not a rule."""
        own = self.own_keys()
        if self.read_as.unwrap:
            data = layers_of(data, self.own_roots)[-1].data
        if self.dto_type and self.dto_type.coerces:
            if self.dto_type.is_list_of_object and isinstance(data, dict):
                return False  # a list beside it is more likely
            data, _ = self.dto_type.shaped(data)
        if own and not all(own >= one.keys() for one in objects_of(data)):
            return False
        try:
            return self.accepts_root(data) and self.problem(data) is None
        except ValidatorCrashError:
            return False

    def problem(self, data: object) -> ValidationError | None:
        """Why decoded data does not satisfy the type after the hooks; None if it does, or where there is no type.

        The data itself is left as it is.

        Raises:
            ValidatorCrashError: the type's own code failed.
            pydantic.errors.PydanticUserError: the type itself is wrong.
        """
        if self.dto_type is None or not self.accepts_root(data):
            return None
        try:
            self.dto_type.read(self.normalized(copy.deepcopy(data)), hooked=bool(self.normalizers))
        except ValidationError as error:
            return error
        except (NormalizerError, RecursionError):
            return None
        return None


@dataclass(frozen=True)
class ParseState:
    """The state between two stages; a stage returns a new one.

    Attributes:
        raw: the model's text, never changed.
        target: what the caller asked for.
        text: the raw text with what was dropped blanked out, so that offsets stay.
        spans: where to look; the whole text, or the contents of fenced blocks.
        code: blocks fenced as code of another language, in which only strict JSON counts.
        values: candidates the `extract` stage found in `spans`.
        outside: values that stand outside `spans` and could be the answer, too.
        rival: the first place outside that looks like data and cannot be read, or None.
        data: the decoded object; UNREAD until a stage has decoded it.
        edits: the repairs that reading the object took.
        truncated: whether the text was cut off and `salvage` kept what was complete.
        notes: what the stages recognised, dropped and chose.
        result: the validated object, after the last stage.
        coercions: the values that were coerced for it.
        inside: the path of the data in the value that was chosen.
        is_split: whether rows were split, so that what is in the data has other paths than in the text.
        error: why the text was refused, in the last state of an inspection; None if it was read.
    """

    raw: str
    target: Target
    text: str
    spans: tuple[Span, ...]
    code: tuple[Span, ...] = ()
    values: tuple[Value, ...] = ()
    outside: tuple[Value, ...] = ()
    rival: int | None = None
    data: Any = UNREAD
    edits: Edits = ()
    truncated: bool = False
    notes: tuple[Note, ...] = ()
    result: Any = None
    coercions: tuple[Coercion, ...] = ()
    inside: tuple[str | int, ...] = ()
    is_split: bool = False
    error: LLMJsonParseError | None = None

    @classmethod
    def of(cls, raw: str, target: Target) -> ParseState:
        """The state before the first stage."""
        if target.dto_type and has_minus_zero(raw):
            target = dataclasses.replace(target, as_written=True)
        return cls(raw, target, raw, (Span(0, len(raw)),))

    @classmethod
    def of_data(cls, data: object, target: Target) -> ParseState:
        """The state of data that were decoded before, and have no text of their own."""
        return cls("", target, "", (Span(0, 0),), data=data, notes=(Note("strict", "chosen", Span(0, 0)),))

    @cached_property
    def scanner(self) -> Scan:
        """The parts of what is left of the text."""
        return self.target.scanner(self.text)

    @cached_property
    def lines(self) -> LineIndex:
        """Lines and columns of the raw text."""
        return LineIndex(self.raw)

    @property
    def chosen(self) -> Span | None:
        """The place of the answer; None before it is chosen."""
        return next((note.span for note in reversed(self.notes) if note.action == "chosen"), None)

    @property
    def answer_text(self) -> EditedText:
        """The answer's own text with its edits."""
        # the edit of a key that occurs twice only marks it: the decoder takes the last one
        edits = [edit for edit in self.edits if edit.kind is not RepairKind.DUPLICATE_KEY]
        return EditedText(self.text, *(self.chosen or Span(0, 0)), edits)

    @property
    def reasoning(self) -> tuple[Span, ...]:
        """Where what was dropped stands in the model's text, in order; none of the spans reaches into another."""
        found: list[Span] = []
        for span in sorted(note.span for note in self.notes if note.action == "dropped"):
            if found and span.start < found[-1].end:
                found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
            else:
                found.append(span)
        return tuple(found)

    def end_of_value(self, start: int, place: int) -> int | None:
        """The end of the first JSON value between two offsets that reaches beyond the second one, if there is one."""
        return self.scanner.covering(start, place)

    def cut_values(self, start: int, end: int) -> Iterator[int]:
        """Where the JSON values between two offsets open that are cut off."""
        values = self.scanner.values(start, end)
        return (value.start for value in values if value.problem and value.problem.truncated)

    def readable(self, start: int, end: int) -> Iterator[Span]:
        """The outermost JSON values between two offsets that can be read; they may reach beyond the second one."""
        values = self.scanner.values(start, end)
        return (Span(value.start, value.end) for value in values if value.problem is None)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """The trace, computed on access, since most callers do not need it."""
        return tuple(repairs_of(self.raw, self.edits, self.lines))

    @property
    def repair_kinds(self) -> list[str]:
        """The kinds of the repairs, each once, in alphabetical order."""
        return sorted(kind.value for kind in kinds_of(self.edits))

    @property
    def decoded(self) -> bool:
        """Whether a stage has decoded the object already."""
        return self.data is not UNREAD

    def noting(self, stage: str, action: str, *spans: tuple[int, int]) -> ParseState:
        """The state with a note on each of some parts of the text."""
        return changed(self, notes=(*self.notes, *(Note(stage, action, Span(*span)) for span in spans)))

    def without(self, spans: Sequence[tuple[int, int]], stage: str) -> ParseState:
        """The state with parts of the text blanked out."""
        text = blanked(self.text, spans)
        state = changed(self.noting(stage, "dropped", *spans), text=text)
        state.__dict__["scanner"] = self.target.scanner(text, self.scanner.work)  # with the work that is left
        return state

    def refused(
        self, reason: Reason, stage: str, at: int, *, among: Iterable[int] = (), truncated: bool = False
    ) -> LLMJsonParseError:
        """The error of a stage: why there is no answer, and where; `among` which places it cannot choose, if so."""
        candidates = [self.lines.position(place) for place in among]
        position = self.lines.position(at)
        return not_json(
            reason, stage, self.raw, position=position, candidates=candidates or None, truncated=truncated or None
        )

    def with_value(self, value: Value, stage: str) -> ParseState:
        """The state with a decoded value chosen as the answer."""
        return changed(
            self,
            data=value.data,
            edits=value.edits,
            truncated=value.cut,
            notes=(*self.notes, Note(stage, "chosen", Span(value.start, value.end))),
        )


Stage = Callable[[ParseState], ParseState]
"""A stage of the pipeline: takes the state, returns the next one, or raises `LLMJsonParseError`."""


def run_stage(stage: Stage, state: ParseState) -> ParseState:
    """The next state; a crash in the type's own code becomes an error, whichever stage used the type."""
    try:
        return stage(state)
    except ValidatorCrashError as crash:
        name = state.target.dto_type.name if state.target.dto_type else ""
        raise validator_failed(crash.error, name, crash.data, state.raw, state.repair_kinds) from crash.error
