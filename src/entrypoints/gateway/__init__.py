"""The gateway in front of an OpenAI-compatible API: `llm-output gateway`."""
