"""How three thousand damaged texts are read today: a change that reads one of them otherwise shows it."""
