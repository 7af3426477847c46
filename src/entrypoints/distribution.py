"""The name of the installed distribution."""

DISTRIBUTION = "unified-llm-output-parser"
