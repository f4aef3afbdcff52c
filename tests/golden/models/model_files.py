"""Reading and writing weights of several kinds, in one file or in shards, and pictures."""

import json
import struct
import zlib

import numpy as np
import torch

KINDS = {"F64": np.float64, "F32": np.float32, "F16": np.float16, "I64": np.int64, "U8": np.uint8, "BOOL": np.bool_}
NAMES = {np.dtype(kind): name for name, kind in KINDS.items()}


def encode(array, kind):
    """The name of a kind and the bytes of the array in it. Only float32 arrays are converted."""
    if array.dtype != np.float32:
        return NAMES[array.dtype], array.tobytes()
    if kind == "BF16":
        return kind, torch.from_numpy(array.copy()).to(torch.bfloat16).view(torch.int16).numpy().tobytes()
    return kind, array.astype(KINDS[kind]).tobytes()


def decode(data, kind, shape):
    """A tensor in float64, with exactly the stored values."""
    if kind == "BF16":
        tensor = torch.from_numpy(np.frombuffer(data, np.int16).copy()).view(torch.bfloat16)
    else:
        tensor = torch.from_numpy(np.frombuffer(data, KINDS[kind]).copy())
    return tensor.double().reshape(shape)


def write(path, tensors, kinds=None, metadata=None):
    """tensors: name -> array; kinds: name -> the kind in which a float32 array is stored."""
    header, data = {"__metadata__": metadata or {"format": "pt"}}, b""
    for name, array in tensors.items():
        array = np.ascontiguousarray(array)
        kind, numbers = encode(array, (kinds or {}).get(name, "F32"))
        place = [len(data), len(data) + len(numbers)]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": place}
        data += numbers
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def read(path):
    """name -> tensor in float64."""
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header, data = json.loads(content[8 : 8 + length]), content[8 + length :]
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = decode(data[begin:end], entry["dtype"], entry["shape"])
    return tensors


def write_weights(folder, tensors, kinds, shards):
    """model.safetensors, or as many shards with their index."""
    if shards == 1:
        write(folder / "model.safetensors", tensors, kinds)
        return
    names, places = list(tensors), {}
    for shard in range(shards):
        file = f"model-{shard + 1:05}-of-{shards:05}.safetensors"
        inside = names[len(names) * shard // shards : len(names) * (shard + 1) // shards]
        write(folder / file, {name: tensors[name] for name in inside}, kinds)
        places.update(dict.fromkeys(inside, file))
    size = sum(len(encode(tensors[name], kinds[name])[1]) for name in names)
    index = {"metadata": {"total_size": size}, "weight_map": dict(sorted(places.items()))}
    write_json(folder / "model.safetensors.index.json", index)


def read_weights(folder):
    index = folder / "model.safetensors.index.json"
    if not index.exists():
        return read(folder / "model.safetensors")
    tensors = {}
    for file in sorted(set(json.loads(index.read_text())["weight_map"].values())):
        tensors.update(read(folder / file))
    return tensors


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2) + "\n")


def write_png(path, picture):
    """picture: bytes as [row, column, channel], one channel or three."""
    rows, columns, channels = picture.shape
    lines = b"".join(b"\0" + line.tobytes() for line in np.ascontiguousarray(picture))

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", columns, rows, 8, {1: 0, 3: 2}[channels], 0, 0, 0)
    chunks = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunks)


def read_png(path):
    """A picture that `write_png` made."""
    content = path.read_bytes()
    columns, rows, _, color = struct.unpack(">IIBB", content[16:26])
    channels = {0: 1, 2: 3}[color]
    (length,) = struct.unpack(">I", content[33:37])
    lines = np.frombuffer(zlib.decompress(content[41 : 41 + length]), np.uint8).reshape(rows, 1 + columns * channels)
    return lines[:, 1:].reshape(rows, columns, channels)
