"""Find a jail that holds on this machine: each must pass the probes before it is used."""

from __future__ import annotations

import functools
import json
import logging
import secrets
import socket
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokumei.contest.sandbox.jails import ENVIRONMENT, Bubblewrap, Jail, Landlock
from tokumei.contest.sandbox.processes import command_lines
from tokumei.contest.sandbox.running import run_in
from tokumei.contest.sandbox.values import Limits, Outcome, SandboxUnavailable, Script

LOG = logging.getLogger(__name__)

# The better one first.
JAILS: tuple[Jail, ...] = (Bubblewrap(), Landlock())

PROBE = Script("python", Path(__file__).with_name("probe_script.py").read_bytes())
PROBE_LIMITS = Limits(seconds=20)
# Those that we set, and those that a shell or Python sets of its own accord.
EXPECTED_NAMES = [*ENVIRONMENT, "HOME", "TMPDIR", "PWD", "LC_CTYPE"]


@dataclass(frozen=True)
class Finding:
    """What the probes found of a jail: the reason why it cannot be used, or None."""

    jail: Jail
    reason: str | None


@functools.cache
def probe() -> tuple[Finding, ...]:
    """Try out every jail, once in the life of this process, and log what was found."""
    findings = tuple(Finding(jail, _reason_against(jail)) for jail in JAILS)
    for finding in findings:
        if finding.reason is None:
            LOG.info("The sandbox %s passed its probes.", finding.jail.name)
        else:
            LOG.warning("The sandbox %s is not used: %s.", finding.jail.name, finding.reason)
    return findings


def available() -> Jail | None:
    """Return the first jail that passed its probes, or None: then no script may run."""
    return next((finding.jail for finding in probe() if finding.reason is None), None)


def run(script: Script, inputs: Sequence[Path], limits: Limits | None = None) -> Outcome:
    """Run a script on the files given, in the best jail of this machine.

    Raise `SandboxUnavailable` when there is none, or when it fails through no fault of the
    script; what the script does wrong is told by the outcome.
    """
    jail = available()
    if jail is None:
        reasons = "; ".join(f"{finding.jail.name}: {finding.reason}" for finding in probe())
        raise SandboxUnavailable(f"Uploaded scripts cannot be run safely here ({reasons}).")
    return run_in(jail, script, inputs, limits or Limits())


def _reason_against(jail: Jail) -> str | None:
    missing = jail.missing()
    if missing is not None:
        return missing
    try:
        with _targets() as targets:
            outcome = run_in(jail, PROBE, [targets.file], PROBE_LIMITS)
            escapes = targets.reached()
    except (SandboxUnavailable, OSError) as error:
        return str(error).removesuffix(".")
    if outcome.scores is None:
        return f"the probe could not run ({outcome.problem} {outcome.stderr.strip()})"
    escapes += [way for way, worked in outcome.scores.items() if worked]
    return f"the probe escaped by {', '.join(escapes)}" if escapes else None


@dataclass(frozen=True)
class _Targets:
    """What the probe script tries to reach, all of it open to every user of this machine."""

    folder: Path
    listeners: dict[str, socket.socket]
    daemon: tuple[str, ...]

    @property
    def file(self) -> Path:
        """Return the file that tells the probe script what to try."""
        return self.folder / "targets.json"

    def write(self) -> None:
        """Write the list, and the files that are on it."""
        writable = self.folder / "writable"
        writable.mkdir()
        writable.chmod(0o777)
        canary = self.folder / "canary"
        canary.write_text("canary", encoding="ascii")
        canary.chmod(0o644)
        (self.folder / "socket").chmod(0o777)
        targets = {
            "port": self.listeners["tcp"].getsockname()[1],
            "socket": self.listeners["unix-path"].getsockname(),
            "abstract": self.listeners["unix-abstract"].getsockname().decode("ascii"),
            "canary": str(canary),
            "writable": str(writable),
            "names": EXPECTED_NAMES,
            "daemon": self.daemon,
        }
        self.file.write_text(json.dumps(targets), encoding="utf-8")

    def reached(self) -> list[str]:
        """Return what was reached, as seen from outside: the script's own word is not enough."""
        ways = [way for way, listener in self.listeners.items() if _was_reached(listener)]
        if any((self.folder / "writable").iterdir()):
            ways.append("write-outside")
        if self.daemon[1] in " ".join(command_lines()):
            ways.append("survivor")
        return ways


@contextmanager
def _targets() -> Iterator[_Targets]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tokumei-probe-")))
        folder.chmod(0o755)
        mark = secrets.token_hex(8)
        addresses: dict[str, tuple[socket.AddressFamily, Any]] = {
            "tcp": (socket.AF_INET, ("127.0.0.1", 0)),
            "unix-path": (socket.AF_UNIX, str(folder / "socket")),
            "unix-abstract": (socket.AF_UNIX, f"\0{mark}"),
        }
        listeners = {}
        for way, (family, address) in addresses.items():
            listeners[way] = stack.enter_context(socket.socket(family, socket.SOCK_STREAM))
            listeners[way].bind(address)
            listeners[way].listen()
            listeners[way].settimeout(0)
        # A number of seconds that no other process sleeps for.
        targets = _Targets(folder, listeners, ("sleep", f"30.{int(mark, 16)}"))
        targets.write()
        yield targets


def _was_reached(listener: socket.socket) -> bool:
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True
