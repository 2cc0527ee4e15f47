"""What a parameter is, from its annotation, its default and the way the function uses it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..model import Level
from ..trees import named
from . import torch_api
from .classes import FunctionNode, is_attribute_of
from .conventions import CASTS, SHARED
from .recorded import as_seen
from .values import NOTHING, UNKNOWN, Tag, Value, replace

if TYPE_CHECKING:
    from . import Facts
    from .names import Names

TENSOR_TYPES = frozenset(
    {
        "torch.Tensor",
        "torch.nn.Parameter",
        "torch.nn.parameter.Parameter",
        "torch.FloatTensor",
        "torch.LongTensor",
        "torch.BoolTensor",
    }
    | {
        "torch.IntTensor",
        "torch.HalfTensor",
        "torch.DoubleTensor",
        "torch.ByteTensor",
        "torchtyping.TensorType",
        "torch._tensor.Tensor",
    }
)
HOST_TYPES = {"int": "int", "float": "float", "bool": "bool", "str": "str", "bytes": "bytes", "complex": "complex"}
SEQUENCE_TYPES = frozenset(
    {
        "list",
        "tuple",
        "dict",
        "set",
        "frozenset",
        "List",
        "Tuple",
        "Dict",
        "Sequence",
        "Iterable",
        "Mapping",
        "Iterator",
    }
)
PASSING = frozenset({"to", "cpu", "cuda", "type"})  # shared by tensors and modules; what is called on the result tells
# Evidence of an array that numpy arrays share with tensors; in torch code it is a tensor by assumption.
ARRAY_ATTRIBUTES = frozenset({"shape", "ndim", "dtype", "device", "requires_grad", "is_cuda", "grad"})


def value_of(parameter: ast.arg, default: ast.expr | None, function: FunctionNode, facts: Facts) -> Value:
    """The value of a parameter at the start of the function."""
    name = parameter.arg
    found = annotated(parameter.annotation, facts) or _defaulted(default)
    if found is None or (found.tag is Tag.NONE and not found.detail):
        by_use = used(name, function, facts)
        found = replace(by_use, optional=True) if found is not None and found.tag is Tag.NONE else by_use
    if isinstance(default, ast.Constant) and default.value is None:
        found = replace(found, optional=True)
    found = as_seen(name, found, function, facts)
    symbol = ("of", name)
    known = found.dtype if found.dtype is not None else symbol
    return replace(found, dtype=known, shape=symbol, roots=frozenset({name}), deps=frozenset({name}))


def annotated(annotation: ast.expr | None, facts: Facts) -> Value | None:
    """The value that an annotation claims, None where it says nothing useful."""
    if annotation is None:
        return None
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            parsed = ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return None
        return _from_text(parsed, annotation, facts)
    return _from_text(annotation, annotation, facts)


def _from_text(node: ast.expr, at: ast.AST, facts: Facts) -> Value | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        sides = [_from_text(s, at, facts) for s in (node.left, node.right)]
        return _union(sides)
    if isinstance(node, ast.Constant) and node.value is None:
        return Value(Tag.NONE)
    if isinstance(node, ast.Subscript):
        return _generic(node, at, facts)
    dotted = _dotted(node)
    return _named(facts.names.resolve(dotted, at, annotation=True) or "") if dotted else None


def _generic(node: ast.Subscript, at: ast.AST, facts: Facts) -> Value | None:
    """`Optional[Tensor]`, `list[int]`, `Float[Tensor, "b c"]`."""
    head = _dotted(node.value)
    last = head.rpartition(".")[2]
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if last in ("Optional", "Union", "Annotated") and not _is_typing(head, at, facts):
        return None
    if last == "Optional":
        found = _from_text(inner[0], at, facts)
        return replace(found, optional=True) if found else None
    if last == "Union":
        return _union([_from_text(i, at, facts) for i in inner])
    if last == "Annotated":
        return _from_text(inner[0], at, facts)
    if last in SEQUENCE_TYPES:
        return Value(Tag.SEQUENCE, because="it is annotated so")
    meant = facts.names.resolve(head, at, annotation=True) or ""
    array = _from_text(inner[0], at, facts) if meant.startswith("jaxtyping.") else None
    if meant == "torchtyping.TensorType" or (array is not None and array.tag is Tag.TENSOR):
        return Value(Tag.TENSOR, because="it is annotated as a tensor")
    return None


def _is_typing(dotted: str, at: ast.AST, facts: Facts) -> bool:
    return (facts.names.resolve(dotted, at, annotation=True) or "").startswith(("typing.", "typing_extensions."))


def _named(meant: str) -> Value | None:
    """The value that a type claims, by its qualified name."""
    if meant in TENSOR_TYPES:
        return Value(Tag.TENSOR, because="it is annotated as a tensor")
    if meant.startswith("builtins."):
        plain = meant.removeprefix("builtins.")
        if plain in HOST_TYPES:
            return Value(Tag.HOST, because="it is annotated so", detail=HOST_TYPES[plain])
        if plain in SEQUENCE_TYPES:
            return Value(Tag.SEQUENCE, because="it is annotated so")
    if meant in ("torch.dtype", "torch.device", "torch.Size"):
        return Value(Tag.HOST, because="it is annotated so", detail=meant.removeprefix("torch."))
    if meant == "torch.nn.Module":
        return Value(Tag.MODULE, because="it is annotated so")
    return None


def _union(sides: list[Value | None]) -> Value | None:
    real = [s for s in sides if s is not None and s.tag is not Tag.NONE]
    optional = any(s is not None and s.tag is Tag.NONE for s in sides)
    if len({s.tag for s in real}) == 1 and len(real) + optional == len(sides):
        return replace(real[0], optional=optional or any(s.optional for s in real))
    return None


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        head = _dotted(node.value)
        return f"{head}.{node.attr}" if head else ""
    return ""


def _defaulted(default: ast.expr | None) -> Value | None:
    if isinstance(default, ast.UnaryOp):
        default = default.operand
    if isinstance(default, ast.Constant) and default.value is not None and default.value is not ...:
        return Value(Tag.HOST, Level.ASSUMED, "its default is a Python value", detail=type(default.value).__name__)
    if isinstance(default, (ast.Tuple, ast.List, ast.Dict, ast.Set)):
        return Value(Tag.SEQUENCE, Level.ASSUMED, "its default is a Python container")
    if isinstance(default, ast.Constant) and default.value is None:
        return Value(Tag.NONE)
    return None


def used(name: str, function: FunctionNode, facts: Facts) -> Value:
    """What the uses of a name in the function say, the strongest first."""
    return facts.answer(used, (name, function), lambda: _used(name, function, facts))


def _used(name: str, function: FunctionNode, facts: Facts) -> Value:
    best = UNKNOWN
    for node in named(function, name):
        found = one_use(node, facts) if isinstance(node.ctx, ast.Load) else None
        if found is not None and (
            best.tag is Tag.UNKNOWN or (found.level is Level.PROVED and best.level is not Level.PROVED)
        ):
            best = found
    return best


def one_use(node: ast.Name, facts: Facts) -> Value | None:
    """What one use of a name says of it; None where it says nothing."""
    parent = facts.names.parent(node)
    match parent:
        case ast.Call() if node in parent.args:
            return _argument_use(node, parent, facts)
        case ast.Attribute():
            return _attribute_use(node, parent, facts)
        case ast.Subscript() if parent.value is node:
            return _subscript_use(node, parent, facts)
        case ast.Compare() | ast.BinOp():
            return _operand_use(node, parent, facts)
        case ast.UnaryOp() if not isinstance(parent.op, ast.Not):
            return _operand_use(node, parent, facts)
    return None


def drawn(target: ast.expr, item: Value, e: ast.expr, facts: Facts) -> Value:
    """What a comprehension draws: of an item that nothing else tells of, what its uses say, as of `g.isnan()`."""
    if item.tag is not Tag.UNKNOWN or not isinstance(target, ast.Name):
        return item
    uses = (one_use(n, facts) for n in named(e, target.id) if isinstance(n.ctx, ast.Load))
    said = next((u for u in uses if u is not None and u.tag is Tag.TENSOR), None)
    return item if said is None else replace(said, deps=item.deps, roots=item.roots)


def _argument_use(node: ast.Name, call: ast.Call, facts: Facts) -> Value | None:
    """`torch.abs(p)`, `self.linear(p)`, `range(p)`."""
    qualified = facts.names.qualified(call.func) or ""
    op = torch_api.function(qualified)
    first = call.args[0] is node
    if op is not None and first and op.takes_tensor:
        return Value(Tag.TENSOR, Level.PROVED, f"`{node.id}` is given to `{qualified}` on line {call.lineno}")
    if qualified == "builtins.range":
        return Value(Tag.HOST, Level.ASSUMED, f"`range({node.id})` on line {call.lineno}", detail="int")
    owner = facts.classes.owner(call)
    if first and owner is not None and is_attribute_of(call.func, owner[1]):
        made = facts.classes.values(owner[0], call.func.attr)
        if len(made) == 1 and isinstance(made[0], ast.Call):
            layer = torch_api.layer(facts.names.qualified(made[0].func) or "")
            if layer is not None and layer.takes_tensor:
                return Value(Tag.TENSOR, Level.PROVED, f"`{node.id}` is given to a layer on line {call.lineno}")
    return None


def _attribute_use(node: ast.Name, attribute: ast.Attribute, facts: Facts) -> Value | None:
    """`p.softmax(…)`, `p.to(…).softmax(…)`, `p.device`."""
    call = facts.names.parent(attribute)
    text = f"{node.id}.{attribute.attr}"
    if not (isinstance(call, ast.Call) and call.func is attribute):
        known = attribute.attr in ARRAY_ATTRIBUTES
        return Value(Tag.TENSOR, Level.ASSUMED, f"`{text}` on line {attribute.lineno}") if known else None
    if _telling(attribute.attr):
        return Value(Tag.TENSOR, Level.ASSUMED, f"`{text}(…)` on line {attribute.lineno}")
    chained = facts.names.parent(call) if attribute.attr in (*CASTS, *PASSING) else None
    if isinstance(chained, ast.Attribute) and _telling(chained.attr):
        return Value(Tag.TENSOR, Level.ASSUMED, f"`{text}().{chained.attr}` on line {attribute.lineno}")
    return None


def _subscript_use(node: ast.Name, subscript: ast.Subscript, facts: Facts) -> Value | None:
    """`p[:, 0]`, and `p[i].softmax(…)`."""
    above = facts.names.parent(subscript)
    if isinstance(above, ast.Attribute) and isinstance(facts.names.parent(above), ast.Call) and _telling(above.attr):
        because = f"`.{above.attr}(…)` of an element of `{node.id}` on line {above.lineno}"
        return Value(Tag.TENSOR, Level.ASSUMED, because)
    if _tensor_index(subscript.slice):
        return Value(Tag.TENSOR, Level.ASSUMED, f"`{node.id}` is indexed like a tensor on line {subscript.lineno}")
    return None


def _telling(method: str) -> bool:
    """True for a method of tensors that other common types do not have."""
    return method not in SHARED and torch_api.method(method) is not None


def _operand_use(node: ast.Name, parent: ast.expr, facts: Facts) -> Value | None:
    """`(p == 0).any()`, `any(p >= 0)`: what is done with a comparison or a sum shows that it is elementwise."""
    if _may_be_the_tensor(node, parent, facts):
        return None
    above = facts.names.parent(parent)
    if isinstance(above, ast.Attribute):
        call = facts.names.parent(above)
        if (
            isinstance(call, ast.Call)
            and call.func is above
            and torch_api.method(above.attr) is not None
            and above.attr not in SHARED
        ):
            return Value(
                Tag.TENSOR,
                Level.ASSUMED,
                f"`.{above.attr}(…)` of what is computed from `{node.id}` on line {above.lineno}",
            )
    if isinstance(above, ast.Call) and parent in above.args:
        qualified = facts.names.qualified(above.func) or ""
        op = torch_api.function(qualified)
        elementwise = isinstance(parent, ast.Compare) and qualified in ("builtins.any", "builtins.all")
        if elementwise or (op is not None and op.takes_tensor and above.args[0] is parent):
            return Value(
                Tag.TENSOR,
                Level.ASSUMED,
                f"`{qualified.removeprefix('builtins.')}(…)` of what is computed from `{node.id}`",
            )
    return None


def _may_be_the_tensor(node: ast.Name, parent: ast.expr, facts: Facts) -> bool:
    """`(y == p).any()`, `(y.var() + p).sqrt()`: `y` says already why the result is elementwise, `p` may be a number."""
    first = parent.left if isinstance(parent, (ast.BinOp, ast.Compare)) else node
    if first is node or isinstance(first, ast.Constant):
        return False
    given = facts.names.enclosing_function(node)
    names = {a.arg for a in ast.walk(given.args) if isinstance(a, ast.arg)} if given is not None else set[str]()
    return isinstance(first, ast.Call) or (isinstance(first, ast.Name) and first.id not in names)


def _tensor_index(index: ast.expr) -> bool:
    """An index that lists and dicts do not take: several axes with slices, None or an ellipsis."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    special = [p for p in parts if isinstance(p, ast.Slice) or (isinstance(p, ast.Constant) and p.value in (None, ...))]
    return bool(special) and (len(parts) > 1 or not isinstance(index, ast.Slice))


