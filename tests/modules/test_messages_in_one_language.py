"""Errors that were glossed without their values: in one language they have them, and nothing of the other script."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from examples.committee.dossier import DossierError, load_dossier
from src.modules.research.domain.exceptions import MissingDataError
from src.modules.visual_rag.domain.exceptions import ActionError
from src.modules.visual_rag.domain.parsed_action import check_action
from src.modules.visual_rag.domain.viewing import Size, box_in
from src.shared.domain.exceptions import AppException, error_of
from src.shared.domain.language import VARIABLE
from src.shared.domain.llm_errors import LLMConfigurationError, LLMTimeoutError, why_cut
from src.shared.domain.ports.llm import FinishReason, LLMReply
from src.shared.domain.prompt import AgentPrompts, PromptError
from src.shared.domain.repair_errors import Difference, DifferenceKind, refused_difference
from src.shared.domain.repair_rate import RateLevel, RateScope, RepairRate, RepairRateWarning
from src.shared.infrastructure.llm.provider_errors import Endpoint
from src.shared.infrastructure.llm.replay import read_exchanges

CHINESE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
PROSE = re.compile(r"[a-z]{3,} [a-z]{3,}")
CUT = LLMReply("x" * 10, FinishReason.LENGTH)


def raised(kind: type[AppException], call: Callable[[], object]) -> str:
    with pytest.raises(kind) as caught:
        call()
    return caught.value.message


def argument_problem() -> str:
    problem = check_action("search", {"query": " "}).problem
    assert problem
    return problem.message


def rate_warning() -> str:
    rate = RepairRate(parses=40, asked=12)
    return RepairRateWarning(RateScope.AGENT, "A1", RateLevel.ALARM, rate).message


SAID: dict[str, tuple[Callable[[], str], tuple[str, ...]]] = {
    "no dossier": (lambda: raised(DossierError, lambda: load_dossier(Path("absent.json"))), ("absent.json",)),
    "missing section": (lambda: MissingDataError.of(["macro", "catalyst"]).message, ("macro", "catalyst")),
    "region outside": (
        lambda: raised(ActionError, lambda: box_in((900, 900, 950, 950), Size(640, 480))),
        ("640x480",),
    ),
    "region too small": (lambda: raised(ActionError, lambda: box_in((1, 1, 2, 2), Size(640, 480))), ("640x480",)),
    "argument": (argument_problem, ("search", "query")),
    "cut off": (lambda: error_of(why_cut(CUT, 512)).message, ("512",)),
    "cut off, own limit": (lambda: error_of(why_cut(CUT, None)).message, ()),
    "timeout": (
        lambda: Endpoint("http://localhost", "M1", 30).error(LLMTimeoutError, status=504).message,
        ("http://localhost", "M1", "HTTP 504"),
    ),
    "recording": (
        lambda: raised(LLMConfigurationError, lambda: read_exchanges(Path("absent.jsonl"))),
        ("absent.jsonl",),
    ),
    "prompt": (lambda: raised(PromptError, lambda: AgentPrompts.checked("A1", "S", "{{b}}", ["c"])), ("A1", "b", "c")),
    "empty prompt": (lambda: raised(PromptError, lambda: AgentPrompts.checked("A1", " ", "U", [])), ("A1",)),
    "repair": (
        lambda: refused_difference(Difference(DifferenceKind.VALUE_CHANGED, "$.price", 9, "1", "2")).message,
        ("$.price",),
    ),
    "repair rate": (rate_warning, ("A1", "40", "12", "30.0%")),
}


@pytest.mark.parametrize("name", SAID)
def test_english_has_every_value_and_no_chinese(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "en")
    say, values = SAID[name]
    message = say()
    assert [value for value in values if value not in message] == []
    assert PROSE.search(message)
    assert not CHINESE.search(message)


@pytest.mark.parametrize("name", SAID)
def test_chinese_has_every_value_and_no_gloss(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "zh")
    say, values = SAID[name]
    message = say()
    assert [value for value in values if value not in message] == []
    assert CHINESE.search(message)
    assert not PROSE.search(re.sub("No such file or directory", "", message))


@pytest.mark.parametrize("name", SAID)
def test_default_has_both(name: str) -> None:
    message = SAID[name][0]()
    assert CHINESE.search(message)
    assert PROSE.search(message)
