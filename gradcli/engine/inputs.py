"""Values to tensors: what is given becomes leaves that require grad, or constants."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from gradcli.engine.defaults import COMPLEX_OF, REAL_OF
from gradcli.engine.evaluate import Settings, run
from gradcli.engine.memory import Room
from gradcli.engine.operations import operand_value
from gradcli.engine.sizing import admit_answer
from gradcli.errors import GradcliError
from gradcli.language.files import FileValue
from gradcli.language.program import Program
from gradcli.language.values import Given, check_shape, kinds

# Dtypes that inputs may have; float8 ones serve inputs only, as torch has no arithmetic in them.
DTYPES: dict[str, torch.dtype] = {
    name: getattr(torch, name)
    for name in (
        "float16", "float32", "float64", "bfloat16", "half", "float", "double", "complex32", "complex64", "complex128",
        "cfloat", "cdouble", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz",
    )
    if hasattr(torch, name)
}  # fmt: skip
WHOLE = frozenset(
    ["bool", "uint8", "int8", "int16", "int32", "int64", "short", "int", "long", "uint16", "uint32", "uint64"]
)


def dtype_of(name: Any) -> torch.dtype | None:
    """The dtype that `--dtype` names, or None for torch's default. Raises GradcliError of kind value."""
    if name is None:
        return None
    shown = str(name).removeprefix("torch.")
    if shown in WHOLE:
        raise GradcliError(
            "value",
            f"{shown} cannot carry gradients: only floating and complex numbers can require grad",
            hint="give whole numbers with --const",
            code="G106",
        )
    if shown not in DTYPES:
        raise GradcliError("value", f"unknown dtype '{shown}'", hint=f"one of {', '.join(DTYPES)}")
    return DTYPES[shown]


def dtype_name(dtype: torch.dtype) -> str:
    """The name of a dtype without its module: float32."""
    return str(dtype).removeprefix("torch.")


def device_of(name: Any) -> torch.device | None:
    """The device that `--device` names, or None for torch's default. Raises GradcliError of kind value."""
    if name is None:
        return None
    try:
        device = torch.device(name)
        if device.type != "meta":
            torch.zeros(1, device=device)
            return device
    except Exception:
        pass
    raise GradcliError("value", f"no device '{name}' here", hint=f"present: {', '.join(present_devices())}")


def present_devices() -> list[str]:
    """The devices that this machine offers to torch."""
    found = ["cpu"]
    if torch.cuda.is_available():
        found += [f"cuda:{index}" for index in range(torch.cuda.device_count())]
    if torch.backends.mps.is_available():
        found.append("mps")
    return found


def settings_of(dtype: torch.dtype | None, device: torch.device | None, memory: int | None = None) -> Settings:
    """Settings of an evaluation: its default is the real part of a complex dtype; float8 leaves the default alone."""
    default = REAL_OF.get(dtype, dtype) if dtype is not None else None
    if default is not None and default.itemsize == 1:
        default = None
    return Settings(default, device, memory)


def make_tensor(given: Given, dtype: torch.dtype | None, settings: Settings, copy: bool) -> torch.Tensor:
    """The tensor of one value: a leaf that requires grad, or a constant.

    `copy`: a foreign tensor is cloned, because the program may write. It keeps its dtype whatever `dtype` says.
    """
    if type(given.data) is float and not given.constant:
        return torch.tensor(given.data, dtype=dtype, device=settings.device, requires_grad=True)  # the most common
    what = f"the value of {given.name}"
    if type(given.data) in (list, tuple, int, float, complex):
        tensor = _from_numbers(given, dtype, settings, what)
        return tensor if given.constant else tensor.requires_grad_(True)
    if isinstance(given.data, FileValue):
        from gradcli.engine.files import loaded

        (given,) = loaded((given,), dtype, settings)
    if isinstance(given.data, Program):
        tensor = _from_program(given.data, settings, what)
        if dtype is not None and not given.constant and tensor.is_floating_point():
            tensor = tensor.to(dtype)
    elif isinstance(given.data, torch.Tensor):
        tensor = given.data.detach()
        tensor = tensor.clone() if copy or tensor.is_inference() else tensor
    elif hasattr(given.data, "__array__") or hasattr(given.data, "__array_interface__"):
        tensor = _from_array(given.data, what)
    else:
        tensor = _from_numbers(given, dtype, settings, what)
    if given.constant:
        return tensor
    if not (tensor.is_floating_point() or tensor.is_complex()):
        raise GradcliError(
            "value",
            f"{given.name} is {dtype_name(tensor.dtype)}: whole numbers and booleans cannot require grad",
            hint=f"give it with --const {given.name}=..., or as floating numbers", code="G106",
        )  # fmt: skip
    return tensor.requires_grad_(True)


