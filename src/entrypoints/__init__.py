"""Ways into the application; the only place that knows exit codes."""
