"""What agents are called, in each language."""

import pytest

from src.entrypoints.agents import agent_word
from src.shared.domain.language import Language, speaking


@pytest.mark.parametrize(
    ("name", "language", "called"),
    [
        ("裁决", Language.EN, "verdict"),
        ("裁决", Language.ZH, "裁决"),
        ("裁决", Language.BOTH, "裁决"),
        ("of somebody's own", Language.EN, "of somebody's own"),
    ],
)
def test_agent_has_its_name_in_english_and_its_title_in_chinese(name: str, language: Language, called: str) -> None:
    with speaking(language):
        assert (agent_word(name), agent_word(name, language)) == (called, called)
