"""The effect of some code as a noun, and what single nodes read and write."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from . import torch_api
from .operations import unpacks


@dataclass
class Effect:
    """What running some code may do. All sets name locals, `self.NAME`, or `?` for anything else.

    Attributes:
        mutates: objects changed in place, by the names that were used for them and by their storage.
        storage: the storage of these alone: parameters, `self.NAME`, `?`; what the code made itself is not among it.
        written: the part of `storage` that is changed for certain, so that all that shares memory with it is.
        stores: attributes, subscripts, globals and nonlocals that are assigned.
        io: calls that print, log or warn.
        unknown: calls of which nothing is known, by their text.
        random: draws random numbers.
        raises: has a `raise` or `assert` of its own.
        reads: reads tensor values on the host (`.item()`, truth of a tensor), by line.
        breaks: does something else that Dynamo does not capture, by a word for it.
        jumps: return, break, continue or yield leave it.
        state: runs layers that write their own state in training mode.
        asks: calls of helpers that ask while compiling, and branch in Python where the answer is no.
    """

    mutates: set[str] = field(default_factory=set)
    storage: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    stores: set[str] = field(default_factory=set)
    io: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    random: bool = False
    raises: bool = False
    reads: list[int] = field(default_factory=list)
    breaks: list[str] = field(default_factory=list)
    jumps: set[str] = field(default_factory=set)
    state: list[str] = field(default_factory=list)
    asks: list[str] = field(default_factory=list)

    def add(self, other: Effect) -> None:
        """What the other code may do is done too."""
        self.mutates |= other.mutates
        self.storage |= other.storage
        self.written |= other.written
        self.stores |= other.stores
        self.io += other.io
        self.unknown += other.unknown
        self.random |= other.random
        self.raises |= other.raises
        self.reads += other.reads
        self.breaks += other.breaks
        self.jumps |= other.jumps
        self.state += other.state
        self.asks += other.asks

    @property
    def pure(self) -> bool:
        """Running it changes nothing that anyone sees (it may raise from within an operation)."""
        return not (
            self.mutates
            or self.stores
            or self.io
            or self.unknown
            or self.random
            or self.raises
            or self.state
            or self.breaks
        )

    @property
    def why_impure(self) -> str:
        """The first reason why it is not pure, in words."""
        if self.unknown:
            return f"`{self.unknown[0]}` may do anything"
        if self.mutates:
            return f"it changes `{min(self.mutates)}` in place"
        if self.stores:
            return f"it assigns `{min(self.stores)}`"
        if self.io:
            return f"`{self.io[0]}` writes to the outside"
        if self.state:
            return f"`{self.state[0]}` updates its own state in training"
        if self.random:
            return "it draws random numbers"
        if self.raises:
            return "it raises"
        return self.breaks[0] if self.breaks else ""


def asked(node: ast.AST) -> list[ast.expr]:
    """The expressions whose value a node needs on the host if they are tensors: conditions, indices, formatted text."""
    match node:
        case ast.If() | ast.While() | ast.IfExp() | ast.Assert():
            return [node.test]
        case ast.BoolOp():
            return node.values[:-1]
        case ast.UnaryOp(op=ast.Not()):
            return [node.operand]
        case ast.comprehension():
            return node.ifs
        case ast.Compare() if len(node.ops) > 1 or isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return [node.left, *node.comparators]
        case ast.Slice():
            return [e for e in (node.lower, node.upper, node.step) if e is not None]
        case ast.FormattedValue():
            return [node.value]
    return []


def written(op: torch_api.Op, call: ast.Call, subject: ast.expr | None) -> list[ast.expr]:
    """The expressions that a torch function or method writes into, `subject` being what it is applied to."""

    def given(name: str) -> ast.expr | None:
        named = next((k.value for k in call.keywords if k.arg == name), None)
        orders = ([p.name for p in s.parameters if not p.keyword_only] for s in op.signatures)
        place = next((names.index(name) for names in orders if name in names), len(call.args))
        return named or next(iter(call.args[place : place + 1]), None)

    if unpacks(call) and (op.mutates or op.mutates_if):
        return [*([subject] if subject is not None else []), *call.args, *(k.value for k in call.keywords)]
    found = [given(name) or subject for name in op.mutates]
    for name in op.mutates_if:
        switch = given(name)
        off = switch is None or (isinstance(switch, ast.Constant) and not switch.value)
        if name == "use_input_stats" and switch is None:
            off = False
        if off:
            continue
        if name == "out":
            found.append(switch)
        elif name in ("training", "use_input_stats"):
            found += [given("running_mean"), given("running_var")]
        else:
            found.append(given("weight") if name == "max_norm" else subject)
    return [f for f in found if f is not None]


def dotted(node: ast.AST) -> str:
    """The chain of names that an expression begins with: `a.b` for `a.b[0]`, empty for others."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        head = dotted(node.value)
        return f"{head}.{node.attr}" if head else ""
    if isinstance(node, ast.Subscript):
        return dotted(node.value)
    return ""
