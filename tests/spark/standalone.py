"""A standalone Spark cluster of one master and two workers on loopback, and work for it.

`python tests/spark/standalone.py 200000` does the work on generated customers, does it again and
kills a worker in the middle, and compares.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tokumei import Risk, publish, read
from tokumei.anonymizers import Decoys
from tokumei.attacks import Jaccard
from tokumei.metrics import InformationLoss
from tokumei.spark import blocks
from tokumei.tables import height
from tokumei.threats import ItemSets

LOOPBACK = {
    "spark_ui_enabled": "false",
    "spark_driver_host": "127.0.0.1",
    "spark_driver_bindAddress": "127.0.0.1",
}
ROUGH = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
BRIEF = {
    # Some hundred small queries: compiling each would take longer than running it, and a Java that
    # lives for a minute never earns back what it compiles well.
    "spark_sql_codegen_wholeStage": "false",
    "spark_sql_codegen_factoryMode": "NO_CODEGEN",
    "spark_sql_adaptive_enabled": "false",
    "spark_driver_extraJavaOptions": ROUGH,
    "spark_executor_extraJavaOptions": ROUGH,
}
BUSY = "tasks are running"
LOST = "Lost executor"


def done(spark: Any, path: Path, seconds: float, block: int | None = None) -> list[str]:
    """Make decoys, attack them and measure their loss; return what came out."""
    shop = read(spark.read.parquet(str(path)))
    threading.Thread(target=_tell_when_busy, args=(spark,), daemon=True).start()
    method = Decoys(clusters=height(shop.people()) // 4, min_size=3, seconds=seconds)
    with small_blocks(block):
        release = publish(shop, method(shop, seed=1), secret=b"2")
    rows = release.public.purchases.to_native()
    hashes = rows.selectExpr("sum(cast(xxhash64(*) as decimal(38,0))) as digest")
    risk = Risk(threat=ItemSets(), attack=Jaccard(top=1))(shop, release, seed=3)
    loss = InformationLoss()(shop, release, seed=3)
    return [
        f"rows {release.public.rows}, digest {hashes.first()['digest']}",
        f"risk {risk.value:.12f}, loss {loss.value:.12f}",
    ]


@contextmanager
def small_blocks(size: int | None) -> Iterator[None]:
    """Cut few customers into several blocks, as many would be."""
    usual = blocks.BLOCK
    blocks.BLOCK = usual if size is None else size
    yield
    blocks.BLOCK = usual


def _tell_when_busy(spark: Any) -> None:
    tracker = spark.sparkContext.statusTracker()
    while not tracker.getActiveStageIds():
        time.sleep(0.01)
    sys.stdout.write(f"{BUSY}\n")
    sys.stdout.flush()


def driver(master: str, path: str, parts: str, seconds: str, block: str) -> None:
    """Do the work on a cluster; this is a process of its own."""
    from tokumei.spark import session

    spark = session(
        master,
        **LOOPBACK,
        **(BRIEF if int(block) else {}),
        spark_sql_shuffle_partitions=parts,
        spark_executor_memory="2g",
        spark_executor_cores="1",
        spark_driver_memory="1g",
    )
    told = done(spark, Path(path), float(seconds), int(block) or None)
    java = spark.sparkContext._gateway.proc.pid
    sys.stdout.write("\n".join(told) + "\n")
    sys.stdout.write(f"driver: Java {peak(java)}, Python {peak(os.getpid())}\n")
    spark.stop()


def peak(process: int) -> str:
    """Return the most memory that a process had."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return next(line.split(":")[1].strip() for line in status.splitlines() if "VmHWM" in line)


@dataclass
class Cluster:
    master: str
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def kill_a_worker(self) -> None:
        """Kill a worker and all executors that it started, as when a machine burns."""
        os.killpg(self.workers[0].pid, signal.SIGKILL)
        self.workers[0].wait()


def free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """Start a master and two workers of one core each; they end with the block."""
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_DAEMON_JAVA_OPTS": ROUGH,
    }
    port = free_port()
    started: list[subprocess.Popen[bytes]] = []

    def start(*words: str) -> subprocess.Popen[bytes]:
        command = [str(home / "bin" / "spark-class"), *words]
        with (folder / f"{len(started)}.log").open("wb") as log:
            process = subprocess.Popen(
                command, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        started.append(process)
        return process

    place = ["--host", "127.0.0.1", "--webui-port", "0"]
    made = Cluster(f"spark://127.0.0.1:{port}")
    try:
        start("org.apache.spark.deploy.master.Master", *place, "--port", str(port))
        _wait_for(port)
        for number in range(2):
            own = ["--cores", "1", "--memory", "2g", "--work-dir", str(folder / f"work{number}")]
            worker = start("org.apache.spark.deploy.worker.Worker", *place, *own, made.master)
            made.workers.append(worker)
        yield made
    finally:
        for process in started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(30)


def _wait_for(port: int) -> None:
    for _ in range(300):
        with socket.socket() as asked:
            if asked.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise TimeoutError("The master of the cluster did not start.")


def work(
    master: str,
    path: Path,
    *,
    parts: int,
    seconds: float,
    block: int = 0,
    kill: Cluster | None = None,
    after: float = 0.0,
    most: float = 300,
) -> list[str]:
    """Do the work in a process of its own and return what it prints; kill a worker meanwhile."""
    words = [sys.executable, __file__, master, str(path), str(parts), str(seconds), str(block)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as job:
        assert job.stdout is not None
        try:
            first = job.stdout.readline().strip()
            if kill is not None and first == BUSY:
                time.sleep(after)
                kill.kill_a_worker()
            told, complaints = job.communicate(timeout=most)
        finally:
            job.kill()
    if job.returncode:
        raise RuntimeError(complaints[-2000:])
    if (kill is not None) != (LOST in complaints):
        raise RuntimeError(f"Of the killed worker Spark says nothing: {complaints[-2000:]}")
    return told.splitlines()


def main(customers: int) -> None:
    from tokumei.data.generating import blocks as generated
    from tokumei.data.writing import write_blocks

    with TemporaryDirectory() as name:
        folder = Path(name)
        shop = folder / "shop.parquet"
        write_blocks(generated("shop", customers, 0), shop)
        alone = _timed("local[2]", shop, None)
        with cluster(folder) as made:
            together = _timed(made.master, shop, made)
    sys.stdout.write("the same\n" if alone == together else "NOT the same\n")


def _timed(master: str, shop: Path, kill: Cluster | None) -> list[str]:
    start = time.perf_counter()
    told = work(master, shop, parts=64, seconds=1.0, kill=kill, after=60, most=6000)
    sys.stdout.write(f"{time.perf_counter() - start:.0f} s on {master}\n" + "\n".join(told) + "\n")
    return told[:2]


if __name__ == "__main__":
    main(int(sys.argv[1])) if len(sys.argv) == 2 else driver(*sys.argv[1:])
