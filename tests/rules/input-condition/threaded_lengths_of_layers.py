# runs: make_callable make_inputs
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, cu_seqlens, scale=1.0):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        lengths = cu_seqlens[1:] - cu_seqlens[:-1]
        parts = [torch.split(t, lengths.tolist()) for t in (q, k, v)]
        out = [torch.softmax(a @ b.transpose(0, 1) * scale, dim=-1) @ c for a, b, c in zip(*parts)]
        return self.proj(torch.cat(out))


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.attn = Attention(dim)

    def forward(self, x, cu_seqlens, **kwargs):
        return x + self.attn(self.norm(x), cu_seqlens=cu_seqlens, **kwargs)


class Encoder(nn.Module):
    def __init__(self, dim=8, depth=2):
        super().__init__()
        self.blocks = nn.ModuleList([Block(dim) for _ in range(depth)])
        self.head = nn.Linear(dim, 2)

    def forward(self, x, cu_seqlens):
        for block in self.blocks:
            x = block(x, cu_seqlens=cu_seqlens)
        return self.head(x)


def make_callable():
    torch.manual_seed(0)
    return Encoder()


def make_inputs():
    torch.manual_seed(1)
    return [((torch.randn(9, 8), torch.tensor([0, 4, 9])), {}), ((torch.randn(9, 8), torch.tensor([0, 2, 9])), {})]


# output
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, cu_seqlens, scale=1.0, *, lengths_list=None):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        lengths = cu_seqlens[1:] - cu_seqlens[:-1]
        parts = [torch.split(t, lengths_list if lengths_list is not None else lengths.tolist()) for t in (q, k, v)]
        out = [torch.softmax(a @ b.transpose(0, 1) * scale, dim=-1) @ c for a, b, c in zip(*parts)]
        return self.proj(torch.cat(out))


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.attn = Attention(dim)

    def forward(self, x, cu_seqlens, *, lengths_list=None, **kwargs):
        return x + self.attn(self.norm(x), cu_seqlens=cu_seqlens, **kwargs, lengths_list=lengths_list)


class Encoder(nn.Module):
    def __init__(self, dim=8, depth=2):
        super().__init__()
        self.blocks = nn.ModuleList([Block(dim) for _ in range(depth)])
        self.head = nn.Linear(dim, 2)

    @torch._dynamo.decorators.skip
    def forward(self, x, cu_seqlens):
        lengths_list = (cu_seqlens[1:] - cu_seqlens[:-1]).tolist()
        return self._forward(x, cu_seqlens, lengths_list=lengths_list)

    def _forward(self, x, cu_seqlens, *, lengths_list):
        for block in self.blocks:
            x = block(x, cu_seqlens=cu_seqlens, lengths_list=lengths_list)
        return self.head(x)


def make_callable():
    torch.manual_seed(0)
    return Encoder()


def make_inputs():
    torch.manual_seed(1)
    return [((torch.randn(9, 8), torch.tensor([0, 4, 9])), {}), ((torch.randn(9, 8), torch.tensor([0, 2, 9])), {})]
