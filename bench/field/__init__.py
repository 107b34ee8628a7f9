"""The same work done by us and by others: one file for each kind of work."""
