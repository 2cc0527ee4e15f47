"""Text of a store between bounds that are tensors, as an op whose body is the store itself."""

from __future__ import annotations

import ast
import re

from ..facts.bounds import BoundedStore
from ..model import Edit, Fix, NoFix, Safety
from .bench import Bench, joined

WIDTH = 120


def store_op(plan: BoundedStore, bench: Bench) -> Fix | NoFix:
    """The call of the op in the place of the store, and the op."""
    if not bench.alone([plan.node]):
        return NoFix("it shares its line with another statement")
    torch, names = bench.torch(plan.node), _Names(bench)
    value, target = names.take(plan.value, "value"), names.take(plan.target, "target")
    for e in [*plan.tensors, *plan.numbers]:
        names.take(e, e.id if isinstance(e, ast.Name) else "bound")
    kinds = dict.fromkeys([value, target, *(names.of[ast.dump(e)] for e in plan.tensors)], f"{torch}.Tensor")
    kinds |= {n: "int" for n in names.given if n not in kinds}
    root = re.sub(r"\W+", "_", bench.source.code(plan.target)).strip("_")
    name = bench.named(f"_put_into_{root.removeprefix('self_')}", plan.node)
    subscript = plan.node.targets[0]
    assert isinstance(subscript, ast.Subscript)
    body = f"{target}[{_index(subscript.slice, names)}] = {value}"
    parameters = [f"{n}: {kind}" for n, kind in kinds.items()]
    head = f"def {name}({joined(parameters)}) -> None:"
    if len(head) > WIDTH:
        head = f"def {name}(\n    {joined(parameters)}\n) -> None:"
    definition = f"@{bench.helper('_in_place')}\n{head}\n    {body}"
    margin = bench.margin(plan.node)
    arguments = joined(bench.text(names.given[n]) for n in kinds)
    text = margin + bench.layout("", f"{name}({arguments})", margin)
    edit: Edit = bench.replace([plan.node], text)
    return Fix((edit,), Safety.SAFE, "store in the graph", definitions=(definition,))


class _Names:
    """The parameters of the op: one for each expression."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.given: dict[str, ast.expr] = {}
        self.of: dict[str, str] = {}

    def take(self, expression: ast.expr, base: str) -> str:
        """The parameter for an expression, named after `base`."""
        key = ast.dump(expression)
        if key not in self.of or base in ("value", "target"):
            name, count = base, 2
            while name in self.given:
                name, count = f"{base}_{count}", count + 1
            self.given[name] = expression
            self.of.setdefault(key, name)
            return name
        return self.of[key]


def _index(node: ast.expr, names: _Names) -> str:
    """The index with parameters in the place of bounds."""
    if isinstance(node, ast.Tuple):
        return ", ".join(_index(e, names) for e in node.elts)
    if isinstance(node, ast.Slice):
        lower, upper = (_index(e, names) if e is not None else "" for e in (node.lower, node.upper))
        return f"{lower}:{upper}" + (f":{_index(node.step, names)}" if node.step is not None else "")
    return names.of.get(ast.dump(node), ast.unparse(node))
