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

HOST_HELPERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "_ints": (_INTS, ("torch",)),
    "_mirror": (_MIRROR, ()),
    "_numbers": (_NUMBERS, ()),
    "_opaque": (_OPAQUE, ("functools", "torch")),
}
