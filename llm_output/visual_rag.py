"""The visual RAG agent's parser and its loop, under a short name."""

from __future__ import annotations

from src.modules.visual_rag.application.generation_manager import EpisodeRules, LLMGenerationManager
from src.modules.visual_rag.application.rollout import Rollout, RolloutStep
from src.modules.visual_rag.infrastructure.agents.visual_rag.action_parser import (
    parse_action,
    postprocess_predictions,
    postprocess_responses,
)

__all__ = [
    "EpisodeRules",
    "LLMGenerationManager",
    "Rollout",
    "RolloutStep",
    "parse_action",
    "postprocess_predictions",
    "postprocess_responses",
]
