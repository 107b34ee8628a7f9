"""Data in and out: readers, writers, generators."""
