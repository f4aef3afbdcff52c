"""Makes an archive of numpy's with a tensor [2, 3] for each name.

    make_archive.py ARCHIVE NAMES

NAMES is a file with a name to each line. Needs nothing but Python.
"""

import struct
import sys
import zipfile


def npy(numbers):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<6f", *numbers)


def main(archive, names):
    with open(names, encoding="utf-8", newline="\n") as lines, zipfile.ZipFile(archive, "w") as file:
        for name in lines.read().split("\n")[:-1]:
            file.writestr(zipfile.ZipInfo(name + ".npy"), npy(range(6)))


if __name__ == "__main__":
    main(*sys.argv[1:])
