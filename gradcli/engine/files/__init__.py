"""Values from files: each becomes a tensor once, before anything is evaluated.

Sizes are read before data, and a file can run no code. A new format is one file beside this one and its row in
formats.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from gradcli.engine.defaults import COMPLEX_OF
from gradcli.engine.evaluate import Settings
from gradcli.engine.files import formats, piped
from gradcli.engine.files.opening import open_file, read_standard_input
from gradcli.engine.files.read import Read
from gradcli.engine.memory import budget
from gradcli.language.files import STANDARD_INPUT, FileValue, Loading
from gradcli.language.values import Given


def loaded(given: Sequence[Given], dtype: torch.dtype | None, settings: Settings) -> tuple[Given, ...]:
    """The same values, those of files read. Standard input is read once, for all that ask for a part of it.

    Floating numbers take on `dtype` where one is asked for, and keep their own otherwise; numbers in text take on the
    default as written ones do. Raises GradcliError of kind file, with nothing run and nothing written.
    """
    room = budget(settings.memory)
    asks_input = any(isinstance(one.data, FileValue) and one.data.path == STANDARD_INPUT for one in given)
    standard_input = read_standard_input(room) if asks_input else None
    values: list[Given] = []
    for one in given:
        if not isinstance(one.data, FileValue):
            values.append(one)
        elif standard_input is not None and one.data.path == STANDARD_INPUT:
            read = piped.read(standard_input, one.name, one.data)
            if isinstance(read, Read):
                values.append(one._replace(data=_converted(read, one.constant, dtype, settings)))
            else:
                values.append(one._replace(data=read[0], text=read[1]))
        else:
            opened = open_file(one.data.path, room)
            with opened.file:
                read = formats.read(opened, one.data)
            loading = Loading(read.imports, read.code, str(read.tensor.dtype).removeprefix("torch."))
            values.append(one._replace(data=_converted(read, one.constant, dtype, settings), loading=loading))
    return tuple(values)


def _converted(read: Read, constant: bool, dtype: torch.dtype | None, settings: Settings) -> torch.Tensor:
    """The tensor in the dtype and on the device of the evaluation. Whole numbers stay whole, except written ones."""
    tensor = read.tensor
    wanted = settings.dtype if constant else dtype
    if read.written and wanted is None:
        wanted = torch.get_default_dtype()
    if wanted is not None and tensor.is_complex() and not wanted.is_complex:
        wanted = COMPLEX_OF.get(wanted, torch.complex64)
    floating = tensor.is_floating_point() or tensor.is_complex() or (read.written and not constant)
    return tensor.to(device=settings.device, dtype=wanted if floating else None)
