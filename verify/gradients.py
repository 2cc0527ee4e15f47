"""Gradients of some tensors by others, as facts."""

from __future__ import annotations

import functools
from collections.abc import Callable

import torch

from .snapshot import Facts, Snapshot


def gradients(
    results: list[torch.Tensor],
    wanted: list[tuple[str, torch.Tensor]],
    canonical: Callable[[str], str],
    twice: bool,
) -> Facts:
    """Gradients of a fixed random weighing of all results: a plain sum would hide what cancels in it.

    Args:
        results: what is differentiated; those that have no gradient are left out.
        wanted: the leaves to differentiate by, with their names.
        canonical: turns private names in the texts of errors into the user's.
        twice: whether the gradients are differentiated once more.
    """
    outputs = [t for t in results if t.requires_grad and (t.is_floating_point() or t.is_complex())]
    unique = list({id(t): t for _, t in wanted}.values())
    if not outputs or not unique:
        return {}
    weights = _weights(outputs, 99)
    with torch.enable_grad():
        try:
            found: tuple[torch.Tensor | None, ...] = torch.autograd.grad(
                outputs, unique, weights, retain_graph=True, create_graph=twice, allow_unused=True
            )
        except RuntimeError as error:
            return {"backward": (type(error).__name__, canonical(str(error)))}
        second = _second(found, unique) if twice else {}
    by_id = {id(t): None if g is None else g.detach() for t, g in zip(unique, found, strict=True)}
    snapshot = Snapshot(canonical)
    for name, tensor in wanted:
        snapshot.add(f"gradient of {name}", by_id[id(tensor)])
        if id(tensor) in second:
            snapshot.facts[f"gradient of the gradient of {name}.bits"] = second[id(tensor)]
    return {name: fact for name, fact in snapshot.facts.items() if not name.endswith((".memory", ".layout"))}


def _second(found: tuple[torch.Tensor | None, ...], wanted: list[torch.Tensor]) -> dict[int, torch.Tensor]:
    """Gradients of a random weighing of the gradients, by the id of the tensor; none where that is not possible.

    A gradient that is not there counts as zeros: which of the two it is follows from how autograd walked the graph.
    """
    outputs = [g for g in found if g is not None and g.requires_grad]
    weights = _weights(outputs, 9999)
    if not outputs:
        return {id(t): torch.zeros_like(t) for t in wanted}
    try:
        second: tuple[torch.Tensor | None, ...] = torch.autograd.grad(
            outputs, wanted, weights, retain_graph=True, allow_unused=True
        )
    except RuntimeError:
        return {}
    return {id(t): torch.zeros_like(t) if g is None else g.detach() for t, g in zip(wanted, second, strict=True)}


def _weights(tensors: list[torch.Tensor], seed: int) -> list[torch.Tensor]:
    """A weight for each element, the same ones each time."""
    drawn = [
        _drawn(t.shape, seed + i) if t.numel() <= _SMALL else _draw(t.shape, seed + i) for i, t in enumerate(tensors)
    ]
    return [w.to(device=t.device, dtype=t.dtype) for w, t in zip(drawn, tensors, strict=True)]


def _draw(shape: torch.Size, seed: int) -> torch.Tensor:
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) + 0.5


_SMALL = 4096  # elements of what is kept
_drawn = functools.lru_cache(maxsize=256)(_draw)
