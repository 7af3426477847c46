"""How the debate context reaches the outside."""
