import torch


def clip_(grads, ceiling):
    total = torch.stack([g.norm() for g in grads]).norm()
    if total > ceiling:
        for g in grads:
            g.mul_(ceiling / total)
    return total


def make_callable():
    return clip_


def make_inputs():
    g = torch.Generator().manual_seed(2)

    def two(scale):
        return [torch.randn(3, generator=g) * scale, torch.randn(2, 2, generator=g) * scale]

    return [((two(0.1), 1.0), {}), ((two(5.0), 1.0), {}), ((two(5.0), 2.0), {})]


# wrong: in-place effect lost
def clip_(grads, ceiling):
    total = torch.stack([g.norm() for g in grads]).norm()
    if total > ceiling:
        for g in grads:
            g = g * (ceiling / total)
    return total


# wrong: loop left after the first
def clip_(grads, ceiling):
    total = torch.stack([g.norm() for g in grads]).norm()
    if total > ceiling:
        for g in grads:
            g.mul_(ceiling / total)
            break
    return total


# wrong: loop over a hard-coded count
def clip_(grads, ceiling):
    total = torch.stack([g.norm() for g in grads]).norm()
    if total > ceiling:
        for i in range(2):
            grads[i].mul_(ceiling / total)
    return total


# wrong: empty list accepted
def clip_(grads, ceiling):
    if not grads:
        return torch.zeros(())
    total = torch.stack([g.norm() for g in grads]).norm()
    if total > ceiling:
        for g in grads:
            g.mul_(ceiling / total)
    return total


# wrong: tensor became a number
def clip_(grads, ceiling):
    total = torch.stack([g.norm() for g in grads]).norm()
    if total > ceiling:
        for g in grads:
            g.mul_(ceiling / total)
    return total.item()


# wrong: list replaced behind the caller's back
def clip_(grads, ceiling):
    total = torch.stack([g.norm() for g in grads]).norm()
    if total > ceiling:
        grads[:] = [g * (ceiling / total) for g in grads]
    return total


# right: factor computed once
def clip_(grads, ceiling):
    total = torch.stack([g.norm() for g in grads]).norm()
    if total > ceiling:
        factor = ceiling / total
        for g in grads:
            g.mul_(factor)
    return total


# right: norms in a loop, early return
def clip_(grads, ceiling):
    norms = []
    for g in grads:
        norms.append(g.norm())
    total = torch.stack(norms).norm()
    if not total > ceiling:
        return total
    for g in grads:
        g *= ceiling / total
    return total


# right: index loop
def clip_(grads, ceiling):
    total = torch.stack(list(map(torch.Tensor.norm, grads))).norm()
    if total > ceiling:
        for i in range(len(grads)):
            grads[i].mul_(ceiling / total)
    return total
