"""The contest platform: a folder, a database, a queue of evaluations, a server."""
