"""Replies about phones: one that is damaged, one that does not fit, one that is clean, and what two of them say."""

from tests.integrations.reviews import Review

__all__ = ["CLEAN", "DAMAGED", "GOOD", "REFUSED", "Review"]

GOOD = Review(title="Phones", score=8)
DAMAGED = (
    '<think>{"title": "draft", "score": 1}</think>Here you are:\n'
    "```json\n{title: 'Phones', \"score\": 8, // of 10\n}\n```\nI hope it helps."
)
REFUSED = '{"title": "Phones", "score": "eight"}'
CLEAN = '{"title": "Phones", "score": 8}'
