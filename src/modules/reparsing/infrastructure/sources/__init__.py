"""The inputs: JSON lines, CSV, Parquet, SQLite, a folder of texts, standard input."""
