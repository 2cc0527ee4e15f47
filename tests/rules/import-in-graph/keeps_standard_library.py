import torch


class Scale(torch.nn.Module):
    def forward(self, x):
        try:
            import fractions
        except ImportError:
            return x
        return x * len(fractions.__name__)
