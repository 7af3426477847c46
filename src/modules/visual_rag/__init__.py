"""Visual RAG: an agent that searches, looks at parts of images, reads them, and answers."""
