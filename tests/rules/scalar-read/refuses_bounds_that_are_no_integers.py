# refuses: a bound is no integer
import torch


def written(cache, x):
    cache = cache.cos()
    start = x.sigmoid().mean()
    cache[start:] = x.tanh()
    return cache
