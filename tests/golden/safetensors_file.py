"""Reading and writing .safetensors files byte for byte the same every time.

A file is an 8-byte little-endian length, that many bytes of JSON, and the numbers. The JSON maps each tensor's name to
its dtype, shape and place in the data, and "__metadata__" to a dictionary of strings.
"""

import json
import struct

import numpy as np


def write(path, tensors, metadata):
    """tensors: name -> float32 array, stored in the order of the dictionary; metadata: string -> string."""
    header = {"__metadata__": dict(sorted(metadata.items()))}
    data = b""
    for name, array in tensors.items():
        begin = len(data)
        data += np.ascontiguousarray(array, dtype="<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [begin, len(data)]}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # so that the numbers are aligned
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read(path):
    """The tensors and the metadata of a file that `write` made."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(data[begin:end], dtype="<f4").reshape(entry["shape"])
    return tensors, metadata
