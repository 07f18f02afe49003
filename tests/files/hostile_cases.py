"""Tables of hostile and broken files: what is wrong with each, how it is made, and what is said of it."""

from __future__ import annotations

import _codecs
import pickle
import zipfile
from collections.abc import Callable

import numpy
import torch

from tests.files.hostile import (
    COMPRESSION,
    ELEMENTS,
    EXTENT,
    FLAGS,
    KEY,
    PLACE,
    SIZE,
    STRIDE,
    Calls,
    Runs,
    archive,
    claiming,
    doubling,
    four,
    long,
    long_directory,
    npy,
    npy_header,
    part,
    pt,
    safetensors,
    saved_npy,
    saved_pt,
    swapped,
    without,
    without_its_keys,
)  # fmt: skip

TERA = 10**12
ONES = saved_npy(numpy.ones(100))
OBJECTS = saved_npy(numpy.array([Runs()], dtype=object))
ALONE = "nothing of it was run"

Made = Callable[[], bytes]

NPY: list[tuple[str, Made, str]] = [
    ("claims more than the file", lambda: npy((TERA,)), "is damaged: its header claims 7.3 TB of numbers, and 0 bytes are there"),
    ("one byte short", lambda: ONES[:-1], "is damaged: its header claims 800 bytes of numbers, and 799 bytes are there"),
    ("a negative size", lambda: npy((-1,)), "is damaged: its header claims the shape [-1]"),
    ("a size beyond numbers", lambda: npy((0, 2**70)), f"is damaged: its header claims the shape [0, {2**70}]"),
    ("an overflow", lambda: npy((0, 2**31, 2**31)), "is damaged: its header claims the shape [0, 2147483648, 2147483648]"),
    ("65 dimensions", lambda: npy((1,) * 65, data=bytes(8)), "has 65 dimensions, and at most 64 are read"),
    ("another version", lambda: npy_header("{}", version=b"\x09\x00"), "is damaged: version 9.0 of .npy is not one that arrays of numbers have"),
    ("a long header", lambda: npy_header("{" + " " * 20_000 + "}"), "is damaged: it has no header that can be read"),
    ("code for a header", lambda: npy_header("open('RAN', 'w')"), "is damaged: it has no header that can be read"),
    ("brackets for a header", lambda: npy_header("(" * 3_000), "is damaged: it has no header that can be read"),
    ("a list for a header", lambda: npy_header("[1]"), "is damaged: it has no header that can be read"),
    ("no such dtype", lambda: npy((1,), "'<q9'", bytes(9)), "is damaged: it has no header that can be read"),
    ("a huge dtype", lambda: npy((1,), "('<f8', (1000000, 1000000))", bytes(8)), "is damaged: it has no header that can be read"),
    ("ends early", lambda: ONES[:40], "is damaged: it ends within its header"),
    ("not .npy", lambda: b"hello", "does not begin as an .npy file does"),
    ("empty", lambda: b"", "is empty"),
    ("objects", lambda: OBJECTS, "holds Python objects, which can be code: none was run"),
]  # fmt: skip

NPZ: list[tuple[str, Made, str]] = [
    ("claims more", lambda: archive({"w.npy": npy((TERA,))}), "is damaged: its header claims 7.3 TB of numbers, and 0 bytes are there"),
    ("a directory that claims more", lambda: claiming(archive({"w.npy": ONES}), SIZE, 2**31), "is damaged: 'w.npy' cannot be as large as its directory claims"),
    ("a directory that claims less", lambda: claiming(archive({"w.npy": ONES}), SIZE, 500), "is damaged: Bad CRC-32 for file 'w.npy'"),
    ("a directory that points elsewhere", lambda: claiming(archive({"w.npy": ONES}), PLACE, 2**31), "is damaged: Truncated file header"),
    ("encrypted", lambda: claiming(archive({"w.npy": ONES}), FLAGS, 1), "is encrypted"),
    ("another compression", lambda: claiming(archive({"w.npy": ONES}), COMPRESSION, 99), "holds 'w.npy' in a compression that numpy does not write"),
    ("bzip2", lambda: archive({"w.npy": ONES}, zipfile.ZIP_BZIP2), "holds 'w.npy' in a compression that numpy does not write"),
    ("changed numbers", lambda: archive({"w.npy": ONES}).replace(b"\xf0?", b"\xf0@", 1), "is damaged: Bad CRC-32 for file 'w.npy'"),
    ("a bomb", lambda: archive({"w.npy": npy((10**8,), data=bytes(8 * 10**7))}, 8), "is damaged: its header claims 763 MB of numbers, and 76.3 MB are there"),
    ("a long directory", lambda: long_directory(archive({"w.npy": ONES}), 20 << 20), "has a directory that is longer than any that would be read"),
    ("cut short", lambda: archive({"w.npy": ONES})[:-30], "is damaged: the directory at its end is missing, or not whole"),
    ("nothing in it", lambda: archive({}), "holds no tensor"),
    ("nothing of numpy in it", lambda: archive({"read.me": b"x"}), "holds no tensor"),
    ("objects", lambda: archive({"w.npy": OBJECTS}), "holds Python objects, which can be code: none was run"),
    ("not .npz", lambda: b"hello", "does not begin as an .npz file does"),
]  # fmt: skip

