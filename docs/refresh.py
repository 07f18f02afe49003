"""Write what the program says into its documentation, or check that it stands there already.

python docs/refresh.py            rewrite README.md and docs/
python docs/refresh.py --check    change nothing; fail where a page differs or an example does not hold
"""

from __future__ import annotations

import difflib
import sys
import tempfile
from pathlib import Path

from writing import pages
from writing.tables import MADE


def main(words: list[str]) -> int:
    """Refresh every page; 1 where something was not as it should be and cannot be rewritten."""
    failed = [path for path in pages.paths() if not refresh(path, check="--check" in words)]
    return 1 if failed else 0


def refresh(path: Path, check: bool) -> bool:
    """Bring one page up to date, or with `check` say what differs; whether the page is then right."""
    name = str(path.relative_to(pages.ROOT))
    old = path.read_text(encoding="utf-8")
    new = fresh(old)
    complaint = pages.tried(new, name)
    if new != old and check:
        difference = difflib.unified_diff(old.split("\n"), new.split("\n"), name, "what the program says", lineterm="")
        complaint += "\n".join(difference)
    elif new != old:
        path.write_text(new, encoding="utf-8")
        print(f"rewrote {name}")
    if complaint:
        print(complaint)
    return not complaint


def fresh(text: str) -> str:
    """A page as it should be."""
    made = pages.with_made_parts(text, MADE)
    with tempfile.TemporaryDirectory() as folder:
        return pages.with_answers(made, list(pages.run(made, Path(folder))))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
