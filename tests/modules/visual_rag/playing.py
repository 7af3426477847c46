"""Playing one episode by a script, and saying who said what."""

from src.modules.visual_rag.application.execute_predictions import Tools
from src.modules.visual_rag.application.generation_manager import EpisodeRules, LLMGenerationManager
from src.modules.visual_rag.domain.episode import Episode
from src.modules.visual_rag.infrastructure.agents.visual_rag.adapter import VisualRagActionParser
from src.shared.domain.ports.llm import LLMReply, LLMRequest
from tests.modules.visual_rag.reading import ON_IMAGE, reply
from tests.modules.visual_rag.tools import NO_ACTION, tools
from tests.shared.scripted_llm import ScriptedLLM

ANSWER = reply("answer", answer="42")
CROP, OCR = reply("crop", ON_IMAGE), reply("ocr", ON_IMAGE)
FREE = EpisodeRules(forces_first_search=False)


async def play(
    *script: str | LLMReply | Exception, rules: EpisodeRules | None = None, using: Tools | None = None
) -> tuple[Episode, ScriptedLLM]:
    """Play one episode by a script, after a first search that is forced by the rules, and its call is left out."""
    is_forced = rules is None or rules.forces_first_search
    model = ScriptedLLM([NO_ACTION, *script] if is_forced else list(script))
    manager = LLMGenerationManager({"Q?": model}.__getitem__, VisualRagActionParser(), using or tools(), rules=rules)
    (episode,) = await manager.run(["Q?"])
    del model.calls[: int(is_forced)]
    return episode, model


def said(request: LLMRequest) -> list[tuple[str, str]]:
    """Who says what."""
    return [(message.role.value, message.text) for message in request.messages]
