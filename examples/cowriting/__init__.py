"""Opening the envelopes of a co-writing agent: one the parser reads, one whose payload a model has to repair."""
