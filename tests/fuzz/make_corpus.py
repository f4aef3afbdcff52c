#!/usr/bin/env python3
"""Makes the files in corpus/ that the fuzz targets begin with: small, and between them every way a format has.

    make_corpus.py OUTDIR

Needs nothing but Python.
"""

import io
import json
import pathlib
import struct
import sys
import zipfile


def safetensors(header, data=b"", padding=""):
    text = (json.dumps(header) + padding).encode()
    return struct.pack("<Q", len(text)) + text + data


def npy(descr, shape, data, version=1, fortran=False):
    text = f"{{'descr': {descr!r}, 'fortran_order': {fortran}, 'shape': {shape!r}, }}\n".encode()
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


def npz(members, method, stream=False):
    """stream: sizes and checksums behind the data, as where nobody can go back."""

    class Stream(io.BytesIO):
        def seekable(self):
            return not stream

    file = Stream()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            with archive.open(info, "w", force_zip64=name.startswith("wide")) as member:
                member.write(data)
    return file.getvalue()


def entry(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


FLOATS = struct.pack("<6f", 0.5, -1, float("inf"), float("nan"), 1e-40, 6)
SMALL = npy("<f4", (2, 3), FLOATS)
TEXT = json.dumps({"format": "attnscope-trace/1", "axes:a": "query,key"})

CORPUS = {
    "safetensors": {
        "empty": safetensors({}),
        "plain": safetensors({"q": entry("F32", [2, 3], 0, 24)}, FLOATS),
        "kinds": safetensors(
            {
                "__metadata__": {"format": "pt"},
                "layers.0.attn": entry("F16", [2, 2, 1], 0, 8),
                "b": entry("BF16", [2], 8, 12),
                "c": entry("BOOL", [4], 12, 16),
                "d": entry("F8_E4M3", [0, 4], 16, 16),
                "e": entry("I64", [], 16, 24),
            },
            FLOATS,
            "    ",
        ),
    },
    "npy": {
        "plain": SMALL,
        "scalar": npy(">f8", (), FLOATS[:8]),
        "fortran": npy("<i2", (2, 3, 2), FLOATS, version=2, fortran=True),
        "behind": npy("|b1", (5,), FLOATS, version=3),
        "object": npy("|O", (1,), b"x"),
        "structured": npy([("a", "<f4"), ("b", "<i4")], (1,), FLOATS[:8]),
    },
    "npz": {
        "empty": npz({}, zipfile.ZIP_STORED),
        "stored": npz({"a.npy": SMALL, "wide.npy": SMALL}, zipfile.ZIP_STORED),
        "deflated": npz({"a.npy": SMALL, "wide.npy": npy("<f8", (3,), FLOATS), "x.txt": b"x"}, zipfile.ZIP_DEFLATED),
        "streamed": npz({"a.npy": SMALL}, zipfile.ZIP_DEFLATED, stream=True),
        "metadata": npz(
            {"__metadata__.npy": npy(f"<U{len(TEXT)}", (), TEXT.encode("utf-32-le"))}, zipfile.ZIP_STORED
        ),
    },
    "experiment": {
        "least": b'{"format": "attnscope-experiment/1", "system": "worked-example"}',
        "most": b"""{"format": "attnscope-experiment/1", "system": "worked-example", "seed": 42, "discard": 3,
"edits": [{"tensor": "x", "index": [0, 1], "value": 2.5}], "heads_off": [0],
"params": {"tokens": 2, "features": 9, "heads": 4, "mask": [[true, false], [true, true]], "masked_fill": "-inf"},
"labels": ["a", "\\u00e9"], "view": {"name": "heads", "options": {"head": 1}}}""",
        "picture": b"""{"format": "attnscope-experiment/1", "system": "image-self-attention",
"params": {"batch": 1, "channels": 32, "mask": "window:3"}, "picture": {"rows": 1, "columns": 1, "rgb": "e65a28"}}""",
    },
}


def main():
    for kind, files in CORPUS.items():
        folder = pathlib.Path(sys.argv[1]) / kind
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
