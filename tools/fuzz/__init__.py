"""The parser under a fuzzer: `python -m tools.fuzz` runs it."""
