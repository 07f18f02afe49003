"""A training script, run as Python runs it, and what was seen of its tensors and gradients.

Nothing is computed for it: each gradient norm is that of `.grad` between backward and the optimizer's step.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gradcli.commands.command import Command, Option
from gradcli.errors import GradcliError
from gradcli.health import Health
from gradcli.ran import Run

_REPORTS = (".json", ".md", ".csv")


def run(
    script: str | os.PathLike[str], arguments: Sequence[str] = (), *, module: bool = False, report: Any = None,
    log: Any = None, every: int | None = None, fail_on: str | None = None, all: bool = False, thorough: bool = False,
) -> Run:  # fmt: skip
    """Run a script in a process of its own, on the same streams, and tell what was seen of it.

    >>> import pathlib, tempfile
    >>> script = pathlib.Path(tempfile.mkdtemp(), "train.py")
    >>> _ = script.write_text("raise SystemExit(3)")
    >>> found = gradcli.run(script, ["--epochs", "1"])
    >>> found.exit_code, found.verdict
    (3, 'torch was not imported: there is nothing to tell')

    Args:
        script: the path of a script; with `module` the name of a module.
        arguments: what the script finds in `sys.argv` behind its own name.
        module: whether to run a module, as `python -m` does.
        report: a file for the report: .json, .md or .csv.
        log: a file that gets a line of JSON for each step while the script runs.
        every: so many steps from one look at the norms, and one line of the log, to the next. Without it a line for
            each step, and norms as 1 % of the time allows.
        fail_on: codes, such as `"G701,G705"`; nothing is raised here, the command line exits with 1 then.
        all: whether to show every parameter of a long model.
        thorough: whether to look at everything in every step, whatever that costs.

    Returns a Run; its `exit_code` is the script's own, negative where a signal ended it.
    Raises GradcliError of kind usage or file where the request is wrong.
    Equivalent to `subprocess.run([sys.executable, script, *arguments])`, but for what is told.
    """
    from gradcli.training.launching import environment, supervise, words

    settings = _settings(script, arguments, module, report, log, every, fail_on, all, thorough)
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder, "run.json")
        settings |= {**_SILENT, "record": str(record)}
        code = supervise(words(settings["script"], arguments, module), environment(settings))
        return _found(record, settings, code)


_SILENT = {
    "notes": True,
    "quiet": True,
    "format": "table",
    "width": None,
    "color": False,
    "verbose": False,
    "ascii": False,
}


def _found(record: Path, settings: dict[str, Any], code: int) -> Run:
    """What the process of a script wrote down; nothing where it had no time to."""
    import json

    if not record.exists():
        said = "the process ended before anything could be told"
        return Run(settings["script"], tuple(settings["arguments"]), Health(said), code)
    return Run.of(json.loads(record.read_text(encoding="utf-8")), code, settings["all"])


def _settings(
    script: Any, arguments: Sequence[str], module: bool, report: Any, log: Any, every: int | None, fail_on: str | None,
    all: bool, thorough: bool,
) -> dict[str, Any]:  # fmt: skip
    """The request, checked, as the process of the script reads it. Files stand where they are now, whatever it does."""
    if every is not None and every < 1:
        raise GradcliError("usage", f"--every is a number of steps from 1 on, not {every}")
    script = os.fspath(script)
    if not module and script != "-" and not Path(script).exists():
        raise GradcliError("file", f"cannot read {script}: no such file")
    if report is not None and Path(report).suffix.lower() not in _REPORTS:
        raise GradcliError("usage", f"--report writes {', '.join(_REPORTS)}: not '{Path(report).name}'")
    for option, path in (("--report", report), ("--log", log)):
        if path is not None and not Path(path).absolute().parent.is_dir():
            raise GradcliError("file", f"{option}: there is no folder {Path(path).absolute().parent}")
    _codes(fail_on)
    return {
        "script": script, "arguments": list(arguments), "module": module, "every": every, "all": all,
        "thorough": thorough, "report": _absolute(report), "log": _absolute(log),
    }  # fmt: skip


def _absolute(path: Any) -> str | None:
    return None if path is None else str(Path(path).absolute())


def _codes(fail_on: str | None) -> frozenset[str]:
    """The codes of --fail-on. Raises GradcliError where one is none."""
    from gradcli.diagnosis.catalogue import CATALOGUE

    found = frozenset(code.strip().upper() for code in (fail_on or "").split(",") if code.strip())
    if fail_on is not None and not found:
        raise GradcliError("usage", "--fail-on: no code is given", hint="gradcli explain lists them")
    unknown = sorted(found - CATALOGUE.keys())
    if unknown:
        raise GradcliError("usage", f"--fail-on: there is no diagnosis {unknown[0]}", hint="gradcli explain lists them")
    return found


def become(
    script: str, arguments: Sequence[str], showing: dict[str, Any], strict: bool, notes: bool, **options: Any
) -> int:
    """What the command line does: this process becomes the script; where the code may change, or the process is not
    gradcli's own, its parent.
    """
    from gradcli.confinement import claimed
    from gradcli.training.launching import end_as, environment, replace, supervise, words

    settings = _settings(script, arguments, **options) | showing | {"notes": notes}
    codes = _codes(options["fail_on"])
    line = words(script, arguments, options["module"])
    if claimed() and not (codes or strict) and os.name != "nt":
        replace(line, environment(settings))
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder, "run.json")
        code = supervise(line, environment(settings | {"record": str(record)}))
        found = _found(record, settings, code)
    hit = sorted(code for code in codes if any(note.code == code for note in found.notes))
    warned = strict and any(note.level != "info" for note in found.notes)
    if code == 0 and (hit or warned):
        print(f"gradcli: exit 1: {', '.join(hit) or 'a warning'}", file=sys.stderr)
        return 1
    return end_as(code)


COMMAND = Command(
    "run", run, "A training script, run as Python runs it, and the health of its gradients.",
    "script", "Path of a script, - for standard input, or with -m the name of a module. It is your code that runs. "
    "What stands behind it belongs to the script.",
    (
        Option("module", ("-m",), "Run a module, as python -m does.", bool, default=False),
        Option("report", ("--report",), "Write the report to a file: .json, .md or .csv.", metavar="FILE",
               writes=True),
        Option("log", ("--log",), "Write a line of JSON for each step while the script runs.", metavar="FILE",
               writes=True),
        Option("every", ("--every",), "Steps from one look at the norms, and one line of the log, to the next.", int,
               metavar="N"),
        Option("fail_on", ("--fail-on",), "Exit 1 where one of these was found and the script succeeded.",
               metavar="CODE,..."),
        Option("all", ("--all",), "Show every parameter of a long model.", bool, default=False),
        Option("thorough", ("--thorough",), "Look at everything in every step, whatever that costs.", bool,
               default=False),
    ),
    ("gradcli run train.py --epochs 3", "gradcli run --report health.md --fail-on G701,G708 train.py"),
    rest="arguments", becomes=become, runs=lambda script: True,  # noqa: ARG005
    formats=("table", "json", "csv", "markdown"),
)  # fmt: skip
