"""The public surface: few names, each loaded when it is first used, the same in Python and on the command line."""

from __future__ import annotations

import copy
import inspect
import json
import re
import shlex
from importlib.metadata import entry_points, version
from typing import Any

import pytest

import gradcli
from gradcli import commands
from gradcli.commands.command import SHOWING, Option
from gradcli.errors import KINDS, ExitCode, Span
from tests.command_line import ask

COMMANDS = {name: commands.command(name) for name in commands.NAMES}

SIGNATURES = {
    "grad": "(expression: 'str', at: 'Any' = None, const: 'Any' = None, *, mode: 'str' = 'grad', dtype: 'Any' = None, "
    "device: 'Any' = None, seed: 'int' = 0, reduce: 'str' = 'sum', upstream: 'Any' = None, wrt: 'Any' = None,",
    "evaluate": "(expression: 'str', at: 'Any' = None, const: 'Any' = None, *, mode: 'str' = 'grad', "
    "dtype: 'Any' = None, device: 'Any' = None, seed: 'int' = 0,",
    "explain": "(expression: 'str | Iterable[str] | None' = None) -> 'Explanation'",
    "functions": "(pattern: 'str | None' = None) -> 'Functions'",
}


def test_public_names_are_the_commands_and_little_else() -> None:
    functions = {command.function.__name__ for command in COMMANDS.values()}
    assert set(gradcli.__all__) == functions | {"GradcliError", "__version__", "watch"}
    assert gradcli.__all__ == sorted(gradcli.__all__)
    assert dir(gradcli) == gradcli.__all__


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_begin_as_they_always_did(name: str) -> None:
    assert str(inspect.signature(getattr(gradcli, name))).startswith(SIGNATURES[name])


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_its_public_function(name: str) -> None:
    function = COMMANDS[name].function
    assert getattr(gradcli, function.__name__) is function
    first = next(iter(inspect.signature(function).parameters))
    assert first == COMMANDS[name].subject
    assert function.__doc__
    assert ">>> " in function.__doc__


def keyword_defaults(options: tuple[Option, ...]) -> dict[str, Any]:
    defaults: dict[str, Any] = {}
    for option in options:
        defaults.setdefault(option.keyword, option.default if option.sets is None else None)
    return defaults


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_a_keyword_and_every_keyword_an_option(name: str) -> None:
    command = COMMANDS[name]
    parameters = inspect.signature(command.function).parameters
    keywords = keyword_defaults(command.options)
    own = set(parameters) - {command.subject, command.rest, "notes"}
    assert own == set(keywords), name
    for keyword, default in keywords.items():
        if keyword == "verify":  # a command proves more than a call, which is to be fast
            default = False
        assert parameters[keyword].default == default, f"{name} {keyword}"


@pytest.mark.parametrize("name", COMMANDS)
def test_options_are_documented_and_unlike(name: str) -> None:
    options = (*COMMANDS[name].options, *SHOWING)
    flags = [flag for option in options for flag in option.flags]
    assert len(flags) == len(set(flags))
    assert all(re.fullmatch(r"--[a-z]+(-[a-z]+)*|-[a-z]", flag) for flag in flags)
    assert all(option.help.endswith(".") for option in options)
    assert COMMANDS[name].summary.endswith((".", "?"))
    told = ask(name, "--help", columns=200).out
    assert all(flag in told for flag in flags)
    assert all(example in told for example in COMMANDS[name].examples)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_short_help_lists_the_command(name: str) -> None:
    assert re.search(rf"^  {name} ", ask("--help").out, re.MULTILINE)
    assert ask(name, "-h").out == ask(name, "--help").out


