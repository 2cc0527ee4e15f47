import torch


class Counted(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0

    def forward(self, x):
        self.step += 1
        return x * 2


def main(compiled):
    g = compiled(Counted())
    for _ in range(3):
        g(torch.ones(3))


# sites:
# graphs: Counted.forward 1, Counted.forward 1, Counted.forward 1
# recompiles: Counted.forward: self.step 0, Counted.forward: self.step 1
# graphs[2.6]: Counted.forward 1, Counted.forward 2
# recompiles[2.6]: Counted.forward: self.step 0
