"""Methods that make a whole number of numbers which their module holds and of the shapes of what they are given."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from .classes import ClassInfo, FunctionNode, first_parameter, is_attribute_of

if TYPE_CHECKING:
    from . import Facts

_Kind = Literal["host", "int", "float"]
_ROUNDING = frozenset({"ceil", "floor", "round", "trunc", "abs", "clamp"})
_INTS = frozenset({"torch.int64", "torch.long", "torch.int32", "torch.int"})


@dataclass(slots=True)
class Made:
    """Of what a method makes its number.

    Attributes:
        follows: attributes that hold numbers.
        shaped: parameters of which it reads the shape alone.
    """

    follows: set[str] = field(default_factory=set)
    shaped: set[str] = field(default_factory=set)


class Whole:
    """The question for the methods of one file."""

    def __init__(self, facts: Facts, held: Callable[[ClassInfo], Container[str]]) -> None:
        self._facts = facts
        self._held = held
        self._of: dict[int, Made | None] = {}

    def made(self, method: FunctionNode, info: ClassInfo) -> Made | None:
        """Of what the method makes a 0-d tensor of an integer, None where it does anything else."""
        if id(method) not in self._of:
            self._of[id(method)] = _Body(method, self._held(info), self._facts).made()
        return self._of[id(method)]


class _Body:
    def __init__(self, method: FunctionNode, held: Container[str], facts: Facts) -> None:
        self._method, self._held, self._facts = method, held, facts
        self._me = first_parameter(method)
        self._found = Made()
        self._names: dict[str, _Kind] = {}

    def made(self) -> Made | None:
        arguments = self._method.args
        if (
            arguments.vararg
            or arguments.kwarg
            or arguments.kwonlyargs
            or isinstance(self._method, ast.AsyncFunctionDef)
        ):
            return None
        body = self._method.body
        if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body = body[1:]
        for statement in body[:-1]:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)]) if name not in self._parameters():
                    kind = self._kind(statement.value)
                    if kind is None:
                        return None
                    self._names[name] = kind
                case _:
                    return None
        last = body[-1] if body else None
        number = isinstance(last, ast.Return) and last.value is not None and self._kind(last.value) == "int"
        return self._found if number and self._found.follows else None

    def _parameters(self) -> set[str]:
        return {a.arg for a in [*self._method.args.posonlyargs, *self._method.args.args]}

    def _kind(self, e: ast.expr) -> _Kind | None:
        """What an expression gives: a number of Python, or a 0-d tensor; None for what is not known to be either."""
        match e:
            case ast.Constant() if type(e.value) in (int, float):
                return "host"
            case ast.Name():
                return self._names.get(e.id)
            case ast.Attribute() if self._me is not None and is_attribute_of(e, self._me):
                if e.attr in self._held:
                    self._found.follows.add(e.attr)
                    return "int"
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="shape")):
                return self._size(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="size"), args=[ast.Constant()]):
                return self._size(name)
            case ast.UnaryOp(op=ast.USub()):
                return self._kind(e.operand)
            case ast.BinOp():
                return self._arithmetic(e)
            case ast.Call():
                return self._call(e)
        return None

    def _size(self, name: str) -> _Kind | None:
        if name not in self._parameters():
            return None
        self._found.shaped.add(name)
        return "host"

    def _arithmetic(self, e: ast.BinOp) -> _Kind | None:
        kinds = (self._kind(e.left), self._kind(e.right))
        if None in kinds or not isinstance(e.op, (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)):
            return None
        if kinds == ("host", "host"):
            return "host" if not isinstance(e.op, ast.Div) else None
        return "float" if "float" in kinds or isinstance(e.op, ast.Div) else "int"

    def _call(self, e: ast.Call) -> _Kind | None:
        name = self._facts.names.qualified(e.func) or ""
        if name.startswith("torch.") and name[6:] in _ROUNDING and len(e.args) == 1 and not e.keywords:
            kind = self._kind(e.args[0])
            return kind if kind != "host" else None
        if not isinstance(e.func, ast.Attribute):
            return None
        kind = self._kind(e.func.value)
        if kind in (None, "host"):
            return None
        if e.func.attr in _ROUNDING and not e.args and not e.keywords:
            return kind
        if e.func.attr in ("long", "int") and not e.args:
            return "int"
        to = e.func.attr == "to" and len(e.args) == 1 and self._facts.names.qualified(e.args[0]) in _INTS
        return "int" if to and not e.keywords else None
