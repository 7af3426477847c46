"""A dossier, a recorded committee on it, and the script that makes the recording."""
