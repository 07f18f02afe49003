"""Which of a file's tensors is meant: the only one, or the one that the key names."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence

from gradcli.engine.files.opening import Opened

_LISTED = 20  # names in a message
_COMPARED = 5_000  # names that a wrong key is compared with
_WIDTH = 80  # characters of a name in a message


def choose(opened: Opened, key: str | None, names: Sequence[str], describe: Callable[[str], str]) -> str:
    """The name that `key` means among `names`. `describe` gives dtype and shape of one, read only where it is shown.

    Raises GradcliError of kind file that lists the names near a wrong key, and all where the key is missing.
    """
    if not names:
        raise opened.refused("holds no tensor")
    if key is None and len(names) == 1:
        return names[0]
    if key is None:
        listed = _listed(names, lambda name: f"{_short(name)} {describe(name)}")
        raise opened.refused(f"holds {len(names):,} tensors, and no key says which", f"add :KEY; there are {listed}")
    if key not in names:
        near = _near(key, names)
        hint = f"did you mean {_listed(near, _short)}?" if near else f"there are {_listed(names, _short)}"
        raise opened.refused(f"has no tensor '{_short(key)}'", hint)
    return key


def without_key(opened: Opened, key: str | None) -> None:
    """Refuse a key for what holds one unnamed tensor."""
    if key is not None:
        raise opened.refused(f"holds one tensor without a name, and '{_short(key)}' was asked for", "leave the key out")


def described(dtype: str, shape: Sequence[int]) -> str:
    """float32 [2, 3]"""
    return f"{dtype} {list(shape)}"


def _near(key: str, names: Sequence[str]) -> list[str]:
    """Names that are spelled alike, then those that the key is a part of."""
    alike = difflib.get_close_matches(key, names[:_COMPARED], 5)
    inside = [name for name in names if key.casefold() in name.casefold()] if key.strip() else []
    return list(dict.fromkeys([*alike, *inside[:5]]))


def _listed(names: Sequence[str], shown: Callable[[str], str]) -> str:
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return ", ".join(map(shown, names[:_LISTED])) + more


def _short(name: str) -> str:
    return name if len(name) <= _WIDTH else f"{name[: _WIDTH - 1]}…"
