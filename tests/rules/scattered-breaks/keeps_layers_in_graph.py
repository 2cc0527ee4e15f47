import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(4, 4) for _ in range(3))
        self.seen = []

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
            self.seen.append(x.mean().tolist())
        return x
