"""Both advocates' cases, before anybody weighs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from src.modules.debate.domain.dtos.bull_bear_argument import BearArgument, BullArgument
from src.shared.domain.exceptions import AppException


@dataclass(frozen=True, slots=True)
class DebateArguments:
    """What the advocates came to; one of the two cases is always there.

    Attributes:
        bull: the case for the stock; None where its advocate failed.
        bear: the case against it; None where its advocate failed.
        failures: advocate → why there is no case.
    """

    bull: BullArgument | None
    bear: BearArgument | None
    failures: Mapping[str, AppException] = field(default_factory=dict)
