# refuses: an index beside the bounds is not known to be an int
# refuses: what is stored is not known to be a tensor
import torch


def written(cache, x, rows):
    cache = cache.cos()
    start = x.argmax()
    cache[rows, start:] = x.tanh()
    return cache


def filled(cache, x, fill):
    cache = cache.cos()
    start = x.argmax()
    cache[start:] = fill
    return cache
