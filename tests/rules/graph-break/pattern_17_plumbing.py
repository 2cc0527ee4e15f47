# refuses: Dynamo does not trace it
import pickle
import sys

import torch
from torch import nn


class Cached(nn.Module):
    def __init__(self):
        super().__init__()
        self.store = {}

    def forward(self, x, **kwargs):
        key = pickle.dumps(kwargs)
        self.caller = sys._getframe(1).f_code.co_name
        if key not in self.store:
            self.store[key] = x.cholesky_inverse()
        return self.store[key]
