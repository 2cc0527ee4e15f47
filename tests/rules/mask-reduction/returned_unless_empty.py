# runs: make_callable make_inputs
import torch


def bright_mean(image: torch.Tensor, threshold: float = 0.5):
    picked = image[image > threshold]
    # Nothing is bright in the dark.
    if picked.numel() == 0:
        return image.new_zeros(())
    return picked.mean()


def bright_top(image: torch.Tensor, threshold: float):
    level = image[image < threshold]
    if len(level) > 0:
        return level.max()
    return torch.tensor(-1.0, device=image.device)


def both(image: torch.Tensor, threshold: float = 0.5):
    return bright_mean(image, threshold), bright_top(image, threshold)


def make_callable():
    return both


def make_inputs():
    image = torch.arange(12.0).reshape(3, 4) / 10
    return [((image,), {}), ((image, 5.0), {}), ((image + 1,), {}), ((image[:0],), {}), ((image[0] * float("nan"),), {})]


# output
import torch


def _masked_mean_or(empty, mask, *xs, of=None):
    """`of(*(x[mask] for x in xs)).mean()` for an elementwise `of`, if any, or `empty()` where nothing is selected."""
    if torch.compiler.is_compiling() and getattr(mask, "dtype", None) == torch.bool and mask.device == xs[0].device:
        if mask.dim() > 0 and all(x.shape == xs[0].shape and x.shape[: mask.dim()] == mask.shape for x in xs):
            wide = mask.reshape(mask.shape + (1,) * (xs[0].dim() - mask.dim()))
            filled, other = [x.masked_fill(~wide, 1) for x in xs], empty()
            kept = filled[0] if of is None else of(*filled)
            alike = other.dim() == 0 and other.dtype == kept.dtype and other.device == kept.device
            if kept.is_floating_point() and alike and kept.numel() > 0:
                total = kept.masked_fill(~wide, 0).sum(dtype=torch.promote_types(kept.dtype, torch.float32))
                found = (total / wide.expand_as(kept).sum().clamp(min=1)).to(kept.dtype)
                return torch.where(mask.any(), found, other)
    picked = xs[0][mask] if of is None else of(*[x[mask] for x in xs])
    return picked.mean() if picked.numel() else empty()


def _masked_max_or(empty, mask, *xs, of=None):
    """`of(*(x[mask] for x in xs)).max()` for an elementwise `of`, if any, or `empty()` where nothing is selected."""
    if torch.compiler.is_compiling() and getattr(mask, "dtype", None) == torch.bool and mask.device == xs[0].device:
        if mask.dim() > 0 and all(x.shape == xs[0].shape and x.shape[: mask.dim()] == mask.shape for x in xs):
            wide = mask.reshape(mask.shape + (1,) * (xs[0].dim() - mask.dim()))
            filled, other = [x.masked_fill(~wide, 1) for x in xs], empty()
            kept = filled[0] if of is None else of(*filled)
            alike = other.dim() == 0 and other.dtype == kept.dtype and other.device == kept.device
            if kept.is_floating_point() and alike and kept.numel() > 0:
                found = kept.masked_fill(~wide, float("-inf")).max()
                return torch.where(mask.any(), found, other)
    picked = xs[0][mask] if of is None else of(*[x[mask] for x in xs])
    return picked.max() if picked.numel() else empty()


def bright_mean(image: torch.Tensor, threshold: float = 0.5):
    picked_mask = image > threshold
    if torch.compiler.is_compiling():
        return _masked_mean_or(lambda: image.new_zeros(()), picked_mask, image)
    picked = image[picked_mask]
    # Nothing is bright in the dark.
    if picked.numel() == 0:
        return image.new_zeros(())
    return picked.mean()


def bright_top(image: torch.Tensor, threshold: float):
    level_mask = image < threshold
    if torch.compiler.is_compiling():
        return _masked_max_or(lambda: torch.tensor(-1.0, device=image.device), level_mask, image)
    level = image[level_mask]
    if len(level) > 0:
        return level.max()
    return torch.tensor(-1.0, device=image.device)


def both(image: torch.Tensor, threshold: float = 0.5):
    return bright_mean(image, threshold), bright_top(image, threshold)


def make_callable():
    return both


def make_inputs():
    image = torch.arange(12.0).reshape(3, 4) / 10
    return [((image,), {}), ((image, 5.0), {}), ((image + 1,), {}), ((image[:0],), {}), ((image[0] * float("nan"),), {})]
