"""What the systems that attend to images share: an image's pixels are its tokens, row by row."""

import torch

SMALL = {"batch": 2, "channels": 8, "height": 3, "width": 4}
PIXEL = {"height": 1, "width": 1}
ROW = {"height": 1, "width": 9}
COLUMN = {"height": 7, "width": 1}


def draw(trace, params, precision):
    shape = [params[name] for name in ("batch", "channels", "height", "width")]
    return trace.keep("x", "batch,channel,row,column", torch.randn(shape).to(precision))


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
