# runs: make_decoder make_inputs
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, vocab=7, width=8):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.head = nn.Linear(width, vocab)
        self.rounds = 0

    def forward(self, tokens, stop=2, limit=5):
        running = torch.ones(tokens.shape[0], dtype=torch.long)
        length = 0
        while True:
            # The whole prefix counts.
            scores = self.head(self.embed(tokens).mean(dim=1))
            best = scores.argmax(-1) * running
            tokens = torch.cat([tokens, best[:, None]], dim=1)
            running = running * (best != stop).long()
            length += 1
            self.rounds += 1
            if running.max() == 0 or length >= limit:
                break
        return tokens, length


def make_decoder():
    torch.manual_seed(0)
    return Decoder()


def make_inputs():
    return [((torch.tensor([[1, 3], [5, 6]]),), {"stop": s}) for s in (2, 4)]


# output
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, vocab=7, width=8):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.head = nn.Linear(width, vocab)
        self.rounds = 0

    # A break in a loop would have Dynamo skip this function: it runs in Python, and its parts are compiled.
    @torch._dynamo.decorators.skip
    def forward(self, tokens, stop=2, limit=5):
        running = torch.ones(tokens.shape[0], dtype=torch.long)
        length = 0
        while True:
            # The whole prefix counts.
            tokens, running = self._loop_step(tokens, running, stop)
            length += 1
            self.rounds += 1
            if running.max() == 0 or length >= limit:
                break
        return tokens, length

    def _loop_step(self, tokens, running, stop):
        scores = self.head(self.embed(tokens).mean(dim=1))
        best = scores.argmax(-1) * running
        tokens = torch.cat([tokens, best[:, None]], dim=1)
        running = running * (best != stop).long()
        return tokens, running


def make_decoder():
    torch.manual_seed(0)
    return Decoder()


def make_inputs():
    return [((torch.tensor([[1, 3], [5, 6]]),), {"stop": s}) for s in (2, 4)]
