"""The parser as a service: `llm-output serve`."""
