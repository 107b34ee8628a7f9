"""Histories on a Spark cluster: a session, and the Spark form of every method that has one."""

from importlib.util import find_spec

from tokumei.errors import MissingExtra

if find_spec("pyspark") is None:
    raise MissingExtra("A history on Spark", "spark")

from tokumei.spark.frames import from_cluster, to_cluster
from tokumei.spark.session import session

__all__ = ["from_cluster", "session", "to_cluster"]
