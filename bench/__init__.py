"""Benchmarks: `python -m bench` runs all and prints tables."""
