"""The private helpers that rewritten modules carry: only those they need, once per module, after the imports."""

from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass

from ..trees import kept
from .host_helpers import HOST_HELPERS
from .mask_helpers import MASK_HELPERS

# Leaves a function out of the graph, and not what it calls. It marks the code, which costs nothing when it is called;
# `torch.compiler.disable(recursive=False)` wraps the function, and is asked about anew in each call (torch 2.13).
ALONE = "_dynamo.decorators.skip"


@dataclass(frozen=True, slots=True)
class Helper:
    """A function that rewritten code calls.

    Attributes:
        name: its name, unless the module uses that name itself.
        code: its source; the first word of every import below is a placeholder that may be renamed.
        imports: module names that the code reads.
    """

    name: str
    code: str
    imports: tuple[str, ...]


_COND = '''\
def _cond(pred, true_fn, false_fn, operands=()):
    """`torch.cond` while compiling, a plain branch otherwise."""
    if torch.compiler.is_compiling():
        # torch.cond takes neither an arm that returns its input nor arms whose strides differ.
        fresh = functools.partial(torch.clone, memory_format=torch.contiguous_format)
        return torch.cond(
            pred,
            lambda *xs: torch.utils._pytree.tree_map(fresh, true_fn(*xs)),
            lambda *xs: torch.utils._pytree.tree_map(fresh, false_fn(*xs)),
            operands,
        )
    return true_fn(*operands) if pred else false_fn(*operands)
'''

_WHERE = '''\
def _where(pred, true_fn, false_fn, operands=()):
    """`torch.where` over both arms while compiling, a plain branch otherwise."""
    if torch.compiler.is_compiling():
        return torch.where(pred, true_fn(*operands), false_fn(*operands))
    return true_fn(*operands) if pred else false_fn(*operands)
'''

_EFFECT = '''\
def _effect(fn):
    """Run `fn` in its place in the graph while compiling, directly otherwise."""

    @functools.wraps(fn)
    def step(*args):
        return op(*args) if torch.compiler.is_compiling() else fn(*args)

    @functools.wraps(fn)
    def body(*args):
        step(*args)  # stack levels in `fn` count from a frame of this module in the graph as well

    op = torch.library.custom_op(f"{__name__}::{fn.__name__}".replace(".", "_"), body, mutates_args=())
    op.register_fake(lambda *args: None)
    torch.library._register_effectful_op(op._opoverload, torch._library.effects.EffectType.ORDERED)
    return step
'''

_NUMBER = '''\
def _number(x):
    """`x.item()`, or while compiling a 0-d tensor in the graph that is as exact as a Python number."""
    if torch.compiler.is_compiling() and x.device.type != "mps":
        return x.detach().to(torch.float64 if x.is_floating_point() else torch.int64)
    return x.item()
'''

_WHERE_EACH = '''\
def _where_each(pred, true_fn, items):
    """`true_fn(items) if pred else items`, of lists; while compiling item by item, where both sides are alike."""
    if torch.compiler.is_compiling() and isinstance(pred, torch.Tensor) and pred.numel() == 1:
        if all(isinstance(x, torch.Tensor) and not x.requires_grad for x in items):
            pairs = list(zip(true_fn(items), items))
            if all((a.shape, a.dtype, a.device) == (b.shape, b.dtype, b.device) for a, b in pairs):
                if not any(a.requires_grad for a, _ in pairs):
                    return [torch.where(pred.reshape(()) != 0, a, b) for a, b in pairs]
    return true_fn(items) if pred else items
'''

_SELECT = '''\
def _select(pred, true_fn, false_fn):
    """`torch.where` while compiling, where both sides are alike and take no gradient; a plain branch otherwise."""
    if not torch.compiler.is_compiling() or not isinstance(pred, torch.Tensor):
        return true_fn() if pred else false_fn()
    true, false = true_fn(), false_fn()
    pairs = list(zip(true, false)) if isinstance(true, tuple) else [(true, false)]
    for a, b in pairs:
        tensors = isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor)
        if not tensors or a.requires_grad or b.requires_grad:
            return true if pred else false
        if (a.shape, a.dtype, a.device) != (b.shape, b.dtype, b.device):
            return true if pred else false
    chosen = [torch.where(pred.reshape(()) != 0, a, b) for a, b in pairs]
    return tuple(chosen) if isinstance(true, tuple) else chosen[0]
'''

