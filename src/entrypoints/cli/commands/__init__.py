"""The commands: each is a function of its name; those of one subject stand in one file."""
