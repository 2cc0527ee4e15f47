"""Makes programs out of the rules' own cases by changing them at random: what no generator would think of is in those.

A changed program need not make sense, nor run to its end: it is held against its own rewrite, errors included.
"""

from __future__ import annotations

import ast
import copy
import functools
import random
from collections.abc import Callable, Sequence
from pathlib import Path

from ..rules.test_cases import RUNNING
from .reduce import Block, Place, places

NAMED = ("make_callable", "make_inputs")


@functools.cache
def seeds(folder: Path | None = None) -> tuple[str, ...]:
    """The inputs of the cases that can be run, each with its `make_callable` and `make_inputs`; or a folder of such."""
    if folder is not None:
        return tuple(path.read_text("utf-8") for path in sorted(folder.glob("*.py")))
    found = []
    for case in RUNNING:
        names = dict(zip(case.values("runs")[0].split(), NAMED, strict=True))
        tree = ast.parse(case.input)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                node.name = names.get(node.name, node.name)
        found.append(ast.unparse(tree))
    return tuple(found)


def mutated(choose: random.Random, folder: Path | None = None) -> str:
    """A program with one to four changes, of a rule's case or of a file of the folder."""
    tree = ast.parse(choose.choice(seeds(folder)))
    for _ in range(choose.randint(1, 4)):
        standing = list(places(tree))
        if standing:
            choose.choice(CHANGES)(choose.choice(standing), choose)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _made(text: str, body: Block | None = None) -> Block:
    """Statements written out, `BODY` standing for others."""
    made = ast.parse(text).body
    for node in ast.walk(ast.Module(made, [])):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                places = [i for i, s in enumerate(block) if isinstance(s, ast.Expr) and ast.unparse(s) == "BODY"]
                for i in places:
                    block[i : i + 1] = copy.deepcopy(body or [ast.Pass()])
    return made


def _known(place: Place) -> list[str]:
    """Names that may be bound where a statement stands: parameters, and what is stored above."""
    function, block, index = place
    given = [a.arg for a in [*function.args.args, *function.args.kwonlyargs] if a.arg != "self"]
    above = (n for s in block[:index] for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return [*given, *(n.id for n in above)] or ["torch"]


def _question(place: Place, choose: random.Random) -> str:
    """A condition on something in sight."""
    name = choose.choice(_known(place))
    asked = [f"{name} is None", f"{name} is not None", f"isinstance({name}, torch.Tensor)", f"hasattr({name}, 'shape')"]
    asked += [f"({name} > 0).any()", f"{name}.sum() > 0", f"{name}.shape[0] > 2", f"torch.isnan({name}).any()"]
    if place[0].args.args[:1] and place[0].args.args[0].arg == "self":
        asked += ["self.training", "not self.training"]
    return choose.choice(asked)


def _wrap(place: Place, choose: random.Random) -> None:
    """Put some statements in a row into a block of another kind."""
    _, block, index = place
    stop = choose.randint(index + 1, len(block))
    question = _question(place, choose)
    kinds = [f"if {question}:\n BODY", f"if {question}:\n pass\nelse:\n BODY", f"if {question}:\n BODY\nelse:\n BODY"]
    kinds += [f"if {question}:\n BODY\nelif {_question(place, choose)}:\n BODY\nelse:\n BODY"]
    kinds += ["for _ in range(2):\n BODY", f"for _ in range(3):\n BODY\n if {question}:\n  break"]
    kinds += ["with torch.no_grad():\n BODY", "try:\n BODY\nfinally:\n pass", "try:\n BODY\nexcept ValueError:\n pass"]
    block[index:stop] = _made(choose.choice(kinds), block[index:stop])


def _insert(place: Place, choose: random.Random) -> None:
    """Put something before a statement that reads, writes, says or leaves."""
    _, block, index = place
    name, other = choose.choice(_known(place)), choose.choice(_known(place))
    kinds = [f"print({name})", f"print(f'at {{{name}}}')", f"{name} = {other}", f"{name} = {name} * 2", f"{name} += 1"]
    kinds += [f"{name}.add_(1)", f"{name}[0] = 0", f"seen = {name}.sum().item()", f"assert ({name} == {name}).all()"]
    kinds += [f"if {_question(place, choose)}:\n return {name}", f"if {_question(place, choose)}:\n {name} = {other}"]
    kinds += [f"if {_question(place, choose)}:\n raise ValueError('odd')", f"{name} = {name}[{name} > 0]"]
    kinds += [f"noise = torch.rand(2); {name} = {name} + noise[0]", f"kept = {name}; {name} = {name}.clone()"]
    block[index:index] = _made(choose.choice(kinds))


def _turn(place: Place, choose: random.Random) -> None:
    """Change an `if`, where there is one: its arms, or its condition."""
    _, block, index = place
    branch = block[index]
    if not isinstance(branch, ast.If):
        return _insert(place, choose)
    kind = choose.randrange(4)
    if kind == 0 and branch.orelse:
        branch.body, branch.orelse = branch.orelse, branch.body
    elif kind == 1:
        branch.test = ast.UnaryOp(ast.Not(), branch.test)
    elif kind == 2:
        more = ast.parse(_question(place, choose), mode="eval").body
        parts = [branch.test, more] if choose.random() < 0.5 else [more, branch.test]
        branch.test = ast.BoolOp(choose.choice([ast.And(), ast.Or()]), parts)
    elif not branch.orelse:
        branch.orelse = copy.deepcopy(branch.body)
    return None


def _number(place: Place, choose: random.Random) -> None:
    """Change a number or a comparison in a statement."""
    _, block, index = place
    nodes = [n for n in ast.walk(block[index]) if isinstance(n, (ast.Constant, ast.Compare))]
    numbers = [n for n in nodes if isinstance(n, ast.Compare) or type(n.value) in (int, float)]
    if not numbers:
        return
    node = choose.choice(numbers)
    if isinstance(node, ast.Compare):
        node.ops[0] = choose.choice([ast.Lt(), ast.LtE(), ast.Gt(), ast.GtE(), ast.Eq(), ast.NotEq()])
    elif isinstance(node.value, (int, float)):
        node.value = choose.choice([0, 1, node.value + 1, node.value * 0.5])


def _shuffle(place: Place, choose: random.Random) -> None:
    """Let a statement go, stand twice, or stand before the one above it."""
    _, block, index = place
    kind = choose.randrange(3)
    if kind == 0:
        block[index : index + 1] = [] if len(block) > 1 else [ast.Pass()]
    elif kind == 1:
        block.insert(index, copy.deepcopy(block[index]))
    elif index:
        block[index - 1], block[index] = block[index], block[index - 1]


CHANGES: Sequence[Callable[[Place, random.Random], None]] = (_wrap, _wrap, _insert, _insert, _turn, _number, _shuffle)
