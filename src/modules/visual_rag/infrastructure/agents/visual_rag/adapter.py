"""The parser behind its port."""

from __future__ import annotations

from dataclasses import replace

from src.modules.visual_rag.domain.parsed_action import ParsedAction
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_log import LABEL
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import parse_action, postprocess_responses
from src.modules.visual_rag.infrastructure.agents.visual_rag.first_action import STOP, live_turn


class VisualRagActionParser:
    """JSON first, then the legacy tags, up to the first action of a turn; implements `ActionParserPort`."""

    label = LABEL
    stop = STOP

    def parse(self, text: str, *, finished: bool | None, last_image: str | None) -> ParsedAction:
        """The first action in a turn, or why there is none."""
        turn = live_turn(text)
        return replace(parse_action(turn.text, finished=finished, last_image=last_image), dropped=turn.dropped)

    def kept(self, text: str, eos_token: str, *, finished: bool | None) -> str:
        """What of a turn stays in the conversation, with the EOS token appended."""
        (kept,) = postprocess_responses([live_turn(text).text], eos_token, finished=finished)
        return kept
