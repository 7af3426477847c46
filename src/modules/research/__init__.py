"""Research: five analysts, each with its own view of one stock."""
