import torch


def load_sizes(path, x):
    shapes = torch.tensor([(1, 2), (3, 4)])
    torch.save(shapes, path)
    return [x[:h, :w] for h, w in shapes]
