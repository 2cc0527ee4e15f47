"""Text for a loop that is written out, and for one whose region and body become functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

import libcst as cst

from ..facts.constants import UNDECIDED, decide
from ..facts.driving import Driver
from ..facts.extraction import Extraction, Part
from ..facts.flow import binds, own_jumps
from ..facts.gather import Gathering
from ..facts.loops import Unrolling
from ..facts.pieces import Piece
from ..facts.trips import Binding
from ..model import Edit, NoFix, Span
from .bench import Bench, Statement, comments, joined, substitute

Pair = tuple[ast.stmt, Statement]


# ---- unrolling ------------------------------------------------------------------------------------------------------
def unroll(plan: Unrolling, bench: Bench) -> list[Edit] | NoFix:
    """The edit that replaces the loop by its body, once per trip."""
    if not bench.alone([plan.loop]):
        return NoFix("it shares its line with another statement")
    writer = _Writer(plan, bench)
    if writer.body is None or writer.orelse is None:
        return NoFix("several statements share a line in it")
    made = writer.write()
    if not made:
        return NoFix("nothing of it would be left")
    return [_with_footer(plan.loop, bench.replace([plan.loop], bench.render(made, bench.margin(plan.loop))), bench)]


def _with_footer(loop: ast.For | ast.While, edit: Edit, bench: Bench) -> Edit:
    """The edit, with the comments that end the loop's body: no statement of it holds them."""
    source, margin = bench.source, bench.source.margin(loop)
    row = last = loop.end_lineno or 0
    found: list[str] = []
    while row < source.line_count:
        line = source.line(row + 1)
        inside = line.startswith(margin) and line[len(margin) :][:1] in (" ", "\t") and line.lstrip().startswith("#")
        if line.strip() and not inside:
            break
        row += 1
        if inside:
            found.append(line.strip())
            last = row
    if not found:
        return edit
    carried = "".join(f"{comment}{source.newline}{margin}" for comment in found)
    return Edit(Span(edit.span.start, source.line_end(last)), carried + edit.text)


