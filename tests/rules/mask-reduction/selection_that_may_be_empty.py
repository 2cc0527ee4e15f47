# runs: make_callable make_inputs
import torch


def bright(image: torch.Tensor, threshold: float) -> torch.Tensor:
    image = image * 2
    picked = image[image > threshold]  # what is bright
    top = image.sum()
    if picked.numel() > 0:
        top = picked.max()
    level = image[image < 0]
    if not len(level):
        return image - top
    return image / level.mean()


def make_callable():
    return bright


def make_inputs():
    image = torch.arange(6.0).reshape(2, 3)
    return [((image, 5.0), {}), ((image, 50.0), {}), ((image * 0, 1.0), {}), ((image - 3, 1.0), {})]


# output
import torch


def _masked_mean(mask, *xs, of=lambda x: x):
    """`of(*(x[mask] for x in xs)).mean()` for an elementwise `of`, on all elements while compiling."""
    if torch.compiler.is_compiling() and getattr(mask, "dtype", None) == torch.bool and mask.device == xs[0].device:
        if mask.dim() > 0 and all(x.shape == xs[0].shape and x.shape[: mask.dim()] == mask.shape for x in xs):
            wide = mask.reshape(mask.shape + (1,) * (xs[0].dim() - mask.dim()))
            kept = of(*[x.masked_fill(~wide, 1) for x in xs])
            if kept.is_floating_point():
                total = kept.masked_fill(~wide, 0).sum(dtype=torch.promote_types(kept.dtype, torch.float32))
                return (total / wide.expand_as(kept).sum()).to(kept.dtype)
    return of(*[x[mask] for x in xs]).mean()


def _masked_max(mask, *xs, of=lambda x: x):
    """`of(*(x[mask] for x in xs)).max()` for an elementwise `of`, on all elements while compiling."""
    if torch.compiler.is_compiling() and getattr(mask, "dtype", None) == torch.bool and mask.device == xs[0].device:
        if mask.dim() > 0 and all(x.shape == xs[0].shape and x.shape[: mask.dim()] == mask.shape for x in xs):
            wide = mask.reshape(mask.shape + (1,) * (xs[0].dim() - mask.dim()))
            kept = of(*[x.masked_fill(~wide, 1) for x in xs])
            if kept.is_floating_point():
                return kept.masked_fill(~wide, float("-inf")).max()
    return of(*[x[mask] for x in xs]).max()


def bright(image: torch.Tensor, threshold: float) -> torch.Tensor:
    image = image * 2
    picked_mask = image > threshold  # what is bright
    top = image.sum()
    if picked_mask.any():
        top = _masked_max(picked_mask, image)
    level_mask = image < 0
    if not level_mask.any():
        return image - top
    return image / _masked_mean(level_mask, image)


def make_callable():
    return bright


def make_inputs():
    image = torch.arange(6.0).reshape(2, 3)
    return [((image, 5.0), {}), ((image, 50.0), {}), ((image * 0, 1.0), {}), ((image - 3, 1.0), {})]
