"""Text for a branch as a call of a helper with two functions."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import libcst as cst

from ..facts.arms import Arm, Branch
from ..facts.each import Each
from ..facts.predicates import graph_form
from ..model import Edit, NoFix
from .bench import Bench, joined


def branch_call(branch: Branch, predicate: str, bench: Bench, margin: str, opens: bool) -> str:
    """The statements that stand for the branch, rendered for a block of this indentation.

    `opens`: they begin the block.
    """
    definitions: list[cst.FunctionDef] = []
    functions = []
    for arm, base in ((branch.true, "when_true"), (branch.false, "when_false")):
        inline = _inline(arm, branch, bench)
        if inline is None:
            name = bench.fresh(base)
            definitions.append(_definition(name, arm, branch, bench))
            functions.append(name)
        else:
            functions.append(_function(inline, branch))
    call = helper_call(branch, predicate, functions, bench)
    head = f"{joined(branch.outputs)} = " if branch.outputs else "return "
    newline = bench.source.newline
    lifted = [bench.render(bench.statements([s]), margin) for s in branch.lifted]
    made = [bench.render([d], margin) + newline for d in definitions]
    if made and (lifted or not opens):
        made[0] = newline + made[0]
    return newline.join([*lifted, *made, margin + bench.layout(head, call, margin)])


def branch_edit(node: ast.If, host: Sequence[ast.expr], branch: Branch, predicate: str, bench: Bench) -> Edit | NoFix:
    """Replace the `if`, and what its early return skips, by the call; conditions on Python values stay in an `if`."""
    if not bench.alone(branch.replaced):
        return NoFix("it shares its line with another statement")
    margin, newline = bench.margin(node), bench.source.newline
    inner = margin + bench.source.indent if host else margin
    text = branch_call(branch, predicate, bench, inner, bool(host) or bench.opens_block(node))
    head = f"{margin}if {' and '.join(bench.text(h) for h in host)}:{newline}" if host else ""
    return bench.replace(branch.replaced, head + text)


def each_edit(plan: Each, predicate: str, bench: Bench) -> Edit | NoFix:
    """Replace a branch that makes a list of another by one call."""
    if not bench.alone([plan.node]):
        return NoFix("it shares its line with another statement")
    margin, newline, node = bench.margin(plan.node), bench.source.newline, plan.node
    function, above = f"lambda {plan.name}: {bench.text(plan.made)}", ""
    if node.body[1:]:
        function = bench.fresh("when_true")
        last = cst.parse_statement(f"return {bench.text(plan.made)}")
        made = cst.parse_statement(f"def {function}({plan.name}):\n    pass")
        assert isinstance(made, cst.FunctionDef)
        body = [*bench.statements(node.body[:-1]), last]
        above = bench.render([made.with_changes(body=cst.IndentedBlock(body=body))], margin) + newline * 2
        above = above if bench.opens_block(node) else newline + above
    call = f"{bench.helper('_where_each')}({predicate}, {function}, {plan.name})"
    return bench.replace([node], above + margin + bench.layout(f"{plan.name} = ", call, margin))


def asked(tensor: ast.expr, bench: Bench) -> str | NoFix:
    """The text of a condition; a number that it compares stays in the graph by a helper, where it takes one."""
    form = graph_form(tensor, bench.facts, bench.text)
    return graph_form(tensor, bench.facts, bench.text, bench.helper("_number")) if isinstance(form, NoFix) else form


def choice(branch: Branch, predicate: str, bench: Bench) -> str:
    """The call that stands for a conditional expression."""
    functions = [_function(str(_inline(arm, branch, bench)), branch) for arm in (branch.true, branch.false)]
    return helper_call(branch, predicate, functions, bench)


def helper_call(branch: Branch, predicate: str, functions: Sequence[str], bench: Bench) -> str:
    """The call of `_where`, `_where_alike` or `_cond`; a negated predicate turns the functions round."""
    if predicate.startswith("~") and isinstance(ast.parse(predicate, mode="eval").body, ast.UnaryOp):
        predicate, functions = predicate[1:], functions[::-1]
    helper = bench.helper("_where_alike" if branch.light else "_where" if branch.elementwise else "_cond")
    operands = f", ({joined(branch.operands)}{',' if len(branch.operands) == 1 else ''})" if branch.operands else ""
    smooth = ", smooth=True" if branch.light and branch.elementwise else ""
    return f"{helper}({predicate}, {functions[0]}, {functions[1]}{operands}{smooth})"


def _function(inline: str, branch: Branch) -> str:
    return f"lambda {joined(branch.operands)}: {inline}" if branch.operands else f"lambda: {inline}"


def _inline(arm: Arm, branch: Branch, bench: Bench) -> str | None:
    """The arm as one expression, None where it needs statements."""
    if any(isinstance(n, ast.NamedExpr) for part in (*arm.body, *arm.results) if part for n in ast.walk(part)):
        return None
    if not arm.body:
        results = [
            bench.text(r) if r is not None else name
            for r, name in zip(arm.results, branch.outputs or (None,) * len(arm.results), strict=True)
        ]
        return _tuple([str(r) for r in results])
    if len(arm.body) == 1 and all(r is None for r in arm.results):
        only = arm.body[0]
        if isinstance(only, ast.Assign) and len(only.targets) == 1 and isinstance(only.targets[0], ast.Name):
            name = only.targets[0].id
            if name in branch.outputs:
                return _tuple([bench.text(only.value) if o == name else o for o in branch.outputs])
    if all(r is None for r in arm.results) and all(_plain(s) for s in arm.body):
        values = {
            s.targets[0].id: s.value
            for s in arm.body
            if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)
        }
        independent = not any(isinstance(n, ast.Name) and n.id in values for v in values.values() for n in ast.walk(v))
        if len(values) == len(arm.body) and independent and set(values) <= set(branch.outputs):
            return _tuple([bench.text(values[o]) if o in values else o for o in branch.outputs])
    return None


def _plain(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name)
    )


def _tuple(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({joined(parts)})"


def _definition(name: str, arm: Arm, branch: Branch, bench: Bench) -> cst.FunctionDef:
    """A local function with the arm's statements; its parameters are named as the locals were."""
    body = bench.statements(arm.body) if arm.body else []
    results = [
        bench.text(r) if r is not None else o
        for r, o in zip(arm.results, branch.outputs or (None,) * len(arm.results), strict=True)
    ]
    last = cst.parse_statement(f"return {joined([str(r) for r in results])}")
    made = cst.parse_statement(f"def {name}({joined(branch.operands)}):\n    pass")
    assert isinstance(made, cst.FunctionDef)
    return made.with_changes(body=cst.IndentedBlock(body=[*body, last]))
