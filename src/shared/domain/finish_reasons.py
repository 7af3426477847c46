"""How providers, servers and libraries spell why a model stopped: the one table.

What is not in it is unknown, and so is what says nothing of the text: Gemini's `OTHER` and `FINISH_REASON_UNSPECIFIED`,
Ollama's `load` and `unload`, the word `null` that some services send until the end. A spelling goes into the table
only where its documentation says what became of the text.
"""

from __future__ import annotations

from enum import Enum, StrEnum


class FinishReason(StrEnum):
    """Why a model stopped writing; `finish_reason_of` knows how the providers spell it.

    .. versionadded:: 0.1.0
    """

    STOP = "stop"
    """It came to its end, or wrote a stop sequence."""
    LENGTH = "length"
    """It reached a limit: of tokens, of the context window, of rounds."""
    REFUSED = "refused"
    """A filter took the text away from it, or it declined to answer."""
    TOOL_CALLS = "tool_calls"
    """It called a tool."""
    ERROR = "error"
    """The provider broke off in the middle: said of stored texts only, since an adapter raises `LLMServerError`."""
    UNKNOWN = "unknown"
    """Nobody said."""

    @property
    def finished(self) -> bool | None:
        """What the parser is told about the end of the text: True, it is whole; False, it is cut; None, unknown.

        `TOOL_CALLS` is None, too: several servers send it instead of `length` if a call was cut off in the middle of
        its arguments (vLLM issues 53269 and 58228).
        """
        return _FINISHED.get(self)

    @classmethod
    def _missing_(cls, value: object) -> FinishReason | None:
        """`content_filter` is what recordings called `refused` at first."""
        return cls.REFUSED if value == "content_filter" else None


_FINISHED = {
    FinishReason.STOP: True,
    FinishReason.LENGTH: False,
    FinishReason.REFUSED: False,
    FinishReason.ERROR: False,
}


SPELLINGS: dict[FinishReason, tuple[str, ...]] = {
    FinishReason.STOP: (
        *("stop", "completed"),  # OpenAI: chat completions, responses; Mistral, DeepSeek, Ollama, vLLM; Gemini
        *("end_turn", "stop_sequence"),  # Anthropic, Bedrock, MCP; Cohere, text-generation-inference
        *("complete",),  # Cohere
        *("eos_token", "eos", "word"),  # text-generation-inference, watsonx; llama.cpp, Together
        *("finish", "finished", "stop_criteria_met", "endoftext"),  # models on Bedrock: Titan, Jurassic
        *("normal", "reason_stop"),  # Baidu; xAI
    ),
    FinishReason.LENGTH: (
        *("length", "max_tokens"),  # OpenAI, Ollama, vLLM; Anthropic, Gemini, Bedrock, Cohere
        *("max_output_tokens", "max_messages", "incomplete"),  # OpenAI's responses
        *("model_length", "model_context_window_exceeded", "context_exceeded"),  # Mistral; Anthropic; LangChain
        *("limit", "token_limit", "not_finished", "error_limit"),  # llama.cpp; watsonx; Cohere
        *("reason_max_len", "reason_max_context"),  # xAI
        *("pause_turn",),  # Anthropic: a loop of server tools reached its limit, and the turn is to be continued
    ),
    FinishReason.REFUSED: (
        *("content_filter", "content_filtered", "guardrail_intervened", "refused"),  # OpenAI, Mistral; Bedrock; ours
        *("refusal", "sensitive", "error_toxic"),  # Anthropic; Zhipu, Hunyuan; Cohere
        *("safety", "recitation", "language", "blocklist", "prohibited_content", "spii"),  # Gemini
        *("image_safety", "image_prohibited_content", "image_recitation", "model_armor"),  # Gemini
    ),
    FinishReason.TOOL_CALLS: (
        *("tool_calls", "tool_call", "function_call"),  # OpenAI, Mistral; Cohere, pydantic-ai
        *("tool_use", "reason_tool_calls"),  # Anthropic, Bedrock; xAI
    ),
    FinishReason.ERROR: (
        *("error", "failed", "cancelled", "canceled", "steered"),  # OpenRouter, vLLM, Cohere; OpenAI's responses
        *("abort", "aborted", "user_cancel"),  # vLLM, SGLang; Cohere
        *("timeout", "time_limit", "reason_time_limit"),  # Cohere; watsonx; xAI
        *("insufficient_system_resource", "network_error"),  # DeepSeek; Zhipu
        *("malformed_function_call", "malformed_response", "unexpected_tool_call", "too_many_tool_calls"),  # Gemini
        *("malformed_model_output", "malformed_tool_use"),  # Bedrock
    ),
}
"""The spellings of each reason, as the documentation of those named beside them has them."""

_SEPARATORS = str.maketrans("", "", "_- ")


def finish_reason_of(spelled: object) -> FinishReason:
    """Why a model stopped, from a provider's own word for it.

    Case and separators do not matter: `MAX_TOKENS`, `max-tokens` and `maxTokens` are one word, and so is
    `FinishReason.MAX_TOKENS`, which is how an enumeration prints itself.

    Args:
        spelled: a text, or a member of an enumeration. Whatever else it is, None among them, is unknown.

    Returns:
        The reason; `UNKNOWN` where the word is not known.

    Example:
        >>> finish_reason_of("MAX_TOKENS").finished
        False

    .. versionadded:: 0.1.0
    """
    text = spelled.name if isinstance(spelled, Enum) and not isinstance(spelled, str) else spelled
    return _KNOWN.get(_plain(text), FinishReason.UNKNOWN) if isinstance(text, str) else FinishReason.UNKNOWN


def _plain(spelled: str) -> str:
    return spelled.rpartition(".")[2].strip().lower().translate(_SEPARATORS)


_KNOWN = {_plain(word): reason for reason, words in SPELLINGS.items() for word in words}
