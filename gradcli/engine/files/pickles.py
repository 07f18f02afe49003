"""What a pickle names, read without unpickling: the globals it asks for and the storages that it claims.

torch's weights_only unpickler runs no code, but calls what it is given from its own list, and that list has ways to
take all memory (a bytearray of any length). This one is shorter: tensors, and dicts and lists of them.
"""

from __future__ import annotations

import pickletools
import re
from dataclasses import dataclass, field
from typing import IO, Any

_REBUILT = "tensor tensor_v2 tensor_v3 parameter parameter_with_state"
_KNOWN = frozenset(
    [
        "collections OrderedDict", "collections Counter", "builtins set", "builtins complex", "__builtin__ set",
        "__builtin__ complex", "torch Size", "torch device", "torch.serialization _get_layout",
        "torch.nn.parameter Parameter", *(f"torch._utils _rebuild_{one}" for one in _REBUILT.split()),
    ]
)  # fmt: skip
_DTYPE = re.compile(r"torch (float|bfloat|complex|u?int|bool)[0-9a-z_]*")

# Storage class -> bytes of one element; torch counts the elements of an UntypedStorage in bytes.
STORAGES = {
    "torch DoubleStorage": 8, "torch FloatStorage": 4, "torch HalfStorage": 2, "torch BFloat16Storage": 2,
    "torch LongStorage": 8, "torch IntStorage": 4, "torch ShortStorage": 2, "torch CharStorage": 1,
    "torch ByteStorage": 1, "torch BoolStorage": 1, "torch ComplexDoubleStorage": 16, "torch ComplexFloatStorage": 8,
    "torch.storage UntypedStorage": 1,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scan:
    """Globals beyond tensors, bytes of each storage by its key, and every text that the pickle holds at its top."""

    foreign: frozenset[str]
    storages: dict[str, int]
    texts: frozenset[str]


# What torch's unpickler understands. Its effect: whether all down to a mark is taken, then how many, and how many put.
_UNDERSTOOD = """
NEWOBJ REDUCE BUILD APPEND APPENDS SETITEM SETITEMS MARK TUPLE TUPLE1 TUPLE2 TUPLE3 NONE NEWFALSE NEWTRUE EMPTY_TUPLE
EMPTY_LIST EMPTY_DICT EMPTY_SET BININT BININT1 BININT2 BINFLOAT BINUNICODE SHORT_BINSTRING BINPERSID BINGET LONG_BINGET
BINPUT LONG_BINPUT LONG1 PROTO STOP GLOBAL
""".split()


def _effect(opcode: pickletools.OpcodeInfo) -> tuple[bool, int, int]:
    before = opcode.stack_before
    marked = pickletools.markobject in before
    return marked, before.index(pickletools.markobject) if marked else len(before), len(opcode.stack_after)


_EFFECTS = {one.name: _effect(one) for one in pickletools.opcodes if one.name in _UNDERSTOOD}
_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
_MOST = 1_000_000  # operations, of which a tensor takes 26: some seconds


@dataclass(slots=True)
class _Machine:
    """The stack of an unpickler that makes nothing: texts, numbers, globals and tuples of them, None for all else."""

    stack: list[Any] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    memo: dict[Any, Any] = field(default_factory=dict)
    foreign: set[str] = field(default_factory=set)
    storages: dict[str, int] = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)

    def step(self, name: str, value: Any) -> None:
        if name == "MARK":
            self.marks.append(len(self.stack))
        elif name == "BINPUT" or name == "LONG_BINPUT":
            self.memo[value] = self.stack[-1]
        elif name == "BINGET" or name == "LONG_BINGET":
            self.stack.append(self.memo[value])
        elif name == "TUPLE" or name in _TUPLES:
            start = self.marks.pop() if name == "TUPLE" else len(self.stack) - _TUPLES[name]
            self.stack[start:] = [tuple(self.stack[start:])]
        elif name == "BINPERSID":
            self._claim(self.stack.pop())
            self.stack.append(None)
        else:
            self._generic(name, value)

    def _generic(self, name: str, value: Any) -> None:
        """Take from the stack what the operation takes, and put there what it names, or None."""
        marked, taken, put = _EFFECTS[name]
        if marked:
            del self.stack[self.marks.pop() :]
        if taken:
            del self.stack[-taken:]
        if put:
            self.stack.append(value)
        if isinstance(value, str):
            self.texts.add(value)
            if name == "GLOBAL" and value not in _KNOWN and value not in STORAGES and not _DTYPE.fullmatch(value):
                self.foreign.add(".".join(value.split(" ")))

    def _claim(self, claim: Any) -> None:
        """A storage: ("storage", class, key, location, elements), and in old files what it is a view of."""
        kind, storage, key, _, count, *_ = claim
        if kind != "storage" or not isinstance(key, str) or not isinstance(count, int) or count < 0:
            raise ValueError("it asks for something that is no storage")
        nbytes = count * STORAGES.get(storage, 0)  # of a class that is not here it is foreign
        if self.storages.setdefault(key, nbytes) != nbytes:
            raise ValueError(f"it claims two sizes for one storage: {self.storages[key]:,} and {nbytes:,} bytes")


def scan(stream: IO[bytes]) -> Scan:
    """Read one pickle from a stream, to its end. Raises ValueError where it is none that torch.save writes."""
    machine = _Machine()
    try:
        for count, (opcode, value, _) in enumerate(pickletools.genops(stream)):
            if opcode.name not in _EFFECTS:
                raise ValueError(f"its pickle has {opcode.name}, which torch.save does not write")
            if count > _MOST:
                raise ValueError(f"its pickle has more than {_MOST:,} operations")
            machine.step(opcode.name, value)
    except (KeyError, IndexError, TypeError) as error:
        raise ValueError(f"its pickle is not one that torch.save writes ({type(error).__name__})") from None
    return Scan(frozenset(machine.foreign), machine.storages, frozenset(machine.texts))
