"""Asking a model for a typed answer, under a short name."""

from __future__ import annotations

from src.bootstrap import Application
from src.shared.application.question import Outcome, Question
from src.shared.application.typed_llm import TypedLLM
from src.shared.domain.budget import Budget
from src.shared.domain.llm_errors import LLMError, LLMTimeoutError
from src.shared.domain.llm_exchange import ChatMessage, ImagePart, ImageType, Role
from src.shared.domain.ports.llm import FinishReason, LLMPort, LLMReply, LLMRequest, TextProgress, TokenUsage

__all__ = [
    "Application",
    "Budget",
    "ChatMessage",
    "FinishReason",
    "ImagePart",
    "ImageType",
    "LLMError",
    "LLMPort",
    "LLMReply",
    "LLMRequest",
    "LLMTimeoutError",
    "Outcome",
    "Question",
    "Role",
    "TextProgress",
    "TokenUsage",
    "TypedLLM",
]
