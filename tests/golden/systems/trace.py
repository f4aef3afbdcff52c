"""What an experiment computed."""

from systems import positions
from systems.masks import attend, keep_mask


class Trace(dict):
    """Every tensor of one experiment: name -> (names of the axes, tensor)."""

    def keep(self, name, axes, tensor):
        self[name] = (axes, tensor)
        return tensor

    def keep_layer(self, name, axes, layer):
        """The weight of a linear layer or 1×1 convolution as "w_NAME", axes out and in, and its bias as "b_NAME"."""
        self.keep("w_" + name, axes, layer.weight.detach().flatten(1))
        if layer.bias is not None:
            self.keep("b_" + name, axes.split(",")[0], layer.bias.detach())
        return layer

    def attention(self, scores, v, params, axes="", prefix=""):
        """Keeps everything from the scores to what each head puts out, and returns it: (weights, head_outputs). `axes`
        are those before query and key; `prefix` goes before every name."""
        mask = keep_mask(params["mask"], *scores.shape[-2:])
        if mask is not None:
            # Without an axis for them, there is one batch item and one head.
            mask = mask if "head," in axes else mask[:, 0]
            mask = mask if "batch," in axes else mask[0]
        self.keep(prefix + "scores", axes + "query,key", scores)
        if params.get("positions") == "alibi":
            scores = self.keep(prefix + "biased_scores", axes + "query,key", positions.bias(scores))
        masked, weights = attend(scores, mask, params["masked_fill"], params["temperature"])
        if masked is not None:
            self.keep(prefix + "masked_scores", axes + "query,key", masked)
        self.keep(prefix + "weights", axes + "query,key", weights)
        return weights, self.keep(prefix + "head_outputs", axes + "query,dim", weights @ v)
