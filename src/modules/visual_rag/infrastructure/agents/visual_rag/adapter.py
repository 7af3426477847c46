"""The parser behind its port."""

from __future__ import annotations

from src.modules.visual_rag.domain.parsed_action import ParsedAction
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import parse_action, postprocess_responses


class VisualRagActionParser:
    """JSON first, then the legacy tags; implements `ActionParserPort`."""

    def parse(self, text: str, *, finished: bool | None, last_image: str | None) -> ParsedAction:
        """The action in a text, or why there is none."""
        return parse_action(text, finished=finished, last_image=last_image)

    def kept(self, text: str, eos_token: str, *, finished: bool | None) -> str:
        """What of a text stays in the conversation, with the EOS token appended."""
        (kept,) = postprocess_responses([text], eos_token, finished=finished)
        return kept
