"""A page that shows an answer while the model is still writing it: FastAPI, server-sent events, one small script."""
