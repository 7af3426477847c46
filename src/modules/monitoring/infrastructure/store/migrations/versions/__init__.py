"""One step of the tables each, the oldest first."""
