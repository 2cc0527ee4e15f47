import torch


def words(row: torch.Tensor) -> list:
    return [w.item() for w in row]


def f(rows: torch.Tensor) -> list:
    found = []
    for row in rows:
        found.append(words(row))
        found.append((row.min().item(), row.max().item()))
    return found
