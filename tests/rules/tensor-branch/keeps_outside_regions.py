import numpy as np


def plain(x):
    h = np.tanh(x)
    if h.mean() > 0:
        h = h * 2
    return h
