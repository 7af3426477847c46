"""Providers with an OpenAI-compatible chat-completions API."""
