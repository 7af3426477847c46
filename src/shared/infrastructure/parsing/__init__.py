"""From text to data: how a damaged text is read."""
