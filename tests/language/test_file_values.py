"""`@path:key` as it is written: where the path ends, and what is not one."""

from __future__ import annotations

import pytest

from gradcli.errors import GradcliError
from gradcli.language.files import FileValue, looks_like_file, read_file_value
from gradcli.language.values import read_value, split_name

WRITTEN = [
    ("@w.npy", "w.npy", None),
    (" @w.npy \n", "w.npy", None),
    ("@dir/w.npz:key", "dir/w.npz", "key"),
    ("@w.pt:layer.0.weight", "w.pt", "layer.0.weight"),
    ("@w.pth:a:b", "w.pth", "a:b"),
    ("@w.safetensors:a/b c", "w.safetensors", "a/b c"),
    ("@w.pt:x.npz:y", "w.pt", "x.npz:y"),
    ("@w.pt.npz:y", "w.pt.npz", "y"),
    ("@W.NPZ:Key", "W.NPZ", "Key"),
    ("@C:\\data\\w.npy", "C:\\data\\w.npy", None),
    ("@C:\\data\\w.npz:key", "C:\\data\\w.npz", "key"),
    ("@we:ird.npy", "we:ird.npy", None),
    ("@~/w.csv", "~/w.csv", None),
    ("@w", "w", None),
    ("@w.bin:key", "w.bin:key", None),
    ("@-", "-", None),
    ("@-:key", "-", "key"),
    ("@-x.npy", "-x.npy", None),
    ("@@w.npy", "@w.npy", None),
    ("@имя.npy", "имя.npy", None),
    ("@n\udcff.npy", "n\udcff.npy", None),
]


@pytest.mark.parametrize(("text", "path", "key"), WRITTEN)
def test_a_file_is_a_path_and_a_key(text: str, path: str, key: str | None) -> None:
    assert read_value(text) == FileValue(path, key)
    assert read_file_value(text) == FileValue(path, key)


@pytest.mark.parametrize(("path", "suffix"), [("w.NPY", ".npy"), ("a.b/w", ""), ("w.tar.gz", ".gz"), ("-", "")])
def test_the_suffix_says_the_format(path: str, suffix: str) -> None:
    assert FileValue(path).suffix == suffix


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@", "no file is named after @"),
        ("  @ ", "no file is named after @"),
        ("@w.pt:", "no key is named after w.pt:"),
        ("@-:", "no key is named after -:"),
    ],
)
def test_half_a_file_is_refused(text: str, message: str) -> None:
    with pytest.raises(GradcliError) as caught:
        read_value(text, "A")
    error = caught.value
    assert (error.kind, error.message, error.source) == ("file", message, text)
    assert error.hint == "such as @w.npy or @w.npz:key"


def test_a_name_may_stand_before_it() -> None:
    assert split_name("A=@w.pt:a=b") == ("A", "@w.pt:a=b")
    assert split_name("@x=1.npy") == (None, "@x=1.npy")


FORGOTTEN = ["w.npy", "dir/w.pt:layer.weight", "w.npz:W", "C:\\w.npy", "'w.csv'", "W.PTH"]


@pytest.mark.parametrize("text", FORGOTTEN)
def test_a_path_without_its_at_is_recognised(text: str) -> None:
    with pytest.raises(GradcliError) as caught:
        read_value(text, "A")
    written = text.strip("'")
    assert caught.value.hint == f"a file is written @{written}"


@pytest.mark.parametrize("text", ["w.bin", "hello", "A.T", "randn(3)", "[w.npy]", "w.npy + 1"])
def test_other_texts_are_no_paths(text: str) -> None:
    assert not looks_like_file(text)
