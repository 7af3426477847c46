"""Side by side with other libraries: time, rightness, and growth. `make bench` runs it; no test depends on a time."""
