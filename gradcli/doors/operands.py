"""Typer's commands, whose operands may begin with a minus sign, and of which one may be a whole program."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

from gradcli.doors.arguments import arranged
from gradcli.doors.written import as_written
from gradcli.errors import GradcliError


class Group(TyperGroup):
    """All commands; what stands before the command is left as it is written."""

    def get_params(self, ctx: Any) -> list[Any]:
        return as_written(super().get_params(ctx))


class OperandCommand(TyperCommand):
    """A command whose operands may begin with a minus sign, and whose options are read by written.py."""

    program = False

    def get_params(self, ctx: Any) -> list[Any]:
        return as_written(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        takes_value = {
            flag: not getattr(one, "is_flag", False) for one in self.params for flag in one.opts if flag[:1] == "-"
        }
        known = {**takes_value, "-h": False, "--help": False}
        if ctx.resilient_parsing:
            return super().parse_args(ctx, self._so_far(args, known))
        return super().parse_args(ctx, arranged(args, known, self.program))

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Where no parameter is open: a value that bash parted from its name, `--at A=ran`."""
        found = super().shell_complete(ctx, incomplete)
        if found or not incomplete:
            return found
        subject = next(one for one in self.params if one.name == "subject")
        return list(subject.shell_complete(ctx, incomplete))

    def _so_far(self, words: list[str], takes_value: dict[str, bool]) -> list[str]:
        """The words before the one that is completed, in order as far as they can be read."""
        for end in (len(words), len(words) - 1):
            try:
                return arranged(words[:end], takes_value, self.program)
            except GradcliError:
                continue
        return []


class ProgramCommand(OperandCommand):
    """A command whose operand is a program, with the program's own words behind it."""

    program = True