_WHERE_ALIKE = '''\
def _where_alike(pred, true_fn, false_fn, operands=(), smooth=False):
    """`torch.where` while compiling, where both arms give tensors that are alike; a plain branch otherwise.

    `smooth`: the derivatives of both arms are finite everywhere. Where they are not, gradients need `torch.cond`.
    """
    if torch.compiler.is_compiling() and isinstance(pred, torch.Tensor):
        true, false = true_fn(*operands), false_fn(*operands)
        pairs = list(zip(true, false)) if isinstance(true, tuple) else [(true, false)]
        if all(
            isinstance(a, torch.Tensor)
            and isinstance(b, torch.Tensor)
            and (a.shape, a.dtype, a.device, a.requires_grad) == (b.shape, b.dtype, b.device, b.requires_grad)
            for a, b in pairs
        ):
            pred = pred.reshape(()) != 0
            if smooth or not any(a.requires_grad or b.requires_grad for a, b in pairs):
                chosen = [torch.where(pred, a, b) for a, b in pairs]
                return tuple(chosen) if isinstance(true, tuple) else chosen[0]
            fresh = functools.partial(torch.clone, memory_format=torch.contiguous_format)
            return torch.cond(
                pred,
                lambda *xs: torch.utils._pytree.tree_map(fresh, true_fn(*xs)),
                lambda *xs: torch.utils._pytree.tree_map(fresh, false_fn(*xs)),
                operands,
            )
    return true_fn(*operands) if pred else false_fn(*operands)
'''

_COPY_IF = '''\
def _copy_if(pred, target, value_fn):
    """`target.copy_(value_fn())` if `pred`, in the graph while compiling where the value fits and takes no gradient."""
    if not torch.compiler.is_compiling() or not isinstance(pred, torch.Tensor):
        if pred:
            target.copy_(value_fn())
        return
    value = value_fn()
    if value.shape == target.shape and not (value.requires_grad or target.requires_grad):
        target.copy_(torch.where(pred.reshape(()) != 0, value.to(target), target))
    elif pred:
        target.copy_(value)
'''

_UPDATE_IF = '''\
def _update_if(pred, targets, update):
    """`update()` if `pred`, in the graph while compiling where no target takes a gradient."""
    if torch.compiler.is_compiling() and isinstance(pred, torch.Tensor):
        tensors = [t for held in targets for t in (held if isinstance(held, (list, tuple)) else [held])]
        if all(isinstance(t, torch.Tensor) and not t.requires_grad for t in tensors):
            kept = [t.clone() for t in tensors]
            update()
            for t, old in zip(tensors, kept):
                t.copy_(torch.where(pred.reshape(()) != 0, t, old))
            return
    if pred:
        update()
'''

_VARYING = '''\
@torch.compiler.disable
def _varying(dim, *inputs):
    """Tell the compiler that dimension `dim` has another size in every call."""
    for x in inputs:
        if isinstance(x, torch.Tensor) and x.dim() > dim:
            torch._dynamo.maybe_mark_dynamic(x, dim)
'''

_SCALAR = '''\
def _scalar(x):
    """`x.item()`, or while compiling `x` itself, which stays in the graph."""
    return x.detach() if torch.compiler.is_compiling() else x.item()
'''

_ITEMS = '''\
@torch.compiler.disable
def _items(xs):
    """`[x.item() for x in xs]`, in one break of the graph."""
    return [x.item() for x in xs]
'''

_ITEMS_BY_INDEX = '''\
@torch.compiler.disable
def _items_by_index(xs):
    """The `.item()` of each of `xs`, taken by its index."""
    return [xs[i].item() for i in range(len(xs))]
'''

_INTEGERS = '''\
def _integers(*bounds):
    """`torch.arange(*bounds).tolist()` for integers, without a tensor."""
    found = range(*bounds)
    return list(found) if found else torch.arange(*bounds).tolist()
'''

_ONE_HOT = '''\
def _one_hot(index, count, original):
    """`original()`, or while compiling the same zeros and ones in `count` columns, by comparisons alone."""
    if not torch.compiler.is_compiling() or not isinstance(count, int) or count < 0:
        return original()
    if index.dtype != torch.int64 or index.numel() == 0:
        return original()
    torch._assert_async((index >= 0).all(), "Class values must be non-negative.")
    return (index.unsqueeze(-1) == torch.arange(count, device=index.device)).to(torch.int64)
'''

_BY_NUMBER = '''\
def _by_number(number, test, true_fn, false_fn, *tensors):
    """`true_fn() if test(number) else false_fn()`, while compiling as one graph for both, where they are alike."""
    given = [*tensors, number] if isinstance(number, torch.Tensor) and number.numel() == 1 else tensors
    if torch.compiler.is_compiling() and (isinstance(number, float) or given is not tensors):
        if all(isinstance(x, torch.Tensor) and not x.requires_grad and x.device.type != "mps" for x in given):
            a, b = true_fn(), false_fn()
            if (a.shape, a.dtype, a.device) == (b.shape, b.dtype, b.device):
                held = torch.full((), number, dtype=torch.float64, device=a.device) if given is tensors else number
                return torch.where(test(held).reshape(()), a, b)
    return true_fn() if test(number) else false_fn()
'''

