import torch


def crop(x, sizes, array):
    shapes = torch.as_tensor(array)
    again = torch.tensor(sizes, torch.long)
    return [x[:h, :w] for h, w in shapes], x[: again[0]]
