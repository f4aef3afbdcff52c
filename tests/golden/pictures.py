#!/usr/bin/env python3
"""Makes pictures.json with Pillow: pictures at other sizes, for the tests of core/experiment/resample and
core/models/picture_fit.

    pictures.py OUT.json            writes the file
    pictures.py --check FILE.json   computes everything again; fails where it differs

Needs Pillow. "resized": a picture, the size that it gets and the method, numbered as in Pillow. "fitted": a picture, the
entries of preprocessor_config.json and what comes out: resized, then the middle cut out. Colours are hexadecimal, row by
row.
"""

import json
import pathlib
import random
import sys

from PIL import Image

METHODS = range(6)
SIZES = [  # rows, columns before and after
    (9, 13, 4, 5), (4, 5, 9, 13), (1, 17, 1, 3), (12, 7, 12, 3), (12, 7, 5, 7), (3, 3, 8, 2), (21, 2, 1, 1),
    (2, 2, 7, 7),
]
ENTRIES = [  # rows, columns, entries
    (11, 16, {"size": 6}),
    (11, 16, {"size": {"height": 6, "width": 6}, "resample": 3}),
    (11, 16, {"size": {"shortest_edge": 9}, "do_center_crop": True, "crop_size": {"height": 6, "width": 6}}),
    (17, 10, {"size": {"shortest_edge": 7}, "resample": 3, "do_center_crop": True, "crop_size": 6}),
    (9, 10, {"do_resize": False, "size": 3, "do_center_crop": True, "crop_size": 6}),
    (14, 9, {"size": {"height": 8, "width": 7}, "resample": 1, "do_center_crop": True, "crop_size": 6}),
    (14, 9, {"do_center_crop": False, "crop_size": 3, "size": 6, "resample": 0}),
]


def drawn(rng, rows, columns):
    """Noise of any kind: extremes let a filter with negative weights leave the range of a byte."""
    values = rng.choice([range(256), (0, 255)])
    return Image.frombytes("RGB", (columns, rows), bytes(rng.choice(values) for _ in range(3 * rows * columns)))


def entry(picture):
    return {"rows": picture.height, "columns": picture.width, "rgb": picture.tobytes().hex()}


def sides(size):
    return (size["height"], size["width"]) if isinstance(size, dict) else (size, size)


def fitted(picture, entries):
    if entries.get("do_resize", True):
        size = entries["size"]
        if isinstance(size, dict) and "shortest_edge" in size:
            edge, (width, height) = size["shortest_edge"], picture.size
            shorter = min(width, height)
            # The longer side is rounded down.
            rows, columns = (edge * height // shorter, edge) if width <= height else (edge, edge * width // shorter)
        else:
            rows, columns = sides(size)
        picture = picture.resize((columns, rows), entries.get("resample", 2))
    if entries.get("do_center_crop", False):
        rows, columns = sides(entries["crop_size"])
        top, left = (picture.height - rows) // 2, (picture.width - columns) // 2
        picture = picture.crop((left, top, left + columns, top + rows))
    return picture


def made():
    rng = random.Random(7)
    resized = []
    for rows, columns, to_rows, to_columns in SIZES:
        for method in METHODS:
            picture = drawn(rng, rows, columns)
            resized.append({"method": method, "from": entry(picture),
                            "to": entry(picture.resize((to_columns, to_rows), method))})
    all_fitted = []
    for rows, columns, entries in ENTRIES:
        picture = drawn(rng, rows, columns)
        all_fitted.append({"entries": entries, "from": entry(picture), "to": entry(fitted(picture, entries))})
    return {"resized": resized, "fitted": all_fitted}


def text_of(document):
    """One case a line."""
    parts = []
    for name, cases in document.items():
        parts.append(f'"{name}": [\n' + ",\n".join(json.dumps(case) for case in cases) + "\n]")
    return "{" + ",\n".join(parts) + "}\n"


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        return 0 if pathlib.Path(sys.argv[2]).read_text() == text_of(made()) else "the pictures differ"
    if len(sys.argv) != 2:
        return __doc__
    pathlib.Path(sys.argv[1]).write_text(text_of(made()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
