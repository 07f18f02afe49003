"""torch in the background: loaded while a person types, so that the first answer need not wait for it."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib.util
import sys
import threading
from pathlib import Path

from gradcli.errors import GradcliError

_OFTEN = 0.001  # seconds that the loading thread holds the interpreter at a time: a key is answered after that


class Loading:
    """torch, loaded by a thread from `start` on; `wait` returns when it is there."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None

    def start(self) -> None:
        """Begin, once."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._load, daemon=True)
            self._thread.start()

    def wait(self) -> None:
        """Wait until torch is there. Raises GradcliError of kind torch where it cannot be imported."""
        self.start()
        while self._thread is not None and self._thread.is_alive():
            self._thread.join(0.1)  # in slices: Ctrl-C is heard between them
        if self._failure is not None:
            raise refusal(self._failure) from self._failure

    def _load(self) -> None:
        before = sys.getswitchinterval()
        sys.setswitchinterval(_OFTEN)
        try:
            _map_library()
            _first_answer()
        except BaseException as error:  # told when an answer needs torch
            self._failure = error
        finally:
            sys.setswitchinterval(before)
            gc.freeze()  # what was imported is kept: collections need not look at it again
            gc.enable()


def refusal(failure: BaseException) -> GradcliError:
    """Why torch is not there, as an error like any other."""
    reason = " ".join(str(failure).split()) or type(failure).__name__
    return GradcliError("torch", f"torch could not be loaded: {reason}", hint="python -c 'import torch' tells more")


def _map_library() -> None:
    """Let the system load torch's largest library without holding the interpreter, as an import would for 0.5 s."""
    with contextlib.suppress(Exception):
        found = importlib.util.find_spec("torch")
        for folder in (found.submodule_search_locations or ()) if found and sys.platform == "linux" else ():
            library = Path(folder) / "lib" / "libtorch_cpu.so"
            if library.exists():
                ctypes.CDLL(None).dlopen(str(library).encode(), ctypes.DEFAULT_MODE | 2)  # 2: RTLD_NOW


def _first_answer() -> None:
    """One small answer: it imports all that answers need."""
    from gradcli.commands.grad import grad

    grad("A*5", at=5.0)
