import torch


class Table:
    def __init__(self):
        self.cache = {}
        self.hits = 0

    def scaled(self, x):
        key = (x.shape[1], x.dtype)
        if key in self.cache:
            self.hits += 1
        else:
            self.cache[key] = torch.arange(x.shape[1]).to(x.dtype) + 1
        return x * self.cache[key]


def make_callable():
    return Table().scaled


def make_inputs():
    return [((torch.ones(2, n),), {}) for n in (3, 5, 3, 3)]


# wrong: stale cache
class Table:
    def __init__(self):
        self.cache = {}
        self.hits = 0

    def scaled(self, x):
        key = (3, x.dtype)
        if key in self.cache and len(self.cache[key]) >= x.shape[1]:
            self.hits += 1
        else:
            self.cache[key] = torch.arange(x.shape[1]).to(x.dtype) + 1
        return x * self.cache[key][: x.shape[1]]


# wrong: key without the dtype
class Table:
    def __init__(self):
        self.cache = {}
        self.hits = 0

    def scaled(self, x):
        key = x.shape[1]
        if key in self.cache:
            self.hits += 1
        else:
            self.cache[key] = torch.arange(x.shape[1]).to(x.dtype) + 1
        return x * self.cache[key]


# wrong: hits counted on misses
class Table:
    def __init__(self):
        self.cache = {}
        self.hits = 0

    def scaled(self, x):
        key = (x.shape[1], x.dtype)
        self.hits += 1
        if key not in self.cache:
            self.cache[key] = torch.arange(x.shape[1]).to(x.dtype) + 1
        return x * self.cache[key]


# wrong: the cached tensor is written
class Table:
    def __init__(self):
        self.cache = {}
        self.hits = 0

    def scaled(self, x):
        key = (x.shape[1], x.dtype)
        if key in self.cache:
            self.hits += 1
        else:
            self.cache[key] = torch.arange(x.shape[1]).to(x.dtype) + 1
        if x.shape[0] == 1:
            return self.cache[key].mul_(x)
        return x * self.cache[key]


# right: negated test
class Table:
    def __init__(self):
        self.cache = {}
        self.hits = 0

    def scaled(self, x):
        key = (x.shape[1], x.dtype)
        if key not in self.cache:
            self.cache[key] = torch.arange(x.shape[1]).to(x.dtype) + 1
        else:
            self.hits += 1
        return x * self.cache[key]


# right: look-up with get
class Table:
    def __init__(self):
        self.cache = {}
        self.hits = 0

    def scaled(self, x):
        key = (x.shape[1], x.dtype)
        row = self.cache.get(key)
        if row is not None:
            self.hits += 1
        else:
            row = self.cache[key] = torch.arange(x.shape[1]).to(x.dtype) + 1
        return x * row


# right: look-up with an exception
class Table:
    def __init__(self):
        self.cache = {}
        self.hits = 0

    def scaled(self, x):
        key = (x.shape[1], x.dtype)
        try:
            row = self.cache[key]
        except KeyError:
            row = torch.arange(x.shape[1]).to(x.dtype) + 1
            self.cache[key] = row
        else:
            self.hits += 1
        return x * row