def annotated_tensors(function: FunctionNode, names: Names) -> set[str]:
    """The parameters whose annotation is a tensor, and nothing else."""
    a = function.args
    given = [p for p in [*a.posonlyargs, *a.args, *a.kwonlyargs] if p.annotation is not None]
    return {p.arg for p in given if p.annotation is not None and names.qualified(p.annotation) in TENSOR_TYPES}


def defaults(function: FunctionNode) -> dict[str, ast.expr | None]:
    """Every parameter's default, None where it has none."""
    a = function.args
    positional = [*a.posonlyargs, *a.args]
    padded: list[ast.expr | None] = [None] * (len(positional) - len(a.defaults)) + list(a.defaults)
    found = {p.arg: d for p, d in zip(positional, padded, strict=True)}
    return found | {p.arg: d for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True)}


def start(function: FunctionNode, facts: Facts) -> dict[str, Value]:
    """The values of all parameters where the function begins."""
    return dict(facts.answer(start, function, lambda: _start(function, facts)))


def _start(function: FunctionNode, facts: Facts) -> dict[str, Value]:
    given = defaults(function)
    env: dict[str, Value] = {}
    owner = facts.classes.of_function(function)
    a = function.args
    for i, parameter in enumerate([*a.posonlyargs, *a.args, *a.kwonlyargs]):
        if (
            owner is not None
            and i == 0
            and not any(facts.names.qualified(d) == "builtins.staticmethod" for d in function.decorator_list)
        ):
            tag = Tag.MODULE if owner.is_module else Tag.INSTANCE
            env[parameter.arg] = Value(tag, detail=owner.path, deps=NOTHING, roots=frozenset({"self"}))
        else:
            env[parameter.arg] = value_of(parameter, given[parameter.arg], function, facts)
            if env[parameter.arg].tag is Tag.UNKNOWN and parameter in a.kwonlyargs:
                env[parameter.arg] = _handed(parameter, function, facts) or env[parameter.arg]
    for rest in (a.vararg, a.kwarg):
        if rest is not None:
            env[rest.arg] = Value(Tag.SEQUENCE, roots=frozenset({rest.arg}), deps=frozenset({rest.arg}))
    return env


def _handed(parameter: ast.arg, function: FunctionNode, facts: Facts) -> Value | None:
    """The Python value that all callers of a private function give for a keyword, as far as their own inputs tell."""
    homes = {call: facts.function_of(call) for call in facts.calls.callers(function)}
    if not function.name.startswith("_") or not homes:
        return None
    found: Value | None = None
    for call, home in homes.items():
        given = next((k.value for k in call.keywords if k.arg == parameter.arg), None)
        if given is None or home is None or (home.name.startswith("_") and not home.name.endswith("__")):
            return None
        value = facts.kinds.glance(given, start(home, facts))
        if value.tag is not Tag.HOST or not value.detail or (found is not None and found.detail != value.detail):
            return None
        found = value
    own = frozenset({parameter.arg})
    return replace(found, deps=own, roots=own) if found is not None else None
