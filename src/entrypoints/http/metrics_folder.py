"""Where several workers keep their numbers; apart, since prometheus_client reads it when it is imported."""

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
