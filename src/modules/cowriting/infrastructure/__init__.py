"""How the co-writing context reads a model's text."""