class _Writer:
    """Writes the trips of one loop one after the other."""

    def __init__(self, plan: Unrolling, bench: Bench) -> None:
        self.plan = plan
        self.bench = bench
        loop = plan.loop
        self.body = _pairs(loop.body, bench.statements(loop.body))
        self.orelse = _pairs(loop.orelse, bench.statements(loop.orelse)) if loop.orelse else []
        self.exits = any(isinstance(j, ast.Break) for j in own_jumps(loop.body))
        self.written: set[int] = set()  # statements whose comments stand in an earlier copy

    def write(self) -> list[Statement]:
        """The statements of the whole loop."""
        return self._from(0)

    def _from(self, trip: int) -> list[Statement]:
        """What runs from the start of a trip on."""
        assert self.body is not None
        assert self.orelse is not None
        if trip == len(self.plan.trips):
            return [*self._last(trip - 1), *(c for _, c in self.orelse)]
        out = self._assignments(self.plan.trips[trip], self.plan.assigned)
        if self.exits:
            return [*out, *self._block(self.body, trip, lambda: self._from(trip + 1))]
        # In order of the text, so that the first copy is the one that keeps the comments.
        return [*out, *self._block(self.body, trip, list), *self._from(trip + 1)]

    def _last(self, trip: int) -> list[Statement]:
        """The assignments that the code behind the loop needs when it ends with this trip."""
        return self._assignments(self.plan.trips[trip], self.plan.kept) if trip >= 0 else []

    def _assignments(self, trip: Binding, names: frozenset[str]) -> list[Statement]:
        return [self.bench.parse(f"{name} = {item.text}\n") for name, item in trip if name in names]

    def _block(self, pairs: Sequence[Pair], trip: int, then: Callable[[], list[Statement]]) -> list[Statement]:
        """Statements of one trip, and what comes `then`, where their end is reached."""
        out: list[Statement] = []
        for i, (node, made) in enumerate(pairs):
            rest = pairs[i + 1 :]
            if isinstance(node, ast.Continue):
                return out + then()
            if isinstance(node, ast.Break):
                return out + self._last(trip)
            if isinstance(node, ast.If) and isinstance(made, cst.If):
                value = decide(node.test, self.bench.facts, self._known(trip))
                if value is not UNDECIDED:
                    return out + self._block([*self._arm(node, made, bool(value)), *rest], trip, then)
                if any(True for _ in own_jumps([node])):
                    return out + self._branch(node, made, rest, trip, then)
            out.append(self._copy(node, made, trip))
        return out + then()

    def _branch(
        self, node: ast.If, made: cst.If, rest: Sequence[Pair], trip: int, then: Callable[[], list[Statement]]
    ) -> list[Statement]:
        """A branch of which one arm leaves the trip: what follows belongs into the other arm."""
        positive = bool(node.body) and isinstance(node.body[-1], (ast.Break, ast.Continue))
        later = then if self.exits else list
        sides: list[list[Statement]] = []
        for holds in (True, False):
            arm = self._arm(node, made, holds)
            sides.append(self._block(arm if holds is positive else [*arm, *rest], trip, later))
        branch = self._if(node, made, sides[0], sides[1], trip)
        return [*branch, *([] if self.exits else then())]

    def _if(
        self, node: ast.If, made: cst.If, body: list[Statement], orelse: list[Statement], trip: int
    ) -> list[Statement]:
        test = substitute(made.test, self._elements(trip))
        assert isinstance(test, cst.BaseExpression)
        if not body and not orelse:
            body = [self.bench.parse("pass\n")]
        if not body:
            test, body, orelse = _negated(node.test, test), orelse, []
        other = cst.Else(cst.IndentedBlock(orelse)) if orelse else None
        leading = made.leading_lines if id(node) not in self.written else ()
        self.written.add(id(node))
        # An `elif` has no space of its own where it becomes an `if`.
        return [cst.If(test, cst.IndentedBlock(body), other, leading_lines=leading)]

    def _arm(self, node: ast.If, made: cst.If, holds: bool) -> list[Pair]:
        """One arm, statement by statement."""
        if holds:
            return _pairs(node.body, _suite(made.body)) or []
        if isinstance(made.orelse, cst.If):
            return [(node.orelse[0], made.orelse)]
        return (_pairs(node.orelse, _suite(made.orelse.body)) or []) if made.orelse is not None else []

    def _copy(self, node: ast.stmt, made: Statement, trip: int) -> Statement:
        copied = substitute(made, self._elements(trip))
        if id(node) in self.written:
            copied = copied.visit(_Uncommented())  # type: ignore[assignment]
        self.written.add(id(node))
        assert isinstance(copied, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
        return copied

    def _elements(self, trip: int) -> dict[str, cst.BaseExpression]:
        return {
            name: cst.parse_expression(item.text)
            for name, item in self.plan.trips[trip]
            if name not in self.plan.assigned
        }

    def _known(self, trip: int) -> dict[str, object]:
        written = binds(*self.plan.loop.body)
        return {name: item.value for name, item in self.plan.trips[trip] if item.literal and name not in written}


def _negated(test: ast.expr, made: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and isinstance(made, cst.UnaryOperation):
        return made.expression
    if isinstance(test, ast.Compare) and isinstance(made, cst.Comparison) and len(made.comparisons) == 1:
        (only,) = made.comparisons
        flipped = {cst.Is: cst.IsNot, cst.IsNot: cst.Is, cst.In: cst.NotIn, cst.NotIn: cst.In}.get(type(only.operator))
        if flipped is not None:
            return made.with_changes(comparisons=[only.with_changes(operator=flipped())])
    loose = isinstance(test, (ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr)) and not made.lpar
    inner = made.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]) if loose else made
    return cst.UnaryOperation(cst.Not(), inner)


def _suite(body: cst.BaseSuite) -> list[Statement]:
    if isinstance(body, cst.IndentedBlock):
        return list(body.body)  # type: ignore[arg-type]
    assert isinstance(body, cst.SimpleStatementSuite)
    return [cst.SimpleStatementLine([s.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]) for s in body.body]


def _pairs(nodes: Sequence[ast.stmt], made: Sequence[Statement]) -> list[Pair] | None:
    """The statements in both trees, None where they do not correspond one to one."""
    return list(zip(nodes, made, strict=False)) if len(nodes) == len(made) else None


