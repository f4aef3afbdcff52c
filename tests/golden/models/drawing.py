"""Random sizes, numbers and texts for a model."""

import dataclasses

import numpy as np


@dataclasses.dataclass
class Model:
    """What a folder is made from."""

    config: dict
    tensors: dict  # name -> array; float32 ones are stored in the kind of the file
    inputs: dict
    picture: np.ndarray = None  # [row, column, channel] of bytes
    preprocessor: dict = None


class Draw:
    """Random choices from a seed; `tiny` ones for data that is committed."""

    def __init__(self, family, seed, tiny=False):
        self.rng = np.random.Generator(np.random.PCG64([seed, *family.encode()]))
        self.tiny = tiny
        self.tensors = {}

    def chance(self, probability=0.5):
        return bool(self.rng.random() < probability)

    def of(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def between(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def heads(self):
        return self.between(2, 3) if self.tiny else self.between(1, 5)

    def dim(self, even=False):
        if even:
            return self.of(4, 6) if self.tiny else self.of(2, 4, 6, 8, 10)
        return self.between(3, 4) if self.tiny else self.between(2, 9)

    def layers(self):
        return 2 if self.tiny else self.between(1, 4)

    def hidden(self):
        return self.between(9, 14) if self.tiny else self.between(3, 41)

    def vocabulary(self):
        return self.between(20, 30) if self.tiny else self.between(11, 70)

    def text(self, vocabulary, most=14):
        count = self.between(4, 6) if self.tiny else self.between(1, most)
        return [int(id) for id in self.rng.integers(vocabulary, size=count)]

    def put(self, name, shape, scale, mean=0.0):
        numbers = mean + scale * self.rng.standard_normal(shape)
        self.tensors[name] = numbers.astype(np.float32)

    def linear(self, name, outputs, inputs, bias=True, transposed=False, scale=1.0):
        shape = (inputs, outputs) if transposed else (outputs, inputs)
        self.put(name + ".weight", shape, scale / np.sqrt(inputs))
        if bias:
            self.put(name + ".bias", (outputs,), 0.3)

    def table(self, name, rows, width, scale=1.0):
        self.put(name + ".weight", (rows, width), scale)

    def norm(self, name, width, bias=True, words=("weight", "bias")):
        self.put(f"{name}.{words[0]}", (width,), 0.2, 1.0)
        if bias:
            self.put(f"{name}.{words[1]}", (width,), 0.2)

    def unread(self, name, array):
        """A buffer that files have and nobody reads."""
        self.tensors[name] = array

    def some_defaults_left_out(self, config, defaults):
        """Half of what has its default value is not written, as in configs of older programs."""
        return {key: value for key, value in config.items()
                if key not in defaults or value != defaults[key] or self.chance()}

    def model(self, config, tokens, tokens2=None):
        return Model(config, self.tensors, {"tokens": tokens, "tokens2": tokens2, "picture": None})
