"""As much of NumPy as the script of an archive needs: it reads shapes."""

import ast
import struct
import zipfile


class Array:
    def __init__(self, shape):
        self.shape = shape

    def astype(self, dtype):
        assert dtype == "float32"
        return self


def read(data):
    assert data[:8] == b"\x93NUMPY\x01\x00"
    (length,) = struct.unpack("<H", data[8:10])
    return Array(ast.literal_eval(data[10 : 10 + length].decode())["shape"])


class Archive:
    """Names as numpy.load has them."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path)
        self.files = {name.removesuffix(".npy"): name for name in self.zip.namelist()}
        self.members = {**self.files, **{name: name for name in self.zip.namelist()}}

    def __contains__(self, name):
        return name in self.members

    def __getitem__(self, name):
        return read(self.zip.read(self.members[name]))

    def items(self):
        return [(name, self[name]) for name in self.files]


def load(path):
    return Archive(path)