PT: list[tuple[str, Made, str]] = [
    ("code", lambda: saved_pt(Runs()), f"holds more than tensors (io.open): {ALONE}"),
    ("code beside tensors", lambda: saved_pt({**four(), "x": Runs()}), f"holds more than tensors (io.open): {ALONE}"),
    ("code, as before 1.6", lambda: saved_pt(Runs(), old=True), f"holds more than tensors (io.open): {ALONE}"),
    ("code in a later pickle", lambda: pt(lambda _: pickle.dumps(Runs(), 4)), "is damaged: its pickle has FRAME, which torch.save does not write"),
    ("code in an early pickle", lambda: pt(lambda _: pickle.dumps(Runs(), 0)), "is damaged: its pickle has PUT, which torch.save does not write"),
    ("a plain pickle", lambda: pickle.dumps(Runs()), "is a pickle that torch.save did not write, which can hold code: none was run"),
    ("a module", lambda: saved_pt(torch.nn.Linear(2, 2)), f"holds more than tensors (torch.nn.modules.linear.Linear): {ALONE}"),
    ("all memory, which torch would give", lambda: saved_pt(Calls(bytearray, TERA)), f"holds more than tensors (__builtin__.bytearray): {ALONE}"),
    ("the same, as before 1.6", lambda: saved_pt(Calls(bytearray, TERA), old=True), f"holds more than tensors (__builtin__.bytearray): {ALONE}"),
    ("memory that nobody wrote", lambda: saved_pt(Calls(torch.FloatTensor, 8)), f"holds more than tensors (torch.FloatTensor): {ALONE}"),
    ("codecs", lambda: saved_pt(Calls(_codecs.encode, "a", "rot13")), f"holds more than tensors (_codecs.encode): {ALONE}"),
    ("a storage beyond the file", lambda: pt(swapped((ELEMENTS, b"cpuq\x06" + long(TERA)))), "is damaged: it claims a storage of 3.6 TB, and holds 16 bytes"),
    ("a storage beyond its record", lambda: pt(swapped((ELEMENTS, b"cpuq\x06K\x05"))), "is damaged: it claims a storage of 20 bytes, and holds 16 bytes"),
    ("a storage short of its record", lambda: pt(swapped((ELEMENTS, b"cpuq\x06K\x03"))), "is damaged: it claims a storage of 12 bytes, and holds 16 bytes"),
    ("a tensor beyond its storage", lambda: pt(swapped((EXTENT, b"QK\x00K\x05\x85"))), "is damaged: a tensor in it reaches beyond its storage"),
    ("an offset beyond it", lambda: pt(swapped((EXTENT, b"QK\x01K\x04\x85"))), "is damaged: a tensor in it reaches beyond its storage"),
    ("a stride beyond it", lambda: pt(swapped((STRIDE, b"K\x02\x85"))), "is damaged: a tensor in it reaches beyond its storage"),
    ("no record", lambda: without("data/0"), "is damaged: it claims a storage of 16 bytes, and holds 0 bytes"),
    ("a record elsewhere", lambda: pt(swapped((KEY, b"X\x04\x00\x00\x00../0"))), "is damaged: it claims a storage of 16 bytes, and holds 0 bytes"),
    ("something that is no storage", lambda: pt(swapped((b"storage", b"storeys"))), "is damaged: it asks for something that is no storage"),
    ("a pickle that is none", lambda: pt(lambda _: b"\xff"), "is damaged: at position 0, opcode b'\\xff' unknown"),
    ("a pickle that ends early", lambda: pt(lambda pickled: pickled[:-1]), "is damaged: pickle exhausted before seeing STOP"),
    ("a stack that is empty", lambda: pt(lambda _: b"\x80\x02Q."), "is damaged: its pickle is not one that torch.save writes (IndexError)"),
    ("ten million lists", lambda: pt(lambda _: b"]" * 7_000_000), "is damaged: its pickle has more than 1,000,000 operations"),
    ("a long pickle", lambda: pt(lambda _: b"]" * (9 << 20)), "lists its tensors in 9.0 MB, and at most 8.0 MB are read"),
    ("a pickle that expands", lambda: archive({"a/data.pkl": bytes(100 << 20)}, 8), "lists its tensors in 100 MB, and at most 8.0 MB are read"),
    ("a second pickle", lambda: archive({"a/data.pkl": b""}, twice="a/DATA.pkl"), "is damaged: its directory names a member twice"),
    ("TorchScript", lambda: pt(more={"archive/constants.pkl": b""}), "is a TorchScript archive, which holds code: none was run"),
    ("an archive of something", lambda: archive({"x/data.pkl/y": b""}), "ends in .pt, and begins as .npz files do"),
    ("cut short", lambda: pt()[:-30], "is damaged: the directory at its end is missing, or not whole"),
    ("no tensor", lambda: saved_pt({"lr": 0.1}), "holds no tensor"),
    ("lists in lists", lambda: saved_pt(doubling()), "holds no tensor"),
    ("sparse", lambda: saved_pt(torch.eye(2).to_sparse()), f"holds more than tensors (torch._utils._rebuild_sparse_tensor): {ALONE}"),
    ("old, cut short", lambda: saved_pt(four(), old=True)[:-8], "is damaged: it claims 24 bytes of storages, and holds 16 bytes"),
    ("old, storages beyond the file", lambda: swapped((ELEMENTS, b"cpuq\x06" + long(TERA)))(saved_pt(four(), old=True)), "is damaged: it claims 3.6 TB of storages, and holds 24 bytes"),
    ("old, a tensor beyond its storage", lambda: swapped((EXTENT, b"QK\x00K\x05\x85"))(saved_pt(four(), old=True)), "is damaged: a tensor in it reaches beyond its storage"),
    ("old, memory that nobody wrote", lambda: without_its_keys(saved_pt(four(), old=True)), "is damaged: it claims 1 storages that it does not hold"),
    ("not .pt", lambda: b"hello", "does not begin as a file of torch.save does"),
]  # fmt: skip

