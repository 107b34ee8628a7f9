"""Scripts for those who work on the project; run from its root."""
