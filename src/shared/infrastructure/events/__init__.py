"""Where the events of parses go: a log, OpenTelemetry, a list; `FanOut` puts several together."""
