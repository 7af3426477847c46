"""Ports: what the domain and the use cases ask of the outside world."""
