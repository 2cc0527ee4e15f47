import torch


class Usage(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("usage", torch.ones(3))

    def forward(self, x):
        h = torch.tanh(x)
        if h.abs().max() > 0.5:
            self.usage.uniform_(0, 1)
        return h * self.usage
