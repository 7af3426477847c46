"""How the judge context reaches the outside."""
