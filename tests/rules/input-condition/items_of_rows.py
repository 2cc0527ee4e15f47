# runs: make_callable make_inputs
import torch
from torch import nn


class M(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.lin = nn.Linear(dim, dim)

    def forward(self, x, grid, lengths):
        x = self.lin(x)
        outs = []
        for i in range(grid.shape[0]):
            h, w = grid[i, 0].item(), int(grid[i][1])
            outs.append(x[i, : h * w].view(h, w, -1).mean((0, 1)))
        for row, n in zip(x, lengths):
            outs.append(row[: n.item()].sum(0))
        for i, n in enumerate(lengths):
            outs.append(x[i, : int(n)].sum(0))
        return torch.stack(outs) + torch.stack([x[0, : h.item() * w.item()].sum(0) for h, w in grid]).sum()


def make_callable():
    torch.manual_seed(5)
    return M().eval()


def make_inputs():
    g = torch.Generator().manual_seed(5)
    x = torch.randn(2, 12, 4, generator=g)
    return [((x, torch.tensor([[2, 3], [3, 4]]), torch.tensor([2, 4])), {}), ((x, torch.tensor([[1, 3], [2, 2]]), torch.tensor([5, 4])), {})]


# output
import torch
from torch import nn


class M(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.lin = nn.Linear(dim, dim)

    @torch._dynamo.decorators.skip
    def forward(self, x, grid, lengths):
        return self._forward(
            x,
            grid,
            lengths,
            grid_items=[[n.item() for n in row] for row in grid],
            lengths_items=[n.item() for n in lengths],
        )

    def _forward(self, x, grid, lengths, *, grid_items, lengths_items):
        x = self.lin(x)
        outs = []
        for i in range(grid.shape[0]):
            h, w = grid_items[i][0], int(grid_items[i][1])
            outs.append(x[i, : h * w].view(h, w, -1).mean((0, 1)))
        for row, n in zip(x, lengths_items):
            outs.append(row[: n].sum(0))
        for i, n in enumerate(lengths_items):
            outs.append(x[i, : int(n)].sum(0))
        return torch.stack(outs) + torch.stack([x[0, : h * w].sum(0) for h, w in grid_items]).sum()


def make_callable():
    torch.manual_seed(5)
    return M().eval()


def make_inputs():
    g = torch.Generator().manual_seed(5)
    x = torch.randn(2, 12, 4, generator=g)
    return [((x, torch.tensor([[2, 3], [3, 4]]), torch.tensor([2, 4])), {}), ((x, torch.tensor([[1, 3], [2, 2]]), torch.tensor([5, 4])), {})]