EXAMPLES = [
    (name, example)
    for name, command in COMMANDS.items()
    if command.becomes is None  # another program
    for example in command.examples
    if not re.search(r"\w+\.py|@", example)  # these need files of the user's
]


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[example for _, example in EXAMPLES])
def test_examples_of_the_help_run_and_their_json_is_strict(name: str, example: str) -> None:
    program, *words = shlex.split(example)
    assert (program, words[0]) == ("gradcli", name)
    plain = ask(*words)
    assert plain.code in {0, 1}, plain.err
    assert plain.err == ""
    words = [word for word in words if word != "--json"]
    said = ask(*words, "--json")
    found = json.loads(said.out, parse_constant=lambda text: pytest.fail(f"{text} is not strict JSON"))
    assert (said.code, said.err) == (plain.code, "")
    assert (found["schema"], found["command"], found["status"]) == ("gradcli/1", name, "ok")
    assert {"notes"} <= set(found)
    if COMMANDS[name].subject == "expression":
        assert {"expression", "inputs" if COMMANDS[name].subject_required else "matches"} <= set(found)
        parts = found["expression"].split("\n") if COMMANDS[name].several else [found["expression"]]
        assert all(part in example.replace("\\n", "\n") for part in parts)


@pytest.mark.parametrize("name", dict.fromkeys(name for name, _ in EXAMPLES))
def test_every_format_of_a_command_writes_something(name: str) -> None:
    example = min((example for command, example in EXAMPLES if command == name), key=len)
    words = [word for word in shlex.split(example)[1:] if word != "--json"]
    for form in COMMANDS[name].formats:
        said = ask(*words, "--format", form)
        assert said.code in {0, 1}, said.err
        assert said.out.endswith("\n"), form
    refused = ask(*words, "--format", "yaml")
    assert refused.code == 2
    assert all(form in refused.err for form in COMMANDS[name].formats)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'gradcli' has no attribute 'nothing'"):
        gradcli.nothing  # noqa: B018


def test_the_version_is_one() -> None:
    assert gradcli.__version__ == version("gradcli")
    assert ask("--version").out == f"gradcli {gradcli.__version__}\n"


def test_the_command_is_installed_by_its_name() -> None:
    (script,) = entry_points(group="console_scripts", name="gradcli")
    assert script.value == "gradcli.__main__:main"


def test_an_error_has_these_attributes_and_this_dictionary() -> None:
    with pytest.raises(gradcli.GradcliError) as caught:
        gradcli.grad("sin(x) + sine(y)")
    error = caught.value
    assert (error.kind, error.code, error.message, error.span, error.hint, error.exit_code) == (
        "name", None, "unknown function 'sine'", Span(9, 13), "did you mean 'sin'?", ExitCode.REQUEST,
    )  # fmt: skip
    assert str(error) == error.message
    assert error.to_dict() == {
        "kind": "name", "code": None, "message": "unknown function 'sine'", "span": [9, 13],
        "hint": "did you mean 'sin'?",
    }  # fmt: skip
    assert isinstance(error, Exception)
    json.dumps(error.to_dict())


@pytest.mark.parametrize("kind", KINDS)
def test_exit_codes_are_the_documented_numbers(kind: str) -> None:
    code = gradcli.GradcliError(kind, "message").exit_code
    assert code == {"torch": 3, "output": 74, "internal": 70}.get(kind, 2)


def test_a_result_tells_the_same_as_attributes_and_as_a_dictionary() -> None:
    answer = gradcli.grad("A*B", at={"A": [1.0, 2.0], "B": 3.0})
    told = answer.to_dict()
    assert list(answer.inputs) == ["A", "B"]
    assert told["output"]["value"] == answer.output.value.tolist() == [3.0, 6.0]
    assert told["inputs"][0]["grad"] == answer.inputs["A"].grad.tolist() == [3.0, 3.0]  # type: ignore[union-attr]
    assert told["output"]["requires_grad"] is answer.output.requires_grad is True
    assert told["output"]["grad_fn"] == answer.output.grad_fn == "MulBackward0"
    assert told["notes"] == [note.to_dict() for note in answer.notes]
    assert told == copy.deepcopy(told)
    assert json.loads(json.dumps(told, allow_nan=False)) == told


def test_the_api_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    gradcli.grad("A.detach()*torch.tensor(A)", at=[1.0, 2.0])
    gradcli.functions("softmax")
    with pytest.raises(gradcli.GradcliError):
        gradcli.grad("A^2")
    assert capsys.readouterr() == ("", "")
