"""Files of tensors as numpy and PyTorch write them, in every kind, order, version and rank, for the tests of src/io.

expected.safetensors holds what is to be read from them: FILE/NAME, float32, converted by numpy and PyTorch. The array of
an .npy has no name.
"""

import json
import struct

import numpy as np
import torch

import safetensors_file

SHAPES = [(), (7,), (3, 5), (2, 3, 4), (2, 1, 3, 2), (2, 1, 3, 1, 2)]

FLOATS = [
    1.0, -0.0, 0.1, -2.5, np.inf, -np.inf, np.nan, 6e-8, 5.9e-5, 65504.0, -65520.0, 1e-40, 3.4028235e38, 1e39, 1 / 3,
    1 + 2**-11, 1 + 3 * 2**-11, 16777217.0, 1 + 2**-24, 1 + 3 * 2**-24, 1e-46, -7.0, 1024.5,
]  # fmt: skip
INTEGERS = [
    0, 1, -1, 127, -128, 255, 32767, -32768, 65535, 2**24 + 1, 2**31 - 1, -(2**31), 2**32 - 1, 2**53 + 1, 2**63 - 1,
    -(2**63), 2**64 - 1, 2**62 + 2**38 + 1, 42,
]  # fmt: skip

NUMPY_KINDS = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
TORCH_KINDS = {
    "BOOL": torch.bool, "U8": torch.uint8, "I8": torch.int8, "I16": torch.int16, "I32": torch.int32, "I64": torch.int64,
    "F16": torch.float16, "BF16": torch.bfloat16, "F32": torch.float32, "F64": torch.float64,
}  # fmt: skip


def numbers(kind, shape, start):
    """An array of that kind and shape with what is hard in it, beginning with another number each time."""
    kind = np.dtype(kind)
    if kind.kind == "f":
        hard = np.array(FLOATS, np.float64).astype(kind)
    elif kind.kind == "b":
        hard = np.array([True, False, False, True, True])
    else:
        limits = np.iinfo(kind)
        hard = np.array([n for n in INTEGERS if limits.min <= n <= limits.max], kind)
    return np.resize(np.roll(hard, -start), shape).astype(kind)


def _npy_files():
    """name -> (array, version): every kind in both byte orders, then versions, orders and ranks."""
    files = {}
    for i, kind in enumerate(NUMPY_KINDS):
        files[f"{kind.replace('?', 'b1')}.npy"] = (numbers("<" + kind, (3, 8), i), (1, 0))
    for i, kind in enumerate(["i2", "u4", "i8", "f2", "f4", "f8"]):
        files[f"big-{kind}.npy"] = (numbers(">" + kind, (2, 12), i), (1, 0))
    for rank, shape in enumerate(SHAPES):
        files[f"rank-{rank}.npy"] = (numbers("<f4", shape, rank), (2, 0))
        files[f"fortran-{rank}.npy"] = (np.asfortranarray(numbers(">f8", shape, rank)), (3, 0))
    files["none.npy"] = (np.zeros((3, 0, 2), "<f4"), (1, 0))
    return files


def _npz_arrays():
    arrays = {}
    for i, kind in enumerate(NUMPY_KINDS):
        arrays[kind.replace("?", "b1")] = numbers("<" + kind, (4, 9), i)
    arrays["layers.0.attn"] = np.full((1, 2, 40, 40), 0.025, np.float32)
    arrays["é \"q\""] = np.asfortranarray(numbers(">f4", (3, 4, 5), 2))
    arrays["scalar"] = np.float64(0.1)
    return arrays


def _torch_tensors():
    tensors = {}
    for i, (name, kind) in enumerate(TORCH_KINDS.items()):
        source = np.dtype("f8") if kind.is_floating_point else np.dtype(str(kind).removeprefix("torch."))
        tensors[name] = torch.from_numpy(numbers(source, (2, 3, 5), i)).to(kind)
    for rank, shape in enumerate(SHAPES):
        tensors[f"rank.{rank}"] = torch.from_numpy(np.array(numbers("f8", shape, rank))).to(torch.bfloat16)
    tensors["none"] = torch.zeros(0, 4, dtype=torch.float16)
    return tensors


def _write_torch(path, tensors, kinds):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in tensors.items():
        begin = len(data)
        raw = tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor
        data += raw.contiguous().numpy().tobytes()
        header[name] = {"dtype": kinds[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def write(directory):
    directory.mkdir(exist_ok=True)
    expected = {}
    with np.errstate(over="ignore", invalid="ignore"):
        for name, (array, version) in _npy_files().items():
            with open(directory / name, "wb") as file:
                np.lib.format.write_array(file, array, version)
            expected[f"{name}/"] = array.astype(np.float32)
        arrays = _npz_arrays()
        np.savez(directory / "stored.npz", **arrays)
        np.savez_compressed(directory / "deflated.npz", **arrays)
        for name, array in arrays.items():
            for file in ["stored.npz", "deflated.npz"]:
                expected[f"{file}/{name}"] = array.astype(np.float32)
        tensors = _torch_tensors()
        _write_torch(directory / "torch.safetensors", tensors, {kind: name for name, kind in TORCH_KINDS.items()})
        for name, tensor in tensors.items():
            expected[f"torch.safetensors/{name}"] = tensor.to(torch.float32).numpy()
    safetensors_file.write(directory / "expected.safetensors", expected, {})


def _same_array(a, b):
    order = a.flags.f_contiguous == b.flags.f_contiguous
    return a.dtype == b.dtype and a.shape == b.shape and order and a.tobytes() == b.tobytes()


def _same(a, b):
    """Whether two files hold the same; numpy's padding and zlib's compression may be other ones."""
    if a.suffix == ".npy":
        return _same_array(np.load(a), np.load(b))
    if a.suffix == ".npz":
        with np.load(a) as x, np.load(b) as y:
            return x.files == y.files and all(_same_array(x[name], y[name]) for name in x.files)
    return a.read_bytes() == b.read_bytes()


def check(directory, fresh):
    """Prints which files of `directory` are not as those of `fresh`; returns whether all are."""
    names = sorted({path.name for folder in (directory, fresh) for path in folder.iterdir()})
    wrong = [
        name
        for name in names
        if not (directory / name).exists() or not (fresh / name).exists() or not _same(directory / name, fresh / name)
    ]
    print(f"{len(names)} files of tensors as others write them; not the same: {', '.join(wrong) or 'none'}")
    return not wrong
