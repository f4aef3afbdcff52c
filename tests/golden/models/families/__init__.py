"""One module per group of families. Each has FAMILIES: name -> (make, run).

make(draw) gives a random Model; run(config, weights, inputs, trace) puts every tensor of it into the trace.
"""
