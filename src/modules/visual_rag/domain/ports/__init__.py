"""What the loop needs from outside: a search, scissors, reading glasses, a parser, models, somebody to tell."""
