# runs: make_callable make_inputs
import torch
import torch.nn.functional as F
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 5)

    def forward(self, x: torch.Tensor, labels: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        logits = self.lin(x)
        loss_fct = nn.CrossEntropyLoss(ignore_index=0)
        active = attention_mask.view(-1) == 1
        active_logits = logits.view(-1, 5)[active]
        active_labels = labels.view(-1)[active]
        loss = loss_fct(active_logits, active_labels)
        known = labels > 0
        return loss + F.cross_entropy(logits[known], labels[known])


def make_callable():
    torch.manual_seed(0)
    return Tagger()


def make_inputs():
    x = torch.arange(24.0).reshape(2, 3, 4) / 24
    labels = torch.tensor([[1, 4, -7], [0, 2, 3]])
    mask = torch.tensor([[1, 1, 0], [0, 0, 1]])
    return [((x, labels, mask), {}), ((x, labels, mask * 0), {}), ((x, labels, mask + 9), {})]


# output
import torch
import torch.nn.functional as F
from torch import nn


def _masked_cross_entropy(loss, mask, logits, labels):
    """`loss(logits[mask], labels[mask])` for a cross entropy, which passes over the other labels while compiling."""
    if torch.compiler.is_compiling() and getattr(mask, "dtype", None) == torch.bool and mask.device == logits.device:
        fits = mask.shape == labels.shape == logits.shape[:-1] and not labels.is_floating_point()
        if fits and mask.dim() > 0 and getattr(loss, "reduction", "mean") != "none":
            left_out, ignored = ~mask.flatten(), getattr(loss, "ignore_index", -100)
            rows = logits.flatten(0, -2).masked_fill(left_out[:, None], 1)
            return loss(rows, labels.flatten().masked_fill(left_out, ignored))
    return loss(logits[mask], labels[mask])


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 5)

    def forward(self, x: torch.Tensor, labels: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        logits = self.lin(x)
        loss_fct = nn.CrossEntropyLoss(ignore_index=0)
        active = attention_mask.view(-1) == 1
        loss = _masked_cross_entropy(loss_fct, active, logits.view(-1, 5), labels.view(-1))
        known = labels > 0
        return loss + _masked_cross_entropy(F.cross_entropy, known, logits, labels)


def make_callable():
    torch.manual_seed(0)
    return Tagger()


def make_inputs():
    x = torch.arange(24.0).reshape(2, 3, 4) / 24
    labels = torch.tensor([[1, 4, -7], [0, 2, 3]])
    mask = torch.tensor([[1, 1, 0], [0, 0, 1]])
    return [((x, labels, mask), {}), ((x, labels, mask * 0), {}), ((x, labels, mask + 9), {})]
