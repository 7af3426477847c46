"""What `llm-output batch` writes to the store of outcomes, where the environment names one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from src.entrypoints.agents import AGENTS
from src.entrypoints.cli.contract import Contract
from src.modules.reparsing.domain.outcome import TextNote
from src.modules.reparsing.domain.part import PART_ROWS, PartId
from src.shared.domain.answer_type import name_of
from src.shared.domain.ports.events import ParseOutcome
from src.shared.infrastructure.events.store_setting import is_store_set

if TYPE_CHECKING:
    from src.modules.monitoring.domain.outcome import Outcome
    from src.modules.monitoring.infrastructure.writers import RunWriter

WRITER_FILE = "writer.json"
"""Says, in a run's folder, as which writer of the store the run goes on."""
_PART_BITS = 32
"""An input has fewer parts than that: four billion of up to 1,000 texts."""


class StoredOutcomes:
    """As `OutcomesPort`, in the store of outcomes: under the labels that an application's own events have."""

    def __init__(self, writer: RunWriter, label_of: Callable[[str | None], str], characters: int) -> None:
        """Write nothing yet.

        Args:
            writer: writes.
            label_of: the label for the agent of a row.
            characters: how much of each text is stored.
        """
        self._writer, self._label_of, self._characters = writer, label_of, characters

    @property
    def characters(self) -> int:
        """As `OutcomesPort.characters`."""
        return self._characters

    @property
    def dropped(self) -> int:
        """Texts that are not in the store, because it was away."""
        return self._writer.dropped

    def keep(self, part: PartId, notes: Sequence[TextNote]) -> None:
        """As `OutcomesPort.keep`; the numbers of a part's texts are the same each time."""
        first = (part.source << _PART_BITS | part.number) * PART_ROWS + 1
        self._writer.keep(first, [self._outcome(note) for note in notes])

    def close(self) -> None:
        """As `OutcomesPort.close`."""
        self._writer.close()

    def _outcome(self, note: TextNote) -> Outcome:
        from src.modules.monitoring.domain.outcome import Outcome  # noqa: PLC0415 - only where there is a store

        read = ParseOutcome.REPAIRED if note.kinds else ParseOutcome.CLEAN
        return Outcome(
            at=note.at,
            agent=self._label_of(note.agent),
            outcome=ParseOutcome.REFUSED if note.stage else read,
            model=note.model or "",
            stage=note.stage,
            kinds=Counter(note.kinds),
            length=note.length,
            text=note.text,
        )


def stored_outcomes(folder: Path, asked: Callable[[], Contract | None]) -> StoredOutcomes | None:
    """Where the outcomes of a run in a folder go; None where no store is set, of which nothing is imported then.

    Args:
        folder: the run's.
        asked: gives the contract of the options.

    Raises:
        MonitoringSettingsError: a setting of the store is wrong.
    """
    if not is_store_set():
        return None
    from src.modules.monitoring import container  # noqa: PLC0415 - see above
    from src.modules.monitoring.domain.outcome import TEXT_LIMIT  # noqa: PLC0415 - as above
    from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings  # noqa: PLC0415 - as above

    settings = MonitoringSettings()
    writer = container.record_run(folder / WRITER_FILE, settings)
    return StoredOutcomes(writer, _labels(asked()), TEXT_LIMIT if settings.store_text else 0)


def _labels(asked: Contract | None) -> Callable[[str | None], str]:
    """The label of the options' agent, else of the row's, else the row's own name, else that of the type."""

    @lru_cache(maxsize=1_000)
    def label_of(agent: str | None) -> str:
        if asked and asked.label:
            return asked.label
        if agent is not None:
            return AGENTS[agent].output.label if agent in AGENTS else agent
        return name_of(asked.dto_type) if asked else ""

    return label_of
