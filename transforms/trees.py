"""The nodes of a tree. A file is walked many times and never changed, so each node keeps what is below it."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

Answer = TypeVar("Answer")
Node = TypeVar("Node", bound=ast.AST)

_ALIAS = getattr(ast, "TypeAlias", None)  # the only node whose name is a node
# Operators and contexts are shared singletons without a place in the tree; the others hold text and numbers.
_NO_CHILDREN = frozenset({"ctx", "op", "ops", "kind", "type_comment", "id", "attr", "simple", "conversion", "level"})
_NO_CHILDREN |= {"arg", "asname", "module", "rest", "kwd_attrs", "is_async", "lineno", "tag", "str", "n", "s"}
_LEAVES = (ast.Constant, ast.MatchSingleton, ast.Global, ast.Nonlocal)
_FIELDS = {
    kind: tuple(name for name in kind._fields if name not in _NO_CHILDREN and (name != "name" or kind is _ALIAS))
    if not issubclass(kind, _LEAVES)
    else ()
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}

_UNASKED: Any = object()
_SCOPES = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef})


def kept(question: Callable[[Node], Answer]) -> Callable[[Node], Answer]:
    """A question about one node, and about nothing but what is below it, that each node is asked once."""
    name = f"_{question.__name__}"

    def ask(node: Node) -> Answer:
        answers = node.__dict__
        answer: Answer = answers.get(name, _UNASKED)
        if answer is _UNASKED:
            answer = answers[name] = question(node)
        return answer

    return functools.update_wrapper(ask, question)


@kept
def children(node: ast.AST) -> tuple[ast.AST, ...]:
    """The child nodes in the order of the grammar's fields, without operators and contexts."""
    fields = _FIELDS[type(node)]
    if not fields:
        return ()
    found: list[ast.AST] = []
    held = node.__dict__
    for name in fields:
        value = held.get(name)
        if value is None:
            continue
        if type(value) is list:
            if value:
                found += value if None not in value else [item for item in value if item is not None]
        else:
            found.append(value)
    return tuple(found)


@kept
def walk(root: ast.AST) -> tuple[ast.AST, ...]:
    """The node and all below it in the order of `ast.walk`, without operators and contexts."""
    found = [root]
    for node in found:
        if _FIELDS[type(node)]:
            found += children(node)
    return tuple(found)


@kept
def by_type(root: ast.AST) -> dict[type[ast.AST], list[Any]]:
    """The nodes of `walk` by their types."""
    found: dict[type[ast.AST], list[Any]] = {}
    for node in walk(root):
        found.setdefault(type(node), []).append(node)
    return found


@kept
def types(root: ast.AST) -> frozenset[type[ast.AST]]:
    """The types of the node and of all below it."""
    return frozenset(map(type, walk(root)))


@kept
def ids(root: ast.AST) -> frozenset[int]:
    """The identities of the node and of all below it."""
    return frozenset(map(id, walk(root)))


def named(root: ast.AST, name: str) -> Sequence[ast.Name]:
    """The `Name` nodes of `walk` that spell the name."""
    return _by_name(root).get(name, ())


@kept
def _by_name(root: ast.AST) -> dict[str, list[ast.Name]]:
    found: dict[str, list[ast.Name]] = {}
    for node in walk(root):
        if type(node) is ast.Name:
            found.setdefault(node.id, []).append(node)
    return found


@kept
def dumped(node: ast.AST) -> str:
    """The structure of the node as text, the same for the same code elsewhere."""
    return ast.dump(node)


@kept
def own(root: ast.AST) -> tuple[ast.AST, ...]:
    """The node and what is below it in textual order; of inner functions, lambdas and classes what is run around them.

    That is their decorators, defaults and bases.
    """
    found, stack = [], [root]
    while stack:
        node = stack.pop()
        found.append(node)
        if type(node) not in _SCOPES:
            stack += reversed(children(node))
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            stack += [*node.decorator_list, *_defaults(node.args)]
        elif isinstance(node, ast.Lambda):
            stack += _defaults(node.args)
        elif isinstance(node, ast.ClassDef):
            stack += [*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]
    return tuple(found)


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    return [d for d in (*arguments.defaults, *arguments.kw_defaults) if d is not None]


@kept
def spelled(expression: ast.expr) -> str:
    """The expression as `ast.unparse` writes it."""
    names: list[str] = []
    root = expression
    while isinstance(root, ast.Attribute):
        names.append(root.attr)
        root = root.value
    return ".".join([root.id, *reversed(names)]) if isinstance(root, ast.Name) else ast.unparse(expression)
