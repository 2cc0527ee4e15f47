# flags: --unsafe-fixes
# refuses: does something else with the rows
import torch


@torch.compile
def refined(x, mask, weight):
    y = torch.relu(x)
    rows = torch.where(mask)[0]
    y[rows] = x[rows] @ weight
    print(rows)
    return y
