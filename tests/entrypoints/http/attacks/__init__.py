"""Attacks on the service, as a real process on loopback, while a normal client asks beside them."""
