"""Benchmarks: `python -m bench NAME`; `make bench` measures us beside others."""
