"""The command `tokumei`."""
