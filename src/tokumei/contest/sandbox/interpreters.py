"""The Python and the R that scripts run under, and the files that these need."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from tokumei.contest.sandbox.values import Language, SandboxUnavailable

# Where the programs of the system are; a script may read all of it.
SYSTEM = "/usr"
# What programs of the system need from elsewhere: the libraries that Debian chose (BLAS), the
# list of libraries, and R's settings. Nothing else of /etc may be seen.
SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/R")
PROGRAMS = "/usr/local/bin:/usr/bin"

# The script runs by its path, with neither its folder nor the current one on the search path
# (trap 6), and with the packages of the server in place of those of the interpreter.
PYTHON_START = """\
import runpy, sys
folders, sys.argv = sys.argv[1].split(":"), sys.argv[2:]
sys.path[:] = [path for path in sys.path if not path.endswith("-packages")] + folders
del folders
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@dataclass(frozen=True)
class Interpreter:
    """A command that runs a script given by path, and the folders outside /usr that it reads."""

    command: tuple[str, ...]
    folders: tuple[str, ...]
    suffix: str


def find_interpreter(language: Language) -> Interpreter:
    """Find the interpreter of a language, or raise `SandboxUnavailable` with the reason."""
    return _find_python() if language == "python" else _find_r()


def find_program(name: str) -> str | None:
    """Return the path of a program of the system, whatever the server's own search path is."""
    return shutil.which(name, path=PROGRAMS)


def _find_python() -> Interpreter:
    own = Path(sys.executable).resolve()
    # The same release elsewhere can import the same compiled packages. It stands in where the
    # sandbox's user may not read ours, as when root has installed it under its home.
    stand_in = Path(SYSTEM, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
    packages = tuple(dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib")))
    for program, folders in ((own, (sys.base_prefix, *packages)), (stand_in, packages)):
        if all(_is_reachable(path) for path in (program, *map(Path, folders))):
            start = (str(program), "-I", "-B", "-X", "utf8", "-c", PYTHON_START)
            outside = tuple(path for path in folders if not Path(path).is_relative_to(SYSTEM))
            return Interpreter((*start, ":".join(packages)), outside, ".py")
    raise SandboxUnavailable(
        f"The user of the sandbox may not read the Python of this server ({own}) or its packages "
        f"({packages[0]}), and {stand_in} cannot stand in."
    )


def _find_r() -> Interpreter:
    program = find_program("Rscript")
    if program is None:
        raise SandboxUnavailable("Scripts in R need Rscript, which is not installed.")
    return Interpreter((program, "--vanilla"), (), ".R")


def _is_reachable(path: Path) -> bool:
    """Tell whether the user that runs scripts may read a file or folder."""
    if os.geteuid() != 0:
        return os.access(path, os.R_OK | os.X_OK)
    wanted = stat.S_IROTH | stat.S_IXOTH
    try:
        real = path.resolve(strict=True)
        parents = all(parent.stat().st_mode & stat.S_IXOTH for parent in real.parents)
        return parents and real.stat().st_mode & wanted == wanted
    except OSError:
        return False
