"""What a contest remembers: one SQLite file, or a PostgreSQL database by its URL."""
