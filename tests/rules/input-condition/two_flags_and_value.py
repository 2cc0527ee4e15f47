import torch
from torch import nn


class Towers(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList(nn.Linear(4, 2) for _ in range(3))
        self.text, self.image = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, tokens, is_image, task, *extra, scale=1.0, **kwargs):
        h = self.text(tokens)
        if is_image.all():
            h = self.image(tokens)
        elif not is_image.any():
            h = h * scale
        return self.heads[task.item()](h)


# output
import torch
from torch import nn


class Towers(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList(nn.Linear(4, 2) for _ in range(3))
        self.text, self.image = nn.Linear(4, 4), nn.Linear(4, 4)

    @torch._dynamo.decorators.skip
    def forward(self, tokens, is_image, task, *extra, scale=1.0, **kwargs):
        return self._forward(
            tokens,
            is_image,
            task,
            *extra,
            scale=scale,
            is_image_all=bool(is_image.all()),
            is_image_any=bool(is_image.any()),
            task_value=task.item(),
            **kwargs,
        )

    def _forward(self, tokens, is_image, task, *extra, scale, is_image_all, is_image_any, task_value, **kwargs):
        h = self.text(tokens)
        if is_image_all:
            h = self.image(tokens)
        elif not is_image_any:
            h = h * scale
        return self.heads[task_value](h)