SAFETENSORS: list[tuple[str, Made, str]] = [
    ("numbers missing", lambda: safetensors({"w": part(0, 8)}, bytes(4)), "is damaged: incomplete metadata, file not fully covered"),
    ("an offset elsewhere", lambda: safetensors({"w": part(8, 16)}, bytes(16)), "is damaged: invalid offset for tensor `w`"),
    ("offsets that overlap", lambda: safetensors({"w": part(0, 8), "v": part(4, 12)}, bytes(12)), "is damaged: invalid offset for tensor `v`"),
    ("offsets turned round", lambda: safetensors({"w": part(8, 0)}, bytes(8)), "is damaged: invalid offset for tensor `w`"),
    ("a shape beyond its numbers", lambda: safetensors({"w": part(0, 8, (TERA,))}, bytes(8)), "is damaged: invalid shape, data type, or offset for tensor"),
    ("an overflow", lambda: safetensors({"w": part(0, 8, (2**62, 4))}, bytes(8)), "is damaged: overflow computing buffer size from shape and/or element type"),
    ("no such dtype", lambda: safetensors({"w": part(0, 8, dtype="X9")}, bytes(8)), "is damaged: invalid JSON in header: unknown variant `X9`"),
    ("half bytes", lambda: safetensors({"w": part(0, 1, dtype="F4")}, bytes(1)), "holds F4, which torch does not compute in"),
    ("a header beyond the file", lambda: safetensors({}, length=TERA), "is damaged: its header claims 931 GB, and 2 bytes are there"),
    ("a long header", lambda: safetensors({}, bytes(9 << 20), 9 << 20), "lists its tensors in 9.0 MB, and at most 8.0 MB are read"),
    ("not JSON", lambda: safetensors(b"nothing"), "is damaged: invalid JSON in header: expected ident at line 1 column 2"),
    ("no tensor", lambda: safetensors({}), "holds no tensor"),
    ("three bytes", lambda: b"abc", "is damaged: its header claims 6.2 MB, and 0 bytes are there"),
]  # fmt: skip

CSV: list[tuple[str, Made, str]] = [
    ("ragged", lambda: b"1,2\n3\n", "is ragged: row 2 has 1 numbers, and those before it 2"),
    ("text", lambda: b"a,b\n1,2\n3,x\n", "has 'x' in row 2, column 2, which is not a number"),
    ("an empty field", lambda: b"1,,3\n", "has an empty field in row 1, column 2, which is not a number"),
    ("underscores", lambda: b"1_000,2\n", "has '1_000' in row 1, column 1, which is not a number"),
    ("too large for a float", lambda: b"inf,1e400\n", "holds a number too large for a float64"),
    ("too large for an int", lambda: b"99999999999999999999,1\n", "has '99999999999999999999' in row 1, column 1, which does not fit int64"),
    ("names alone", lambda: b"a,b\n", "holds no numbers below its first row"),
    ("blank", lambda: b"\n\n# nothing\n", "holds no numbers"),
    ("Latin-1", lambda: "1,2\n3,é\n".encode("latin-1"), "is not UTF-8 text"),
    ("bytes", lambda: b"\x00\x01\x02", "is not text"),
    ("an array", lambda: ONES, "ends in .csv, and begins as .npy files do"),
]  # fmt: skip

BY_SUFFIX = {".npy": NPY, ".npz": NPZ, ".pt": PT, ".safetensors": SAFETENSORS, ".csv": CSV}
