import torch


class Decay(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(3, 3)

    def forward(self, x):
        h = self.net(x)
        if h.abs().max() > 0.5:
            for p in self.net.parameters():
                p.data.mul_(0.5)
        return h
