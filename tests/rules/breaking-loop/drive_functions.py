# runs: make_thinned make_inputs
import torch


def far_apart(points, radius):
    kept = []
    for i in range(points.shape[0]):
        if any((points[i] - points[j]).square().sum() < radius for j in kept):
            continue
        kept.append(i)
    return kept


def first_of_each(points, radius):
    kept = []
    for i in range(points.shape[0]):
        near = False
        for j in kept:
            # Squared, as no root is needed.
            if (points[i] - points[j]).square().sum() < radius:
                near = True
                break
        if not near:
            kept.append(i)
    return torch.tensor(kept)


def thinned(points, labels, radius=1.0):
    keep = torch.zeros(points.shape[0], dtype=torch.bool)
    for label in torch.unique(labels):
        rows = torch.where(labels == label)[0]
        keep[rows[first_of_each(points[rows], radius)]] = True
    return points[keep].sum(0) * 2 + 1


def make_thinned():
    return thinned


def make_inputs():
    points = torch.linspace(-2, 2, 18).view(6, 3).sin()
    labels = torch.tensor([0, 1, 0, 1, 1, 0])
    return [((points, labels), {}), ((points * 3, labels), {}), ((points, labels * 0, 0.1), {})]


# output
import torch


def far_apart(points, radius):
    kept = []
    for i in range(points.shape[0]):
        if any((points[i] - points[j]).square().sum() < radius for j in kept):
            continue
        kept.append(i)
    return kept


def _first_of_each_test(radius, points_i, points_j):
    return (points_i - points_j).square().sum() < radius


# A break in a loop would have Dynamo skip this function: it runs in Python, and its parts are compiled.
@torch._dynamo.decorators.skip
def first_of_each(points, radius):
    kept = []
    for i in range(points.shape[0]):
        near = False
        for j in kept:
            # Squared, as no root is needed.
            if _first_of_each_test(radius, points[i], points[j]):
                near = True
                break
        if not near:
            kept.append(i)
    return torch.tensor(kept)


# A break in a loop would have Dynamo skip this function: it runs in Python, and its parts are compiled.
@torch._dynamo.decorators.skip
def thinned(points, labels, radius=1.0):
    keep = torch.zeros(points.shape[0], dtype=torch.bool)
    for label in torch.unique(labels):
        rows = torch.where(labels == label)[0]
        keep[rows[first_of_each(points[rows], radius)]] = True
    return points[keep].sum(0) * 2 + 1


def make_thinned():
    return thinned


def make_inputs():
    points = torch.linspace(-2, 2, 18).view(6, 3).sin()
    labels = torch.tensor([0, 1, 0, 1, 1, 0])
    return [((points, labels), {}), ((points * 3, labels), {}), ((points, labels * 0, 0.1), {})]
