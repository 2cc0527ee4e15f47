"""Random numbers that Python or numpy draws, and what is made of them on the host."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import TYPE_CHECKING

from ..trees import walk
from .breaks import TRACED_RANDOM
from .values import Tag

if TYPE_CHECKING:
    from . import Facts

HOST_RANDOM = ("random.", "numpy.random.", "secrets.")
_OBJECTS = frozenset(
    {"seed", "getstate", "setstate", "get_state", "set_state", "shuffle", "default_rng", "Random", "SystemRandom"}
    | {"RandomState", "Generator", "SeedSequence", "PCG64", "MT19937", "Philox", "SFC64"}
)
_NUMBERS = frozenset(f"builtins.{n}" for n in ("int", "float", "abs", "round", "min", "max", "len", "bool"))
_PARTS = (ast.Compare, ast.BinOp, ast.UnaryOp, ast.Constant)


_FLOATS = {"random": 0, "rand": 0, "randn": 0, "beta": 2, "uniform": 2, "normal": 2, "gauss": 2, "triangular": 3} | {
    "exponential": 1, "gamma": 2, "lognormal": 2, "betavariate": 2, "normalvariate": 2, "expovariate": 1, "laplace": 2,
    "standard_normal": 0, "random_sample": 0, "lognormvariate": 2, "gammavariate": 2, "paretovariate": 1,
}  # fmt: skip
_INTS = {"randint": 2, "randrange": 3, "getrandbits": 1, "binomial": 2, "poisson": 1}


def number_drawn(qualified: str, given: int, keywords: Collection[str]) -> str:
    """ "float" or "int" for a function that draws one number, when it is called so; empty for any other."""
    name = qualified.rpartition(".")[2]
    if not qualified.startswith(HOST_RANDOM) or "size" in keywords or given > {**_FLOATS, **_INTS}.get(name, -1):
        return ""
    return "float" if name in _FLOATS else "int"


def draws(node: ast.AST, facts: Facts) -> list[ast.Call]:
    """The calls below a node that draw random numbers in Python, or set the generator."""
    return [n for n in walk(node) if isinstance(n, ast.Call) and drawn_by(n, facts)]


def drawn_by(call: ast.Call, facts: Facts) -> bool:
    """True for a call that draws random numbers in Python."""
    return (facts.names.qualified(call.func) or "").startswith(HOST_RANDOM)


def cuts(call: ast.Call, facts: Facts) -> bool:
    """True for a call that draws, where Dynamo does not trace that."""
    return drawn_by(call, facts) and facts.names.qualified(call.func) not in TRACED_RANDOM


def on_host(expr: ast.expr, facts: Facts, whole: bool = False) -> bool:
    """True for an expression of draws, numbers and sizes alone; for `and` and `or` only where it moves as a `whole`."""
    if isinstance(expr, ast.Call):
        name = (facts.names.qualified(expr.func) or "").rpartition(".")[2]
        known = (drawn_by(expr, facts) and name not in _OBJECTS) or facts.names.qualified(expr.func) in _NUMBERS
        parts = [*expr.args, *(k.value for k in expr.keywords)]
        return known and all(on_host(p, facts) for p in parts)
    if isinstance(expr, (ast.Name, ast.Attribute, ast.Subscript)):
        return facts.kinds.of(expr).tag is Tag.HOST
    if isinstance(expr, (ast.Tuple, ast.List)):
        return all(on_host(e, facts) for e in expr.elts)
    if isinstance(expr, ast.Compare) and len(expr.ops) > 1:
        return False
    if isinstance(expr, ast.BoolOp) and whole:
        return all(on_host(v, facts) for v in expr.values)
    below = [n for n in ast.iter_child_nodes(expr) if isinstance(n, ast.expr)]
    return isinstance(expr, _PARTS) and all(on_host(b, facts) for b in below)
