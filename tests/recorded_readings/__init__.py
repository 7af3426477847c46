"""How some three thousand damaged texts are read today: a change of the parser that reads one of them otherwise shows it."""
