"""What the debate context's agents answer with."""
