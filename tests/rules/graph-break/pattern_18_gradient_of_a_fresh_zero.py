# refuses: whether the tensor requires a gradient would change inside of the graph
import torch
from torch import nn


class Loss(nn.Module):
    def forward(self, x: torch.Tensor):
        loss = torch.tensor(0.0, device=x.device, requires_grad=self.training)
        aux = torch.zeros(1).requires_grad_()
        return loss + aux + x.square().mean()
