"""The changes that a variation makes to the arguments of a call, by kind, and how an argument is found in a call."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn

from .observe import Call
from .snapshot import tensors_in

Path = tuple[Any, ...]

FLOATS = {str(t).removeprefix("torch."): t for t in (torch.float16, torch.bfloat16, torch.float32, torch.float64)}


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The leaves of a nest of containers and dataclasses."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from leaves(getattr(value, field.name, None), (*path, field.name))
    else:
        yield path, value


def containers(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The lists, tuples and dicts of a nest."""
    if isinstance(value, (dict, list, tuple)):
        yield path, value
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from containers(item, (*path, key))


def spell(path: Path) -> str:
    """A path as a user would write it."""
    head, *rest = path
    return str(head) + "".join(f"[{key!r}]" for key in rest)


def look_up(value: Any, path: Path) -> Any:
    """The leaf at a path.

    Raises:
        LookupError: there is none.
    """
    for key in path:
        value = getattr(value, key) if dataclasses.is_dataclass(value) else value[key]
    return value


def replaced(value: Any, path: Path, new: Any) -> Any:
    """`value` with the leaf at `path` replaced: in place where the containers allow it."""
    if not path:
        return new
    key, rest = path[0], path[1:]
    if isinstance(value, tuple):
        items = [replaced(item, rest, new) if i == key else item for i, item in enumerate(value)]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if dataclasses.is_dataclass(value):
        return dataclasses.replace(value, **{key: replaced(getattr(value, key), rest, new)})  # type: ignore[type-var]
    value[key] = replaced(value[key], rest, new) if rest else new
    return value


def twin(call: Call) -> Call:
    """A copy of a call; a tensor that autograd computed is copied as a leaf."""
    memo: dict[int, Any] = {}
    for _, tensor in tensors_in(call, ""):
        if not tensor.is_leaf:
            memo[id(tensor)] = tensor.detach().clone().requires_grad_(tensor.requires_grad)
    return copy.deepcopy(call, memo)


