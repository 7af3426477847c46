"""Exchanges with a model, written down and answered from."""
