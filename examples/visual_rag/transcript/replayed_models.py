"""Models that play an episode again from its transcript, turn by turn.

What the model says does not depend on the prompt: an OCR of another version may read a page differently, and the
replayed model still takes its next turn. So a replay tries the tools, not the model: whether its answer is still what
the pages say, is for a reader of the new transcript.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path

from examples.visual_rag.transcript.lines import TurnLine, writable
from src.shared.domain.language import Message
from src.shared.domain.ports.llm import LLMPort, LLMReply, LLMRequest
from src.shared.infrastructure.llm.provider_errors import configuration_error
from src.shared.infrastructure.llm.replay import stored_lines

_WHAT = Message("轨迹文件", "transcript")
EMPTY = Message("轨迹文件中没有任何一轮", "the transcript holds no turn")
NO_EPISODE = Message("轨迹文件中没有该问题的（更多）记录", "the transcript has no (further) episode of this question")
NO_TURN = Message(
    "轨迹到此为止，其运行曾被中断", "the transcript ends here; its run was interrupted or had fewer turns"
)


class TranscriptModels:
    """Gives each episode its recorded model; implements `EpisodeModelsPort`.

    Attributes:
        questions: those of the transcript's episodes, in order.
    """

    def __init__(self, path: Path) -> None:
        """Read the whole transcript.

        Raises:
            LLMConfigurationError: it cannot be read, a line is malformed, or it holds no turn.
        """
        self._path = path
        episodes: dict[tuple[int, str], list[LLMReply]] = {}
        for line in stored_lines(path, TurnLine, _WHAT):
            episodes.setdefault((line.episode, line.question), []).append(line.asked())
        if not episodes:
            raise configuration_error(EMPTY, path=str(path))
        self.questions = tuple(question for _, question in episodes)
        self._episodes = deque((question, replies) for (_, question), replies in episodes.items())

    def for_question(self, question: str) -> LLMPort:
        """The model of the next episode with this question.

        Raises:
            LLMConfigurationError: there is none (left).
        """
        for episode in self._episodes:
            if episode[0] == writable(question):
                self._episodes.remove(episode)
                return RecordedModel(episode[1], self._path)
        raise configuration_error(NO_EPISODE, path=str(self._path))


class RecordedModel:
    """Answers with recorded turns, one after the other, whatever it is asked; implements `LLMPort`."""

    def __init__(self, replies: list[LLMReply], path: Path) -> None:
        self._replies = deque(replies)
        self._path = path

    async def generate(self, request: LLMRequest) -> LLMReply:  # noqa: ARG002 - a recorded turn is the answer whatever is asked
        """The next turn.

        Raises:
            LLMConfigurationError: the transcript ends here.
        """
        if not self._replies:
            raise configuration_error(NO_TURN, path=str(self._path))
        return self._replies.popleft()
