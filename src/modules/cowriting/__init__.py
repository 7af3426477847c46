"""Co-writing: what a model writes comes in an envelope, `{meta, payload}`."""
