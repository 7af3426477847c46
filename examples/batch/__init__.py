"""A migration from hand-written parsers: the old ones, and a log of answers to measure them on."""
