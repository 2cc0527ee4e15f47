import time

import torch
from torch import nn


class Quiet(nn.Module):
    def __init__(self, verbose=False):
        super().__init__()
        self.verbose = verbose

    def forward(self, x):
        for i in range(3):
            x = x * (i + 1)
            if self.verbose:
                self.started = time.time()
            if i > 4:
                torch._dynamo.graph_break()
            if not torch.compiler.is_compiling():
                torch._dynamo.graph_break()
            [float(v) for v in (x.sum(), x.mean()) if self.verbose]
        return x.relu()
