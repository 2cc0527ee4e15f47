import torch


def latest(cache, position):
    start = position.sum()
    end = start + 2
    recent = cache.cos()[:, start:end]
    return recent * 2


def written(cache, x, n: int):
    cache = cache.cos()
    cache[:, n : n + 2] = x
    return cache
