"""Pictures by Graphviz's own `dot`, where it is installed and the graph is not beyond it."""

from __future__ import annotations

import shutil
import subprocess

from gradcli.graphed import Graph
from gradcli.render import Style, dot

PATIENCE = 30  # seconds
MOST = 500  # nodes; beyond these its time grows without end


def drawn(graph: Graph, kind: str) -> bytes | None:
    """What `dot` makes of a graph; None where it is not there, or does not end well."""
    program = shutil.which("dot")
    if program is None or len(graph.nodes) > MOST:
        return None
    text = "".join(dot.pieces(graph, Style())).encode("utf-8")
    try:
        done = subprocess.run([program, f"-T{kind}"], input=text, capture_output=True, timeout=PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 and done.stdout else None
