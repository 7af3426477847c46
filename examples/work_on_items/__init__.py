"""A loop that works on each element of a list while the model is still writing the next ones."""
