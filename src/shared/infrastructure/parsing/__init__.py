"""From text to data: how a text is read, damaged or not."""
