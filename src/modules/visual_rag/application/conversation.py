"""An episode as the model reads and sees it: the question, its own turns, and what became of each."""

from __future__ import annotations

from collections.abc import Sequence

from src.modules.visual_rag.application.execute_predictions import Tools
from src.modules.visual_rag.domain.episode import Episode, Turn
from src.modules.visual_rag.domain.exceptions import ActionError
from src.modules.visual_rag.domain.images import ShownImage
from src.modules.visual_rag.domain.messages import EOS, LAST_TURN, harmless, system_message
from src.modules.visual_rag.domain.ports.action_parser import ActionParserPort
from src.modules.visual_rag.domain.ports.images import ImagesPort
from src.shared.domain.chat import ChatMessage, MessagePart, Role, TextPart

KEPT_LIMIT = 4_000
"""Most characters of one of its turns that the model is shown again; longer ones are cut in the middle."""
NOTHING_SAID = "(no text)"
"""Stands for a turn without a text, which no provider takes."""
_HIDDEN = "not shown any more; crop a part of it to see it"


async def conversation(
    episode: Episode, parser: ActionParserPort, tools: Tools, *, is_last: bool = False
) -> tuple[ChatMessage, ...]:
    """The messages of an episode's next turn, which may be its last.

    What the model wrote is kept as the specification says. Marks of a chat template are taken apart in it and in the
    question: they could open somebody else's turn where a server reads them in a text. Of the images the newest are
    shown, as many as their tokens allow; in place of an older one stands its id.
    """
    question = f"Question: {harmless(episode.question)}"
    messages = [ChatMessage.of(Role.SYSTEM, system_message(tools.viewing)), ChatMessage.of(Role.USER, question)]
    left = sum(len(turn.observation.images) for turn in episode.turns) - tools.viewing.most_images
    for turn in episode.turns:
        observed = turn.observation
        images = await _images(observed.images, tools.images, hidden=max(0, left))
        left -= len(observed.images)
        messages.append(ChatMessage.of(Role.ASSISTANT, _kept(turn, parser)))
        messages.append(ChatMessage(Role.USER, (TextPart(observed.words), *images)))
    if is_last:
        messages[-1] = ChatMessage(Role.USER, (*messages[-1].parts, TextPart(LAST_TURN)))
    return tuple(messages)


async def _images(images: Sequence[ShownImage], port: ImagesPort, *, hidden: int) -> list[MessagePart]:
    """Each image after its id; the first `hidden` of them by their id alone."""
    parts: list[MessagePart] = [TextPart(f"{image.image_id}: {_HIDDEN}") for image in images[:hidden]]
    for image in images[hidden:]:
        try:
            part = await port.part(image.image_id)
        except ActionError:
            parts.append(TextPart(f"{image.image_id}: cannot be shown any more"))
        else:
            parts += [TextPart(f"{image.image_id}:"), part]
    return parts


def _kept(turn: Turn, parser: ActionParserPort) -> str:
    kept = parser.kept(turn.reply.text, EOS, finished=turn.reply.finish_reason.finished).removesuffix(EOS)
    return harmless(_shortened(kept)) if kept.strip() else NOTHING_SAID


def _shortened(text: str) -> str:
    half = KEPT_LIMIT // 2
    return text if len(text) <= KEPT_LIMIT else f"{text[:half]} [...] {text[-half:]}"
