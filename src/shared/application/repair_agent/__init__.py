"""The repair agent: a model that is asked to undo damage in JSON, and is not trusted with anything else."""
