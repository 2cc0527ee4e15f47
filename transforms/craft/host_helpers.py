"""Helpers of rewritten code for numbers that Python knows as well as a tensor does, and for code that stays whole."""

from __future__ import annotations

_INTS = '''\
def _ints(values, depth):
    """The ints in `depth` nested lists, as tuples; None outside of compiled code, and for anything else."""
    if not torch.compiler.is_compiling():
        return None
    if depth > 0:
        parts = [_ints(v, depth - 1) for v in values] if isinstance(values, (list, tuple)) else [None]
        return None if any(p is None for p in parts) else tuple(parts)
    return values if isinstance(values, int) and not isinstance(values, bool) else None
'''

_MIRROR = '''\
def _mirror(tensor, ints):
    """The ints that a tensor is made of where they are known, the tensor otherwise."""
    return tensor if ints is None else ints
'''

_KEEP_INTS = '''\
def _keep_ints(tensor, ints):
    """The tensor, which carries the ints that it is made of where compiled code makes it."""
    if ints is not None:
        tensor._ints = ints
    return tensor
'''

_KEPT_INTS = '''\
def _kept_ints(tensor):
    """The ints that a tensor carries, where compiled code reads them; the tensor otherwise."""
    ints = getattr(tensor, "_ints", None) if torch.compiler.is_compiling() else None
    return tensor if ints is None else ints
'''

_TRACED = '''\
def _traced(tensor, number):
    """While compiling the int that a tensor holds, where that is known; the tensor otherwise."""
    return number if torch.compiler.is_compiling() and type(number) is int else tensor
'''

_NUMBERS = '''\
def _numbers(tensor, ints):
    """`tensor.tolist()`, from the ints that it is made of where they are known."""
    if ints is None:
        return tensor.tolist()
    return [_numbers(None, i) for i in ints] if isinstance(ints, tuple) else ints
'''

_OPAQUE = '''\
def _opaque(schema, shapes):
    """Run a function as one op while compiling, whose results are shaped as those of `shapes`; directly otherwise."""

    def mark(fn):
        name = f"{__name__}::{fn.__name__}".replace(".", "_")
        op = torch.library.custom_op(name, fn, mutates_args=(), schema=schema)
        op.register_fake(shapes)

        @functools.wraps(fn)
        def step(*args, **kwargs):
            return (op if torch.compiler.is_compiling() else fn)(*args, **kwargs)

        return step

    return mark
'''

_PLACES = '''\
def _places(mask):
    """`torch.where(mask)`, or while compiling the places of all elements, whether selected or not."""
    if not torch.compiler.is_compiling():
        return torch.where(mask)
    axes = [torch.arange(n, device=mask.device) for n in mask.shape]
    return tuple(grid.flatten() for grid in torch.meshgrid(*axes, indexing="ij"))
'''

_ROWS = '''\
def _rows(mask, whole=True):
    """`torch.where(mask)[0]`, or while compiling all rows, whether selected or not, where each has one element."""
    if torch.compiler.is_compiling() and whole and mask.dim() > 0 and mask.numel() == len(mask):
        return torch.arange(len(mask), device=mask.device)
    return torch.where(mask)[0]
'''

_CHOSEN = '''\
def _chosen(mask, value, target=None, rows=None):
    """`value`, with a row for each place; while compiling with zeros, or what `target` has there, in other places."""
    if not torch.compiler.is_compiling() or mask is None or len(value) != mask.numel():
        return value
    wide = mask.reshape(-1, *[1] * (value.dim() - 1)) != 0
    return torch.where(wide, value, 0 if target is None else target[rows])
'''

HOST_HELPERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "_ints": (_INTS, ("torch",)),
    "_mirror": (_MIRROR, ()),
    "_keep_ints": (_KEEP_INTS, ()),
    "_kept_ints": (_KEPT_INTS, ("torch",)),
    "_traced": (_TRACED, ("torch",)),
    "_numbers": (_NUMBERS, ()),
    "_places": (_PLACES, ("torch",)),
    "_rows": (_ROWS, ("torch",)),
    "_chosen": (_CHOSEN, ("torch",)),
    "_opaque": (_OPAQUE, ("functools", "torch")),
}
