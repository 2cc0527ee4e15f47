"""What layers of torch give, by their constructor."""

from __future__ import annotations

import ast

from ..model import Level
from ..trees import walk
from . import torch_api
from .classes import is_attribute_of
from .operations import Operations, argument_of, reduces, unpacks
from .values import ELSEWHERE, NOTHING, SCALAR, UNKNOWN, Symbol, Tag, Value, category, replace, weighted


class Layers(Operations):
    """The part of the evaluator that knows layers."""

    def _constructed(self, qualified: str, e: ast.Call, args: list[Value]) -> Value:
        """`nn.Linear(8, 4)`: the shape symbol holds what the output shape needs, `items` the layers of a container."""
        if qualified in ("torch.nn.Sequential", "torch.nn.ModuleList"):
            parts = args[0].items if len(args) == 1 and args[0].tag is Tag.SEQUENCE else tuple(args)
            exact = parts is not None and not any(isinstance(a, ast.Starred) for a in e.args)
            return Value(Tag.MODULE, detail=qualified, items=parts if exact else None)
        size = argument_of(e, 1, "out_features") if qualified.endswith("Linear") else argument_of(e, 1, "embedding_dim")
        made: object = id(e)
        if size is not None and not unpacks(e):
            marks = self._lasting(size)
            literal = not any(isinstance(n, (ast.Name, ast.Call)) for n in walk(size))
            # A size that the constructor is given differs from instance to instance.
            made = ast.dump(size) if literal else ("own", ast.dump(size), marks) if marks is not None else id(e)
        layer = torch_api.layer(qualified)
        number = layer is not None and "reduction" in layer.parameters and reduces(layer.parameters, e)
        return Value(Tag.MODULE, detail=qualified, shape=("made", made, writes_input(qualified, e), number))

    def members(self, expr: ast.expr) -> tuple[Value, ...]:
        """The layers that `self.layers` holds where `__init__` lists them or makes them alike; empty where unknown."""
        owner = self.facts.classes.owner(expr)
        if owner is None or not is_attribute_of(expr, owner[1]):
            return ()
        assert isinstance(expr, ast.Attribute)
        values = owner[0].attribute(expr.attr)
        if (
            len(values) != 1
            or owner[0].is_rebound(expr.attr)
            or not isinstance(values[0], ast.Call)
            or not values[0].args
        ):
            return ()
        held = values[0].args[0]
        inner = (
            [held.elt]
            if isinstance(held, (ast.ListComp, ast.GeneratorExp))
            else getattr(held, "elts", list(values[0].args))
        )
        found = tuple(self.facts.kinds.of(x) for x in inner)
        return found if all(v.tag is Tag.MODULE for v in found) else ()

    def _layer(self, module: Value, e: ast.Call, args: list[Value], deps: frozenset[str]) -> Value:
        if module.detail == "torch.nn.Sequential" and module.items is not None and len(args) == 1:
            found = args[0]
            for i, part in enumerate(module.items):
                found = self._through(part, found, ("node", id(e), i))
            return replace(found, deps=deps | module.deps)
        if not args:
            return replace(UNKNOWN, deps=deps | module.deps | {ELSEWHERE}, roots=module.roots | {ELSEWHERE})
        found = self._through(module, args[0], ("node", id(e)))
        return replace(found, deps=deps | module.deps)

    def _through(self, module: Value, x: Value, node: Symbol) -> Value:
        """The output of one layer for one input."""
        layer = torch_api.layer(module.detail) if module.tag is Tag.MODULE else None
        if layer is None:
            return replace(UNKNOWN, deps=x.deps | {ELSEWHERE}, roots=x.roots | {ELSEWHERE})
        inplace = overwrites(module)
        roots = x.roots if inplace or module.detail.endswith(("Identity", "Dropout")) else NOTHING
        strict = layer.shape == "last" or (layer.shape == "same" and not layer.elementwise)
        if layer.takes_tensor and strict and x.dtype is not None and not module.detail.endswith("Identity"):
            self.floats.add(x.dtype)  # weights and statistics are floating, and the input has their dtype
        if layer.shape == "same":
            kept = module.detail.endswith(("Identity", "Dropout"))
            dtype = (
                x.dtype
                if kept or (layer.elementwise and category(x.dtype, self.floats) == "float")
                else weighted(x.dtype)
            )
            return Value(Tag.TENSOR, dtype=dtype, shape=x.shape, roots=roots, deps=x.deps)
        if layer.shape == "last" and module.shape is not None:
            before = x.shape[1] if x.shape is not None and x.shape[0] == "last" else x.shape
            return Value(Tag.TENSOR, dtype=weighted(x.dtype), shape=("last", before, _output(module)), deps=x.deps)
        if layer.shape == "append" and module.shape is not None:
            return Value(
                Tag.TENSOR,
                dtype=("linear", ("own", "weights of", module.deps)),
                shape=("append", x.shape, _output(module)),
                deps=x.deps,
            )
        return Value(
            Tag.TENSOR if layer.takes_tensor else Tag.UNKNOWN,
            Level.PROVED,
            dtype=weighted(x.dtype),
            shape=SCALAR if _gives_number(module) else node,
            deps=x.deps,
        )


def _gives_number(module: Value) -> bool:
    """True for a loss that is reduced to one number."""
    return module.shape is not None and module.shape[0] == "made" and bool(module.shape[3])


def _output(module: Value) -> object:
    """What tells the output sizes of layers apart."""
    return module.shape[1] if module.shape is not None and module.shape[0] == "made" else module.shape


def writes_input(qualified: str, e: ast.Call) -> bool:
    """True for `nn.ReLU(inplace=True)` and its like; also where the argument is not a literal."""
    layer = torch_api.layer(qualified)
    if layer is None or not layer.inplace:
        return False
    given = argument_of(e, layer.parameters.index("inplace"), "inplace") if "inplace" in layer.parameters else None
    return unpacks(e) or not (given is None or (isinstance(given, ast.Constant) and not given.value))


def overwrites(module: Value) -> bool:
    """True for a layer that may write its output into its input."""
    layer = torch_api.layer(module.detail)
    if layer is None or not layer.inplace:
        return False
    return module.shape is None or module.shape[0] != "made" or bool(module.shape[2])
