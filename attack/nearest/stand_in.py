"""Put this reader in the place of the parser's own: for the attack, which then measures it with the same texts."""

from __future__ import annotations

from attack.nearest.read import read
from src.shared.infrastructure import scanner


def stand_in() -> None:
    """From now on damaged values are read by this reader alone; the lexer of regular damage is left out, too."""
    vars(scanner).update(read=read, regular_value=lambda *_, **__: None)
