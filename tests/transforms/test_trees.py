"""What nodes keep is what the standard library says of them."""

from __future__ import annotations

import ast
import asyncio.base_events
import dataclasses
import doctest
import json.decoder
import logging
import random
import statistics
from pathlib import Path

import pytest

from refactor.transforms.trees import by_type, ids, named, spelled, types, walk

MODULES = (asyncio.base_events, dataclasses, doctest, json.decoder, logging, random, statistics)
APART = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_nodes_are_those_of_ast(module):
    tree = ast.parse(Path(module.__file__).read_text("utf-8"))
    for root in [tree, *tree.body]:
        nodes = [n for n in ast.walk(root) if not isinstance(n, APART)]
        assert list(walk(root)) == nodes
        assert types(root) == {type(n) for n in nodes}
        assert ids(root) == {id(n) for n in nodes}
        assert by_type(root).get(ast.Call, []) == [n for n in nodes if type(n) is ast.Call]
        assert list(named(root, "self")) == [n for n in nodes if isinstance(n, ast.Name) and n.id == "self"]
    for node in ast.walk(tree):
        if isinstance(node, (ast.Attribute, ast.Name, ast.Call)):
            assert spelled(node) == ast.unparse(node)
