"""Use cases of this context: acting on what the model wrote, and whole episodes."""