def _from_program(program: Program, settings: Settings, what: str) -> torch.Tensor:
    try:
        values = run(program, {}, settings, "no_grad")
        made = operand_value(program.outputs[0].operand, values)
        if not isinstance(made, torch.Tensor):
            raise GradcliError("value", f"{what} is not a tensor: {program.source.strip()}")
        admit_answer([made], program.outputs[0].span, Room(settings.memory))
    except GradcliError as error:
        error.source, error.what = program.source, what
        raise
    return made.detach()


def _from_array(array: Any, what: str) -> torch.Tensor:
    """A copy of a numpy array, or of what gives itself as one. Without numpy, torch reads what it can."""
    try:
        import numpy
    except ImportError:
        return torch.tensor(array)
    from gradcli.engine.files import dtypes

    copied = numpy.array(array)
    if refusal := dtypes.of_numpy(copied.dtype):
        raise GradcliError("value", f"{what} {refusal[0]}", hint=refusal[1])
    return dtypes.to_tensor(copied)


def _from_numbers(given: Given, dtype: torch.dtype | None, settings: Settings, what: str) -> torch.Tensor:
    data = given.data
    check_shape(data, what)
    written = kinds(data)
    if given.constant and written <= {int, bool}:
        target = None
    elif written == {bool}:
        raise GradcliError(
            "value",
            f"{given.name} is made of booleans, which cannot require grad",
            hint=f"give it with --const {given.name}=...",
            code="G106",
        )
    else:
        default = dtype if dtype is not None else torch.get_default_dtype()
        target = COMPLEX_OF.get(default, torch.complex64) if complex in written and not default.is_complex else default
    try:
        return torch.tensor(data, dtype=target, device=settings.device)
    except (RuntimeError, ValueError, TypeError, OverflowError) as error:
        reason = "whole numbers end at 2**63" if target is None else str(error)
        raise GradcliError("value", f"{what} does not fit {dtype_name(target or torch.int64)}: {reason}") from None


def copies(inputs: Iterable[torch.Tensor]) -> list[torch.Tensor]:
    """Fresh leaves with the same values and flags, for another evaluation."""
    return [one.detach().clone().requires_grad_(one.requires_grad) for one in inputs]


def double_point(given: Iterable[Given]) -> tuple[dict[str, torch.Tensor], list[str]]:
    """Values in float64, detached, and what is to be said of those that were passed in otherwise."""
    point: dict[str, torch.Tensor] = {}
    remarks: list[str] = []
    settings = settings_of(torch.float64, None)
    for one in given:
        tensor = make_tensor(one, torch.float64, settings, False).detach()
        if isinstance(one.data, torch.Tensor) and tensor.is_floating_point() and tensor.dtype != torch.float64:
            kind = dtype_name(tensor.dtype)
            remarks.append(f"{one.name} is {kind}: differences need float64, so a float64 copy is checked.")
        if tensor.numel() > 1 and 0 in tensor.stride():
            remarks.append(f"{one.name} shares memory between its elements: a copy with memory of its own is checked.")
        point[one.name] = (tensor.double() if tensor.is_floating_point() else tensor).contiguous().clone()
    return point, remarks
