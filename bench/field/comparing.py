"""What a comparison is: a work, the data, who else does it, and what came out."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.measuring import core_seconds

ROOT = Path(__file__).parents[2]
PEERS = ROOT / ".venv-peers"


@dataclass(frozen=True)
class Measured:
    """Seconds of one core that we and the peer took, and what both reached with them."""

    ours: float
    theirs: float
    quality: str
    kept: bool = True
    """Whether our result is what it must be: equal to the exact one, or near enough to it."""

    @property
    def ratio(self) -> float:
        """How many times as long as we the peer took."""
        return self.theirs / self.ours


@dataclass(frozen=True)
class Comparison:
    """A work that a peer does too."""

    work: str
    data: str
    peer: str
    run: Callable[[], Measured]
    goal: float | None = None
    """The ratio that we aim at."""
    near: float | None = None
    """How far from the optimum, as a share of it, we aim to be at most."""


def duel(ours: Callable[[], Any], theirs: Callable[[], Any], quality: str, *, repeat: int = 2,
         kept: bool = True) -> Measured:  # fmt: skip
    """Time both, one after the other; both have run before, so that everything is compiled."""
    return Measured(core_seconds(ours), core_seconds(theirs, repeat=repeat), quality, kept)


def peer_process(name: str, *words: str) -> dict[str, Any]:
    """Run `bench/peers/NAME.py` with the Python of its own packages; it prints JSON."""
    python = PEERS / name / "bin" / "python"
    script = ROOT / "bench" / "peers" / f"{name}.py"
    done = subprocess.run(
        [python, script, *words], capture_output=True, text=True, check=False, timeout=600
    )
    if done.returncode:
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        raise RuntimeError(f"{script.name} failed: {last}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
