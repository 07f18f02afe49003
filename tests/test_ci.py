"""The two commands of the README, and the script that runs the second one as it stands there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / ".ci" / "run"


def commands() -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_readme_has_two_commands_and_the_second_one_runs_the_tests() -> None:
    first, second = commands()
    assert first.strip().endswith('gradcli grad "A*5" --at 5.0')
    assert second.strip().endswith(".venv/bin/pytest -n 2 --dist loadfile")
    assert all("-m venv" in command and "constraints.txt" in command for command in (first, second))


@pytest.mark.skipif(not SCRIPT.exists(), reason="a source distribution has no .ci")
def test_the_script_reads_the_second_command() -> None:
    found = re.search(r"^test_command=\$\((awk .*)\)$", SCRIPT.read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    said = subprocess.run(["bash", "-c", found[1]], cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout == commands()[1]
    assert subprocess.run(["bash", "-n", SCRIPT], check=False).returncode == 0
