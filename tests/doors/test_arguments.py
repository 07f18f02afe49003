"""Words of a command line: what is an option, what is a value, and what only looks like one."""

from __future__ import annotations

import pytest

from gradcli.doors.arguments import arranged
from gradcli.errors import GradcliError

FLAGS = {"--at": True, "--const": True, "--format": True, "--no-grad": False, "--json": False, "-q": False, "-v": False}

ARRANGED = [
    (["A*5"], ["--", "A*5"]),
    (["A*5", "--at", "5"], ["--at=5", "--", "A*5"]),
    (["--at", "5", "A*5"], ["--at=5", "--", "A*5"]),
    (["-A**2", "--at", "-5.0"], ["--at=-5.0", "--", "-A**2"]),
    (["--at", "-5.0", "-A**2"], ["--at=-5.0", "--", "-A**2"]),
    (["-A**2", "--at=-5.0"], ["--at=-5.0", "--", "-A**2"]),
    (["--at", "A=-1", "-A", "--no-grad"], ["--at=A=-1", "--no-grad", "--", "-A"]),
    (["--A**2"], ["--", "--A**2"]),
    (["-q", "A"], ["-q", "--", "A"]),
    (["-qv", "A"], ["-q", "-v", "--", "A"]),
    (["-no-grad", "A"], ["--", "-no-grad", "A"]),
    (["--", "-A", "--at"], ["--", "-A", "--at"]),
    (["-x"], ["--", "-x"]),
    (["-"], ["--", "-"]),
    ([], []),
    (["--json"], ["--json"]),
    (["-q*2"], ["--", "-q*2"]),
    (["--at", "[-1, -2]", "A"], ["--at=[-1, -2]", "--", "A"]),
    (["A", "--at", "=5"], ["--at==5", "--", "A"]),
    (["A", "--at", ""], ["--at=", "--", "A"]),
]


@pytest.mark.parametrize(("words", "order"), ARRANGED)
def test_options_come_first_and_operands_after_the_dashes(words: list[str], order: list[str]) -> None:
    assert arranged(words, FLAGS) == order


REFUSED = [
    (["A*5", "--at"], "--at needs a value", "write --at VALUE, or --at=VALUE"),
    (
        ["A*5", "--at", "--no-grad"],
        "--at needs a value, and '--no-grad' is an option",
        "write --at VALUE, or --at=VALUE",
    ),
    (["--at", "--json", "A"], "--at needs a value, and '--json' is an option", "write --at VALUE, or --at=VALUE"),
    (["--at", "-q", "A"], "--at needs a value, and '-q' is an option", "write --at VALUE, or --at=VALUE"),
    (["A*5", "--nograd"], "unknown option --nograd", "did you mean --no-grad?"),
    (["--at", "--A", "-A"], "--at needs a value, and '--A' is an option", "write --at VALUE, or --at=VALUE"),
    (["A*5", "--formt=json"], "unknown option --formt", "did you mean --format?"),
    (["--zzz"], "unknown option --zzz", "--help lists the options; to give it as an expression write -- --zzz"),
]


@pytest.mark.parametrize(("words", "message", "hint"), REFUSED)
def test_what_is_no_option_and_what_lacks_its_value(words: list[str], message: str, hint: str) -> None:
    with pytest.raises(GradcliError) as caught:
        arranged(words, FLAGS)
    assert (caught.value.kind, caught.value.message, caught.value.hint) == ("usage", message, hint)
