"""Dossiers from market data."""
