import torch


class Scale(torch.nn.Module):
    def forward(self, x):
        try:
            import tomllib
        except ImportError:
            return x
        return x * len(tomllib.__name__)
