"""`llm-output gateway` in front of a fake upstream, asked by the SDKs of OpenAI."""
