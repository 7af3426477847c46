"""The store of outcomes: SQLite or Postgres through SQLAlchemy."""
