"""A small picture of every anonymizer, threat and attack for the reference.

Each picture is what the method really does to a few generated customers: the rows before and after,
what the attacker knows, or how an attack weighs whom. The same seed draws the same pictures.
"""