_IN_PLACE = '''\
def _in_place(fn):
    """Run `fn`, which changes `target` alone, as an op of the graph while compiling, directly otherwise."""

    @functools.wraps(fn)
    def step(*args):
        grows = torch.is_grad_enabled() and any(getattr(a, "requires_grad", False) for a in args)
        return op(*args) if torch.compiler.is_compiling() and not grows else fn(*args)

    name = f"{__name__}::{fn.__name__}".replace(".", "_")
    op = torch.library.custom_op(name, fn, mutates_args=("target",))
    return step
'''

_CAN_IMPORT = '''\
@torch.compiler.assume_constant_result
def _can_import(module, *names):
    """The names if the import works, else None; asked while tracing, as Dynamo can not trace one that fails."""
    try:
        __import__(module, fromlist=names)
        return names if all(hasattr(sys.modules[module], name) for name in names) else None
    except ImportError:
        return None
'''

HELPERS = {
    "_cond": Helper("_cond", _COND, ("functools", "torch")),
    "_where": Helper("_where", _WHERE, ("torch",)),
    "_where_alike": Helper("_where_alike", _WHERE_ALIKE, ("functools", "torch")),
    "_effect": Helper("_effect", _EFFECT, ("functools", "torch")),
    "_by_number": Helper("_by_number", _BY_NUMBER, ("torch",)),
    "_in_place": Helper("_in_place", _IN_PLACE, ("functools", "torch")),
    "_can_import": Helper("_can_import", _CAN_IMPORT, ("sys", "torch")),
    "_items": Helper("_items", _ITEMS, ("torch",)),
    "_items_by_index": Helper("_items_by_index", _ITEMS_BY_INDEX, ("torch",)),
    "_scalar": Helper("_scalar", _SCALAR, ("torch",)),
    "_number": Helper("_number", _NUMBER, ("torch",)),
    **{name: Helper(name, code, ("torch",)) for name, code in MASK_HELPERS.items()},
    **{name: Helper(name, code, imports) for name, (code, imports) in HOST_HELPERS.items()},
    "_where_each": Helper("_where_each", _WHERE_EACH, ("torch",)),
    "_select": Helper("_select", _SELECT, ("torch",)),
    "_copy_if": Helper("_copy_if", _COPY_IF, ("torch",)),
    "_integers": Helper("_integers", _INTEGERS, ("torch",)),
    "_one_hot": Helper("_one_hot", _ONE_HOT, ("torch",)),
    "_update_if": Helper("_update_if", _UPDATE_IF, ("torch",)),
    "_varying": Helper("_varying", _VARYING, ("torch",)),
}


def render(base: str, name: str, modules: dict[str, str]) -> str:
    """The helper's source under `name`, with modules under the names that the file gives them."""
    helper = HELPERS[base]
    code = helper.code
    if name != base:
        code = re.sub(rf"\b{base}\b", name, code)
    for module in helper.imports:
        if modules[module] != module:
            code = re.sub(rf"(?<![\w.`]){module}(?=\.)", modules[module], code)
    return code


@functools.cache
def shape(base: str) -> str:
    """The helper's tree without its docstring and comments, to recognise it in a file whatever it is called."""
    return fingerprint(ast.parse(HELPERS[base].code).body[0], base)


def fingerprint(node: ast.AST, base: str) -> str:
    """A dump of a function in which its own name reads `base`."""
    name = getattr(node, "name", base)
    return ast.dump(node).replace(repr(name), repr(base))


def is_helper(node: ast.AST, base: str) -> bool:
    """True for a definition that this tool put into a file, under whatever names for itself and for torch."""
    return isinstance(node, ast.FunctionDef) and node.name.startswith(base) and base in _helpers(node)


@kept
def any_helper(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """True for a definition that this tool put into a file."""
    return any(is_helper(node, base) for base in HELPERS)


@kept
def _helpers(node: ast.FunctionDef) -> frozenset[str]:
    """The helpers that the definition is, by the name that each has without need."""
    return frozenset(base for base in HELPERS if node.name.startswith(base) and _alike(node, base))


def _alike(node: ast.FunctionDef, base: str) -> bool:
    own = HELPERS[base].code
    used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - {
        n.id for n in ast.walk(ast.parse(own)) if isinstance(n, ast.Name)
    }

    def spelled(module: re.Match[str], name: str) -> str:
        return name if name.endswith(module[1][-2:]) or len(used) == 1 else module[1]

    for name in used - {node.name}:
        own = re.sub(r"(?<![\w.`])(torch|functools)(?=\.)", functools.partial(spelled, name=name), own)
    return fingerprint(node, base) == fingerprint(ast.parse(own).body[0], base)
