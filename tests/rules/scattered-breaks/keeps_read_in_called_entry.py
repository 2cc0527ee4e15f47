import torch
from torch import nn


class Gate(nn.Module):
    def near(self, head):
        return (head - 1).abs().mean().item() < 0.5

    def forward(self, x):
        head = torch.tanh(x) * 2
        if self.near(head):
            return head + 1
        return torch.sin(head) * 2


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = Gate()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(self.gate(self.lin(x)))
