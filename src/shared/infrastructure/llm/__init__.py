"""Adapters behind `LLMPort`: any OpenAI-compatible provider, recorded replies, and a recorder."""
