"""A Spark session as tokumei needs it."""

from __future__ import annotations

import logging
import os
import re
import shutil
import sys
import warnings
from pathlib import Path

from pyspark.sql import SparkSession

from tokumei.errors import TokumeiError

log = logging.getLogger(__name__)

BATCH = 100_000
"""Rows of a block that a kernel gets at once."""
SUBMITTED = "PYSPARK_GATEWAY_PORT"
"""Is set where spark-submit has started this process, and knows the master."""
QUIET = Path(__file__).with_name("log4j2.properties")
OURS = re.compile(r"^tokumei\.errors\.\w+: (.+)$", re.MULTILINE)


def session(master: str | None = None, **settings: str) -> SparkSession:
    """Return the running session, or start one on `master`: local[2], spark://…, yarn.

    Without a master it is the one that was given to spark-submit, or else this machine. Settings
    are Spark's own, with _ for the dots: `spark_driver_memory="4g"`.
    """
    # Spark warns that pandas 3 is new to it; tables move as Arrow here, never as pandas.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    if running := SparkSession.getActiveSession():
        there = running.conf.get("spark.master", None)
        if master not in (None, there):
            log.warning("A session runs on %s already, and is used instead of %s.", there, master)
        return running
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        raise TokumeiError(
            "Spark needs Java 17 or newer; install it from the system's packages "
            "(openjdk-17-jre-headless) or set JAVA_HOME."
        )
    # Workers on this machine run the same Python; elsewhere it is where the cluster says.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if master is None and SUBMITTED not in os.environ:
        master = "local[*]"
    builder = SparkSession.builder.appName("tokumei")
    if master is not None:
        builder = builder.master(master)
    chosen = {
        "spark.sql.execution.arrow.maxRecordsPerBatch": str(BATCH),
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={QUIET.as_uri()}",
        # Stages with their tasks, where somebody looks; Spark does not tell the time left.
        "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower(),
        **{name.replace("_", "."): value for name, value in settings.items()},
    }
    for name, value in chosen.items():
        builder = builder.config(name, value)
    try:
        started = builder.getOrCreate()
    except Exception as error:  # py4j and Spark raise types of their own
        where = f" on '{master}'" if master else ""
        raise TokumeiError(f"Spark did not start{where} ({reason_of(error)}).") from error
    log.info("Spark %s runs on %s", started.version, started.sparkContext.master)
    return started


def reason_of(error: Exception) -> str:
    """Return one sentence of an error of Spark; what a kernel said is somewhere in its text."""
    text = str(error)
    if ours := OURS.search(text):
        return ours[1]
    return text.strip().splitlines()[0].rstrip(".") if text.strip() else type(error).__name__
