"""A conformance set for readers of language models' JSON, and what comes of it in libraries that read such texts."""
