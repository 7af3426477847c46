"""The application's entrypoints; the only place that knows exit codes."""
