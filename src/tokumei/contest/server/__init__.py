"""The contest's web server: a REST API, pages over it, and a live channel."""
