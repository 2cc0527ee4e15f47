# refuses: it writes to `stream`
# refuses: nothing tells the type of `names`
# refuses: its arguments are unpacked
# refuses: nothing tells what `describe`
import torch


def f(x: torch.Tensor, stream, names: list) -> torch.Tensor:
    y = torch.relu(x)
    print("to a file", file=stream)
    print(names)
    print(*names)
    print(describe(y))
    return y
