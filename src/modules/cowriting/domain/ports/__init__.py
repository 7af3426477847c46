"""Ports: what the use cases ask of the outside world."""
