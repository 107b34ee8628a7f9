"""The REST API: everything that the pages do."""
