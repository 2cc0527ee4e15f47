"""Questions about one node of a file, each asked once."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from . import Facts

Node = TypeVar("Node", bound=ast.AST)
Answer = TypeVar("Answer")


def once(question: Callable[[Node, Facts], Answer]) -> Callable[[Node, Facts], Answer]:
    """A question about a node that depends on nothing but the facts, which keep the answer."""

    def ask(node: Node, facts: Facts) -> Answer:
        return facts.answer(question, node, lambda: question(node, facts))

    return functools.update_wrapper(ask, question)
