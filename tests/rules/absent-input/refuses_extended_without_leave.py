# refuses: the fix changes something a caller can see
import torch
from transformers import PreTrainedModel


class Model(PreTrainedModel):
    def forward(self, x, mask=None):
        if mask is None:
            mask = torch.ones(x.shape[:2], device=x.device)
        extended: torch.Tensor = self.get_extended_attention_mask(mask, x.shape[:2])
        if (extended < 0).any():
            x = x + extended[..., None]
        return x
