"""The stages of the pipeline, one file each; a stage's name is its file's, its function's and the trace's."""
