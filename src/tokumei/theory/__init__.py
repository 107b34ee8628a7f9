"""Formulas and bounds: pure functions."""
