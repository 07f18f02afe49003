"""Every file of the package, with the first line of its docstring."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import gradcli
from writing.markdown import code, plain, table

PACKAGE = Path(gradcli.__file__).parent


def rooms() -> Iterator[str]:
    """A section for each folder."""
    for folder in [PACKAGE, *sorted(one for one in PACKAGE.rglob("*") if (one / "__init__.py").is_file())]:
        yield f"### {'/'.join(folder.relative_to(PACKAGE.parent).parts)}"
        yield ""
        yield plain(_idea(folder / "__init__.py"))
        yield ""
        files = sorted(one for one in folder.glob("*.py") if one.name != "__init__.py")
        yield from table(("file", "idea"), ((code(one.name), plain(_idea(one))) for one in files))
        yield ""


def _idea(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split())