class _Uncommented(cst.CSTTransformer):
    """Drops comments and the blank lines around them."""

    def leave_EmptyLine(
        self, original_node: cst.EmptyLine, updated_node: cst.EmptyLine
    ) -> cst.EmptyLine | cst.RemovalSentinel:
        return cst.RemoveFromParent() if original_node.comment else updated_node

    def leave_TrailingWhitespace(
        self, original_node: cst.TrailingWhitespace, updated_node: cst.TrailingWhitespace
    ) -> cst.TrailingWhitespace:
        plain = cst.SimpleWhitespace("")
        return updated_node.with_changes(comment=None, whitespace=plain) if original_node.comment else updated_node


# ---- extraction -----------------------------------------------------------------------------------------------------
def extract(plan: Extraction, bench: Bench) -> list[Edit] | NoFix:
    """The edits: a call in the place of the loop (or of its body), and the new functions beside the old one."""
    if not bench.alone([plan.loop]):
        return NoFix("it shares its line with another statement")
    made: list[cst.FunctionDef] = []
    inner: list[Statement] | None = None
    if plan.body is not None:
        name = bench.fresh(plan.body.base)
        body = _body_function(plan, plan.body, name, bench)
        if body is None:
            return NoFix("several statements share a line in it")
        given = bench.fresh("value") if plan.given is not None else None
        inner = _trip(plan, plan.body, name, given, bench)
        made.append(body)
    if plan.region is None:
        assert inner is not None
        margin = bench.source.margin(plan.loop.body[0])
        count = plan.size + (plan.given is not None)
        return [replaced(plan.loop.body[:count], bench.render(inner, margin), made, bench), put(plan, made, bench)]
    region = bench.fresh(plan.region.base)
    made.insert(0, _region_function(plan, plan.region, region, inner, bench))
    call = _call(plan, plan.region, region, None, bench)
    margin = bench.margin(plan.loop)
    here = _with_footer(plan.loop, replaced([plan.loop], margin + call, made, bench), bench)
    return [here, put(plan, made, bench)]


def replaced(nodes: Sequence[ast.stmt], text: str, made: Sequence[cst.FunctionDef], bench: Bench) -> Edit:
    """Replace statements by `text`; comments that went with them into the new functions are not carried."""
    return bench.replace(nodes, text, comments("\n".join(bench.render([m], "") for m in made)))


def _call(plan: Extraction, part: Part, name: str, given: str | None, bench: Bench) -> str:
    head = joined([*part.results, *([given] if given else [])])
    callee = f"{plan.owner}.{name}" if plan.owner else name
    call = f"{callee}({joined(part.parameters)})"
    return bench.layout(f"{head} = " if head else "", call, bench.margin(plan.loop))


def _trip(plan: Extraction, part: Part, name: str, given: str | None, bench: Bench) -> list[Statement]:
    """What is left of the statements that moved: the call, and the statement that takes a computed argument."""
    out = [bench.parse(_call(plan, part, name, given, bench) + "\n")]
    if given is not None:
        (last,) = bench.statements([plan.loop.body[plan.size]])
        assert isinstance(last, cst.SimpleStatementLine)
        assert isinstance(last.body[0], cst.Expr)
        call = last.body[0].value
        assert isinstance(call, cst.Call)
        taken = call.with_changes(args=[cst.Arg(cst.Name(given))])
        out.append(last.with_changes(body=[cst.Expr(taken)]))
    return out


def _body_function(plan: Extraction, part: Part, name: str, bench: Bench) -> cst.FunctionDef | None:
    moved = plan.loop.body[: plan.size]
    statements = bench.statements(moved) if moved else []
    if len(statements) != len(moved):
        return None
    results = [*part.results, *([bench.text(plan.given)] if plan.given is not None else [])]
    returned = bench.parse(f"return {joined(results)}\n" if results else "return\n")
    assert isinstance(returned, cst.SimpleStatementLine)
    leaving = _Returning(returned.body[0])
    statements = [s.visit(leaving) for s in statements]  # type: ignore[misc]
    above = _comments_above(plan, bench)
    if statements and above:
        statements[0] = statements[0].with_changes(leading_lines=[*above, *statements[0].leading_lines])
    return function_of(plan, part, name, [*statements, *([returned] if results else [])], bench)


