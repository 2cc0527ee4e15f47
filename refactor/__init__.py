"""Rewrites PyTorch source so that `torch.compile` captures it in few, large graphs, and proves each rewrite first."""

__version__ = "0.1.0"
