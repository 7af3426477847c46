"""Values that a model spelled otherwise than its type does: percent signs, magnitudes, dates, words. Opt-in."""