def like(old: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """`values` as an argument in the place of `old`: a leaf that requires a gradient where `old` did."""
    values = values.detach()
    wants = old.requires_grad and (values.is_floating_point() or values.is_complex())
    if isinstance(old, nn.Parameter):
        return nn.Parameter(values, requires_grad=wants)
    return values.requires_grad_(wants)


def _on_tensor(work: Callable[[torch.Tensor, Any], torch.Tensor]) -> Callable[..., None]:
    """A change of one tensor leaf, made from a function of its values and the change's data."""

    def apply(made: dict[str, Any], path: Path, value: Any, _given: list[Call]) -> None:
        with contextlib.suppress(LookupError, AttributeError):
            leaf = look_up(made, path)
            if isinstance(leaf, torch.Tensor):
                replaced(made, path, like(leaf, work(leaf.detach(), value)))

    return apply


def _drawn(tensor: torch.Tensor, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    if tensor.dtype == torch.bool:
        return torch.rand(tensor.shape, generator=generator) < 0.5
    if not tensor.is_floating_point() and not tensor.is_complex():
        low, high = (int(tensor.min()), int(tensor.max())) if tensor.numel() else (0, 0)
        return torch.randint(low, high + 1, tensor.shape, generator=generator).to(tensor.dtype)
    return torch.randn(tensor.shape, generator=generator).to(tensor.dtype)


def _placed(tensor: torch.Tensor, value: list[Any]) -> torch.Tensor:
    """`value` is [number, where]: `first` or `last` element, or a seed that picks about a third of them."""
    number, where = value
    result = tensor.clone(memory_format=torch.contiguous_format)
    if not result.numel():
        return result
    flat = result.view(-1)
    if isinstance(where, int):
        flat[torch.rand(flat.shape, generator=torch.Generator().manual_seed(where)) < 0.34] = number
    else:
        flat[0 if where == "first" else -1] = number
    return result


def _spread(tensor: torch.Tensor, how: str) -> torch.Tensor:
    """The same values in another layout."""
    if how == "channels last":
        return tensor.contiguous(memory_format=torch.channels_last)
    if how == "transposed" and tensor.dim() >= 2:
        return tensor.mT.contiguous().mT
    if tensor.dim() == 0:
        return tensor.clone()
    return tensor.repeat_interleave(2, dim=-1)[..., ::2]


def _ranked(tensor: torch.Tensor, by: int) -> torch.Tensor:
    """One dimension more, or only the first row."""
    return tensor[None].clone() if by > 0 else tensor[0].clone()


def _halved(tensor: torch.Tensor, _: None) -> torch.Tensor:
    """Halves from -1.5 to 1.5 in turn: ties, zeros, and what rounding treats specially."""
    return ((torch.arange(tensor.numel()) % 7 - 3) * 0.5).reshape(tensor.shape).to(tensor.dtype)


def _asking(tensor: torch.Tensor, wanted: bool) -> torch.Tensor:
    return tensor.detach().clone().requires_grad_(wanted)


def _grad(made: dict[str, Any], path: Path, value: bool, _given: list[Call]) -> None:
    for place, leaf in list(leaves(made)):
        if isinstance(leaf, torch.Tensor) and leaf.is_floating_point() and place[: len(path)] == path:
            replaced(made, place, _asking(leaf, value))


def _cast(made: dict[str, Any], path: Path, value: str, _given: list[Call]) -> None:
    for place, leaf in list(leaves(made)):
        if isinstance(leaf, torch.Tensor) and leaf.is_floating_point() and place[: len(path)] == path:
            replaced(made, place, like(leaf, leaf.detach().to(FLOATS[value])))


def _laid_out(made: dict[str, Any], path: Path, value: str, _given: list[Call]) -> None:
    """One tensor, or all of them where the path is empty."""
    for place, leaf in list(leaves(made)):
        if isinstance(leaf, torch.Tensor) and place[: len(path)] == path:
            replaced(made, place, like(leaf, _spread(leaf.detach(), value)))


def _resized(made: dict[str, Any], _path: Path, value: list[Any], _given: list[Call]) -> None:
    """`value` is [size, new size, which]: the first dimension only, or every dimension of that size."""
    size, wanted, which = value
    for place, leaf in list(leaves(made)):
        if not isinstance(leaf, torch.Tensor):
            continue
        result = leaf.detach()
        for dim in range(min(leaf.dim(), 1) if which == "first" else leaf.dim()):
            if result.shape[dim] == size and size:
                result = result.index_select(dim, torch.arange(wanted) % size)
        if result.shape != leaf.shape:
            replaced(made, place, like(leaf, result))


def _crossed(made: dict[str, Any], path: Path, value: int, given: list[Call]) -> None:
    """The leaf, or the whole argument, that another given call has at the same place."""
    args, kwargs = twin(given[value])
    with contextlib.suppress(LookupError, AttributeError, TypeError):
        replaced(made, path, look_up({"args": args, "kwargs": kwargs}, path))


def _set(made: dict[str, Any], path: Path, value: Any, _given: list[Call]) -> None:
    with contextlib.suppress(LookupError, AttributeError, TypeError):
        replaced(made, path, value)


def _shared(made: dict[str, Any], path: Path, value: list[Any], _given: list[Call]) -> None:
    """The same object as the leaf at another path."""
    with contextlib.suppress(LookupError, AttributeError):
        replaced(made, path, look_up(made, tuple(value)))


def _listed(made: dict[str, Any], path: Path, _value: Any, _given: list[Call]) -> None:
    with contextlib.suppress(LookupError, AttributeError):
        leaf = look_up(made, path)
        if isinstance(leaf, torch.Tensor):
            replaced(made, path, leaf.tolist())


def _numbered(made: dict[str, Any], path: Path, _value: Any, _given: list[Call]) -> None:
    """A number becomes a 0-d tensor."""
    replaced(made, path, torch.tensor(look_up(made, path)))


def _named(made: dict[str, Any], _path: Path, value: list[str], _given: list[Call]) -> None:
    """Positional arguments are passed by their names."""
    made["kwargs"].update(zip(value, made["args"], strict=False))
    made["args"].clear()


def _dropped(made: dict[str, Any], path: Path, _value: Any, _given: list[Call]) -> None:
    made[path[0]].pop(path[1])


def _items(made: dict[str, Any], path: Path, value: str, _given: list[Call]) -> None:
    """A list or tuple with other items, or a dict in another order."""
    held = look_up(made, path)
    if isinstance(held, dict):
        replaced(made, path, type(held)(reversed(held.items())))
        return
    items = list(held)
    wanted = {"none": [], "fewer": items[:-1], "reversed": items[::-1], "doubled": [*items, *items]}[value]
    replaced(made, path, type(held)(wanted))


def _contained(made: dict[str, Any], path: Path, _value: Any, _given: list[Call]) -> None:
    """A list becomes a tuple, a tuple a list."""
    held = look_up(made, path)
    replaced(made, path, list(held) if isinstance(held, tuple) else tuple(held))


# Changes of an argument's type: whether that is accepted is the original's choice.
RETYPING = frozenset(("list", "tensor", "rank", "container", "int32"))

CHANGES: dict[str, Callable[[dict[str, Any], Path, Any, list[Call]], None]] = {
    "values": _on_tensor(_drawn),
    "fill": _on_tensor(lambda t, number: torch.full_like(t, number, memory_format=torch.contiguous_format)),
    "place": _on_tensor(_placed),
    "scale": _on_tensor(lambda t, factor: (t * factor).to(t.dtype)),
    "round": _on_tensor(lambda t, _: t.round()),
    "invert": _on_tensor(lambda t, _: ~t),
    "layout": _laid_out,
    "grad": _grad,
    "cast": _cast,
    "resize": _resized,
    "cross": _crossed,
    "set": _set,
    "share": _shared,
    "list": _listed,
    "rank": _on_tensor(_ranked),
    "halves": _on_tensor(_halved),
    "int32": _on_tensor(lambda t, _: t.to(torch.int32)),
    "tensor": _numbered,
    "named": _named,
    "drop": _dropped,
    "items": _items,
    "container": _contained,
}
