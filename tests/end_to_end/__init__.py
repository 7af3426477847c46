"""The whole of it, from the command line to a provider over HTTP."""
