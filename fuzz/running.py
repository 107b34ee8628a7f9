"""Fuzz one reader in this process: `python -m fuzz.running csv 600 folder`."""

from __future__ import annotations

import hashlib
import logging
import os
import sys
import tempfile
from pathlib import Path
from random import Random

import atheris

SOURCE = Path(__file__).parents[1] / "src"
# numba compiles functions from their bytecode, which must be as Python made it.
COMPILED = [
    ".".join(path.relative_to(SOURCE).with_suffix("").parts)
    for path in SOURCE.rglob("*.py")
    if "import compiled" in path.read_text(encoding="utf-8")
]
LARGEST = 20_000
"""Bytes of an input: more of them in the same time find more than long ones do."""
SLOWEST = 60
MEGABYTES = 3_000


def main(name: str, seconds: str, folder: str) -> None:
    """Fuzz until the time is over; what is found is printed and kept."""
    logging.disable(logging.WARNING)
    os.environ.pop("TOKUMEI_DATABASE_URL", None)
    corpus, findings = Path(folder, "corpus"), Path(folder, "findings")
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(exist_ok=True)
    with atheris.instrument_imports(include=["tokumei"], exclude=COMPILED):
        from fuzz.readers import READERS
        from fuzz.trying import attempt

        reader = READERS[name]
        for seed in reader.seeds():
            # Inside of the block: what is imported late must be instrumented too.
            if (problem := attempt(reader, seed)) is not None:
                raise problem
            (corpus / hashlib.sha256(seed).hexdigest()).write_bytes(seed)
    places: set[str] = set()

    def once(data: bytes) -> None:
        problem = attempt(reader, data)
        if problem is not None and (place := where(problem)) not in places:
            places.add(place)
            kept = findings / f"finding-{hashlib.sha256(data).hexdigest()[:12]}"
            kept.write_bytes(data)
            sys.stdout.write(f"{name}: {place}: {str(problem)[:300]!a}\n  kept in {kept}\n")
            sys.stdout.flush()

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        draw = Random(seed)  # noqa: S311 - nothing here is secret
        if not reader.mutations or draw.random() < 0.4:
            return bytes(atheris.Mutate(data, most))
        for _ in range(draw.choice((1, 1, 2, 4))):
            data = draw.choice(reader.mutations)(draw, data)
        return data[:most]

    limits = [
        f"-max_len={LARGEST}",
        f"-timeout={SLOWEST}",
        f"-report_slow_units={SLOWEST}",  # what is merely slow on a busy machine is no finding
        f"-rss_limit_mb={MEGABYTES}",
    ]
    told = [
        f"-max_total_time={seconds}",
        "-print_final_stats=1",
        "-verbosity=1",
        "-use_value_profile=0",
    ]
    words = ["fuzz", str(corpus), *limits, *told, f"-artifact_prefix={findings}/crash-"]
    atheris.Setup(words, once, custom_mutator=mutate)
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        atheris.Fuzz()


def where(problem: BaseException) -> str:
    """Name the kind of a problem and the last line of ours on its way."""
    frames = []
    trace = problem.__traceback__
    while trace is not None:
        frames.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    ours = [(file, line) for file, line in frames if "tokumei" in file] or frames
    file, line = ours[-1] if ours else ("?", 0)
    return f"{type(problem).__name__} at {Path(file).name}:{line}"


if __name__ == "__main__":
    main(*sys.argv[1:])
