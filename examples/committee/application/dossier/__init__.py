"""Making a dossier from market data."""
