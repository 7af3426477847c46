"""An episode as the model reads it: the question, its own turns, and what became of each."""

from __future__ import annotations

from src.modules.visual_rag.domain.episode import Episode, Turn
from src.modules.visual_rag.domain.messages import EOS, harmless
from src.modules.visual_rag.domain.ports.action_parser import ActionParserPort

KEPT_LIMIT = 4_000
"""Most characters of one of its turns that the model is shown again; longer ones are cut in the middle."""


def conversation(episode: Episode, parser: ActionParserPort) -> str:
    """The prompt of an episode's next turn.

    The first turn of the user's is opened by the model's own template; from there on the turns stand in it. What the
    model wrote is kept as the specification says, with marks of the template taken apart: a model that writes a turn
    of the user's has said so itself.
    """
    question = f"Question: {harmless(episode.question)}\n{EOS}\n<|im_start|>assistant\n"
    return question + "".join(_turn(turn, parser) for turn in episode.turns)


def _turn(turn: Turn, parser: ActionParserPort) -> str:
    kept = parser.kept(turn.reply.text, EOS, finished=turn.reply.finish_reason.finished).removesuffix(EOS)
    return f"{harmless(_shortened(kept))}{EOS}{turn.observation.text}"


def _shortened(text: str) -> str:
    half = KEPT_LIMIT // 2
    return text if len(text) <= KEPT_LIMIT else f"{text[:half]} [...] {text[-half:]}"
