"""How the research context reaches the outside."""
