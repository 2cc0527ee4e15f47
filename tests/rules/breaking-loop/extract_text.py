# flags: --unsafe-fixes
import torch


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Last()

    def forward(self, *args):
        return self.held(*args)


class Last(torch.nn.Module):
    def forward(self, x, n: int):
        x = torch.tanh(x)
        for i in range(n):
            # Above the body.
            torch._dynamo.graph_break()
            x = torch.sin(x) + i
        else:
            x = x - 1
        return torch.relu(x)


# output
import torch


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Last()

    def forward(self, *args):
        return self.held(*args)


class Last(torch.nn.Module):
    def forward(self, x, n: int):
        x = torch.tanh(x)
        x = self._run_loop(x, n)
        return torch.relu(x)

    def _run_loop(self, x, n: int):
        # Dynamo skips a function with a graph break in a loop, so the loop and its body are functions of their own.
        for i in range(n):
            x = self._loop_step(x, i)
        else:
            x = x - 1
        return x

    def _loop_step(self, x, i):
        # Above the body.
        torch._dynamo.graph_break()
        x = torch.sin(x) + i
        return x