def _comments_above(plan: Extraction, bench: Bench) -> list[cst.EmptyLine]:
    """Comments between the loop's header and its first statement, which are part of neither."""
    source, first = bench.source, plan.loop.body[0]
    header = plan.loop.iter if isinstance(plan.loop, ast.For) else plan.loop.test
    rows = range((header.end_lineno or 0) + 1, first.lineno)
    return [
        cst.EmptyLine(comment=cst.Comment(source.line(r).strip()))
        for r in rows
        if source.line(r).lstrip().startswith("#")
    ]


def _region_function(
    plan: Extraction, part: Part, name: str, inner: list[Statement] | None, bench: Bench
) -> cst.FunctionDef:
    (loop,) = bench.statements([plan.loop])
    assert isinstance(loop, (cst.For, cst.While))
    if inner is not None:
        behind = plan.loop.body[plan.size + (plan.given is not None) :]
        kept = bench.statements(behind) if behind else []
        block = loop.body
        bare = isinstance(block, cst.IndentedBlock)
        body = block.with_changes(body=[*inner, *kept], footer=()) if bare else cst.IndentedBlock([*inner, *kept])
        loop = loop.with_changes(body=body)
    note = cst.EmptyLine(comment=cst.Comment(_WHY))
    statements: list[Statement] = [loop.with_changes(leading_lines=[note])]
    if part.results:
        statements.append(bench.parse(f"return {joined(part.results)}\n"))
    return function_of(plan, part, name, statements, bench)


_WHY = "# Dynamo skips a function with a graph break in a loop, so the loop and its body are functions of their own."


def function_of(
    plan: Extraction | Driver | Gathering, part: Part | Piece, name: str, body: Sequence[Statement], bench: Bench
) -> cst.FunctionDef:
    """A function with these statements and the parameters of the part, annotated as the locals were."""
    a = plan.function.args
    annotated = {x.arg: x.annotation for x in [*a.posonlyargs, *a.args, *a.kwonlyargs] if x.annotation is not None}
    given = [f"{p}: {bench.text(note)}" if (note := annotated.get(p)) is not None else p for p in part.parameters]
    parameters = joined([*([plan.owner] if plan.owner else []), *given])
    made = bench.parse(f"def {name}({parameters}):\n{bench.source.indent}pass\n")
    assert isinstance(made, cst.FunctionDef)
    return made.with_changes(body=cst.IndentedBlock(body=list(body)))


class _Returning(cst.CSTTransformer):
    """Turns the `continue` of a body into the return of its function."""

    def __init__(self, returned: cst.BaseSmallStatement) -> None:
        super().__init__()
        self.returned = returned

    def visit_For(self, _node: cst.For) -> bool:
        return False

    def visit_While(self, _node: cst.While) -> bool:
        return False

    def visit_FunctionDef(self, _node: cst.FunctionDef) -> bool:
        return False

    def leave_Continue(self, *_nodes: cst.Continue) -> cst.BaseSmallStatement:
        return self.returned


def put(plan: Extraction | Driver | Gathering, made: Sequence[cst.FunctionDef], bench: Bench) -> Edit:
    """Methods stand behind the method that calls them, functions above the function."""
    source, function = bench.source, plan.function
    newline, margin = source.newline, source.margin(function)
    texts = [bench.render([m], margin) for m in made]
    if plan.owner is not None:
        at = source.line_start((function.end_lineno or 0) + 1)
        lead = "" if source.text[:at].endswith(("\n", "\r")) else newline
        tail = newline if source.text[:at].endswith(("\n", "\r")) else ""
        return Edit(Span(at, at), lead + newline + f"{newline}{newline}".join(texts) + tail)
    row = min([function.lineno, *(d.lineno for d in function.decorator_list)])
    while row > 1 and source.line(row - 1).lstrip().startswith("#") and source.line(row - 1).startswith(margin + "#"):
        row -= 1
    at = source.line_start(row)
    return Edit(Span(at, at), "".join(f"{text}{newline}{newline}{newline}" for text in texts))
