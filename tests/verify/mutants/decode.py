import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, vocab=7, dim=4, budget=5):
        super().__init__()
        self.budget = budget
        self.emb = nn.Embedding(vocab, dim)
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids, stop=3):
        for _ in range(self.budget):
            nxt = self.head(self.emb(ids).mean(1)).argmax(-1)
            ids = torch.cat([ids, nxt[:, None]], 1)
            if (nxt == stop).all():
                break
        return ids


def make_callable():
    torch.manual_seed(5)
    return Decoder().eval()


def make_inputs():
    g = torch.Generator().manual_seed(6)
    ids = torch.randint(0, 7, (2, 3), generator=g)
    return [((ids,), {"stop": s}) for s in range(7)]


# wrong: one step too many
class Decoder(nn.Module):
    def __init__(self, vocab=7, dim=4, budget=5):
        super().__init__()
        self.budget = budget
        self.emb = nn.Embedding(vocab, dim)
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids, stop=3):
        for _ in range(self.budget + 1):
            nxt = self.head(self.emb(ids).mean(1)).argmax(-1)
            ids = torch.cat([ids, nxt[:, None]], 1)
            if (nxt == stop).all():
                break
        return ids


# wrong: lost break
class Decoder(nn.Module):
    def __init__(self, vocab=7, dim=4, budget=5):
        super().__init__()
        self.budget = budget
        self.emb = nn.Embedding(vocab, dim)
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids, stop=3):
        for _ in range(self.budget):
            nxt = self.head(self.emb(ids).mean(1)).argmax(-1)
            ids = torch.cat([ids, nxt[:, None]], 1)
        return ids


# wrong: any for all
class Decoder(nn.Module):
    def __init__(self, vocab=7, dim=4, budget=5):
        super().__init__()
        self.budget = budget
        self.emb = nn.Embedding(vocab, dim)
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids, stop=3):
        for _ in range(self.budget):
            nxt = self.head(self.emb(ids).mean(1)).argmax(-1)
            ids = torch.cat([ids, nxt[:, None]], 1)
            if (nxt == stop).any():
                break
        return ids


# wrong: hard-coded count
class Decoder(nn.Module):
    def __init__(self, vocab=7, dim=4, budget=5):
        super().__init__()
        self.budget = budget
        self.emb = nn.Embedding(vocab, dim)
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids, stop=3):
        for _ in range(5):
            nxt = self.head(self.emb(ids).mean(1)).argmax(-1)
            ids = torch.cat([ids, nxt[:, None]], 1)
            if (nxt == stop).all():
                break
        return ids


# wrong: batch of one only
class Decoder(nn.Module):
    def __init__(self, vocab=7, dim=4, budget=5):
        super().__init__()
        self.budget = budget
        self.emb = nn.Embedding(vocab, dim)
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids, stop=3):
        for _ in range(self.budget):
            nxt = self.head(self.emb(ids).mean(1).squeeze(0)).argmax(-1)
            ids = torch.cat([ids, nxt.reshape(-1, 1)], 1)
            if len(ids) > 1 and (nxt == stop).all():
                break
        return ids


# right: while with a counter
class Decoder(nn.Module):
    def __init__(self, vocab=7, dim=4, budget=5):
        super().__init__()
        self.budget = budget
        self.emb = nn.Embedding(vocab, dim)
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids, stop=3):
        made = 0
        while made < self.budget:
            nxt = self.head(self.emb(ids).mean(1)).argmax(-1)
            ids = torch.cat([ids, nxt[:, None]], 1)
            made += 1
            if (nxt == stop).all():
                break
        return ids


# right: return from the loop
class Decoder(nn.Module):
    def __init__(self, vocab=7, dim=4, budget=5):
        super().__init__()
        self.budget = budget
        self.emb = nn.Embedding(vocab, dim)
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids, stop=3):
        for _ in range(self.budget):
            nxt = self.head(self.emb(ids).mean(1)).argmax(-1)
            ids = torch.cat([ids, nxt[:, None]], 1)
            if (nxt == stop).all():
                return ids
        return ids


# right: step in a method
class Decoder(nn.Module):
    def __init__(self, vocab=7, dim=4, budget=5):
        super().__init__()
        self.budget = budget
        self.emb = nn.Embedding(vocab, dim)
        self.head = nn.Linear(dim, vocab)

    def _step(self, ids):
        hidden = self.emb(ids).mean(1)
        return self.head(hidden).argmax(-1)

    def forward(self, ids, stop=3):
        for _ in range(self.budget):
            nxt = self._step(ids)
            ids = torch.cat([ids, nxt.unsqueeze(1)], dim=1)
            if not (nxt != stop).any():
                break
        return ids
