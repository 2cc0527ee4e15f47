# refuses: nothing tells what `error` is
# refuses: nothing tells what `self.failure` is
import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, error: type) -> torch.Tensor:
        if x.isnan().any():
            raise error("holes")
        if x.isinf().any():
            raise self.failure("limits")
        return x
