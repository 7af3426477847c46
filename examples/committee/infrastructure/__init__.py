"""Where the committee's dossiers and settings come from."""
