"""What tests reach over real sockets, and nothing beyond this machine."""
