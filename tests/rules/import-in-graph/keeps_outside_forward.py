import torch


class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = 2

    def extra_repr(self):
        try:
            import colours_that_nobody_has as colours
        except ImportError:
            return ""
        return colours.name

    def forward(self, x):
        return x * self.gain
