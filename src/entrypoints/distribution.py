"""What the distribution is called where it is installed."""

DISTRIBUTION = "unified-llm-output-parser"
