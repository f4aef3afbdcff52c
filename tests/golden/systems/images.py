"""What the systems that attend to images share: an image's pixels are its tokens, row by row."""

import random
from fractions import Fraction

import numpy as np
import torch

SMALL = {"batch": 2, "channels": 8, "height": 3, "width": 4}
PIXEL = {"height": 1, "width": 1}
ROW = {"height": 1, "width": 9}
COLUMN = {"height": 7, "width": 1}


GROUND, RED, BLUE, YELLOW = (235, 230, 215), (230, 90, 40), (20, 60, 160), (250, 210, 60)


def draw(trace, params, precision, picture=None):
    """The images x; `picture` is the experiment's own. A picture changes nothing but x: noise is drawn all the same."""
    batch, channels, height, width = (params[name] for name in ("batch", "channels", "height", "width"))
    x = torch.randn(batch, channels, height, width)
    kind = params.get("picture", "noise")
    if kind != "noise":
        colors = given(picture) if kind == "file" else made(kind, height, width)
        for axis, size in enumerate((height, width, channels)):
            colors = averaged(colors, axis, size)
        one = torch.from_numpy(2 * colors / 255 - 1).permute(2, 0, 1)
        x = torch.stack([one] * batch)
    return trace.keep("x", "batch,channel,row,column", x.to(precision).contiguous())


def averaged(numbers, axis, size):
    """The numbers along an axis, each as wide as the others, averaged to `size` numbers as wide as each other."""
    rows = np.moveaxis(np.asarray(numbers, float), axis, -1)
    pieces = rows.repeat(size, axis=-1).reshape(*rows.shape[:-1], size, rows.shape[-1])
    return np.moveaxis(pieces.mean(axis=-1), -1, axis)


def given(picture):
    """[row, column, colour] of a picture as in an experiment's file."""
    return np.frombuffer(bytes.fromhex(picture["rgb"]), np.uint8).reshape(picture["rows"], picture["columns"], 3)


def made(kind, height, width):
    """The same of a built-in picture."""
    color = {"shapes": _shape, "stripes": _stripe}[kind]
    return np.array([[color(row, column, height, width) for column in range(width)] for row in range(height)])


def _shape(row, column, height, width):
    # From the middle, where half of the shorter side is 1.
    side = min(height, width)
    y, x = Fraction(2 * row + 1 - height, side), Fraction(2 * column + 1 - width, side)
    half, eighth = Fraction(1, 2), Fraction(1, 8)
    if (y + 3 * eighth) ** 2 + (x + 3 * eighth) ** 2 <= half**2:
        return RED
    if (y - half) ** 2 + (x + half) ** 2 <= (half / 2) ** 2:
        return RED
    if max(abs(y - half), abs(x - half)) <= 3 * eighth:
        return BLUE
    return GROUND


def _stripe(row, column, height, width):
    across = max(1, min(height, width) // 8)
    return (RED, YELLOW, BLUE)[(row + column) // across % 3]


def random_colors(rng, rows, columns):
    """A picture as in an experiment's file."""
    return {"rows": rows, "columns": columns, "rgb": rng.randbytes(3 * rows * columns).hex()}


def with_random_picture(rng, experiment):
    kind = rng.choice(["noise", "shapes", "stripes", "file"])
    experiment["params"]["picture"] = kind
    if kind == "file":
        experiment["picture"] = random_colors(rng, rng.randint(1, 9), rng.randint(1, 9))
    return experiment


# For every system: (parameters, what else the experiment has).
PICTURES = [
    ({"picture": "shapes", "height": 8, "width": 9}, {}),
    ({"picture": "stripes", "height": 5, "width": 3}, {"seed": 7, "discard": 5}),
    ({"picture": "file"}, {"picture": random_colors(random.Random(1), 5, 6)}),
    ({"picture": "file", "height": 5, "width": 6}, {"picture": random_colors(random.Random(2), 2, 13)}),
]


def to_tokens(image):
    """[batch, channel, row, column] -> [batch, token, channel]"""
    return image.flatten(2).transpose(1, 2)


def add_to_image(trace, projected, x):
    """The end of an attention block: the projected tokens, back in the image's layout, are added to the image."""
    trace.keep("projected", "batch,token,channel", projected)
    image = trace.keep("projected_image", "batch,channel,row,column", projected.transpose(1, 2).reshape(x.shape))
    trace.keep("out", "batch,channel,row,column", x + image)


def random_size(rng):
    return {
        "batch": rng.randint(1, 3),
        "height": rng.randint(1, 6),
        "width": rng.randint(2, 6),  # batch norm needs more than one number in a channel
    }


def tokens_of(params):
    return params["height"] * params["width"]
