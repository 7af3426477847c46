"""What a run is, and its ports: who reads its parts, who keeps them, and who is told."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from src.modules.reparsing.domain.outcome import TextNote
from src.modules.reparsing.domain.part import Done, PartId, PartResult, RowSource
from src.modules.reparsing.domain.tally import Tally
from src.shared.domain.language import Message, Phrase


@dataclass(frozen=True)
class Manifest:
    """The identity of a run, as JSON types.

    Attributes:
        inputs: name and identity of each input, in order.
        options: what the outputs depend on; neither the engine nor the number of workers.
    """

    inputs: list[dict[str, Any]]
    options: dict[str, Any]

    def differences(self, other: Manifest) -> list[Message]:
        """What is not the same in another run, in words; empty where it is this one."""
        return [*self._other_inputs(other), *self._other_options(other)]

    def _other_inputs(self, other: Manifest) -> Iterator[Message]:
        mine, theirs = [entry["name"] for entry in self.inputs], [entry["name"] for entry in other.inputs]
        if mine != theirs:
            old, new = ", ".join(mine) or "-", ", ".join(theirs) or "-"
            yield Phrase("inputs {new}, not {old}", new=new, old=old)
            return
        for name, before, after in zip(mine, self.inputs, other.inputs, strict=True):
            if before != after:
                changed = ", ".join(_differing(before, after))
                yield Phrase("{name} changed ({changed})", name=name, changed=changed)

    def _other_options(self, other: Manifest) -> Iterator[Message]:
        for name in _differing(self.options, other.options):
            old, new = self.options.get(name), other.options.get(name)
            yield Phrase("{name} is {new}, not {old}", name=name, new=repr(new), old=repr(old))


def _differing(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    return [name for name in {**old, **new} if old.get(name) != new.get(name)]


class EnginePort(Protocol):
    """Reads parts side by side."""

    def results(self, sources: Sequence[RowSource], done: Done) -> Generator[PartResult, None, None]:
        """What came of each part that is not done yet, as each is finished, in any order.

        Closing the iterator stops the reading.

        Raises:
            BatchInputError: an input cannot be read to its end.
            BatchReaderError: no reader can be started.
        """
        ...


class OutcomesPort(Protocol):
    """Takes the notes of each part, before the part counts as done. An adapter never raises."""

    @property
    def characters(self) -> int:
        """How much of each text it wants; 0 for nothing of it."""
        ...

    def keep(self, part: PartId, notes: Sequence[TextNote]) -> None:
        """Take the notes of a part. A part that is read again, after the run was killed, is told of again."""
        ...

    def close(self) -> None:
        """There are no more of them for now."""
        ...


class RunStorePort(Protocol):
    """A folder with the parts of one run, and in the end its outputs. What it says is done outlives a power cut."""

    def begin(self, manifest: Manifest, *, resume: bool) -> Done:
        """Take the folder for a run; the parts that are done already.

        Raises:
            BatchFolderError: it holds another run, or one that is not to be resumed; it is in use; it cannot be
                written.
        """
        ...

    def commit(self, result: PartResult) -> None:
        """Keep what came of a part, whole or not at all.

        Raises:
            BatchFolderError: it cannot be written.
        """
        ...

    def tallies(self) -> Iterator[Tally]:
        """The tallies of the parts, in the order of their rows."""
        ...

    def finish(self) -> Tally:
        """Join the parts to the outputs, in the order of the rows, and drop the parts; the tally of the whole.

        Raises:
            BatchFolderError: it cannot be written.
        """
        ...

    def finished(self) -> Tally | None:
        """The tally of the whole, where the run was finished before."""
        ...

    def close(self) -> None:
        """Let go of the folder."""
        ...
