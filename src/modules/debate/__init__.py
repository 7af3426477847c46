"""Debate: the case for, the case against, and what remains when both are weighed."""
