"""Text for code without outputs that becomes the body of an op, and for the call that stands in its place."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

import libcst as cst

from ..facts.guards import Check, Guard
from ..facts.param import Param
from ..facts.predicates import graph_form
from ..facts.sinks import Sink, Source
from ..model import Edit, Fix, Level, NoFix, Safety, Span
from .bench import Bench, Statement, comments
from .compose import module_names

_WIDTH = 120


def sink_call(
    sink: Sink, bench: Bench, margin: str, statements: Sequence[Statement] = ()
) -> tuple[str, tuple[str, ...]] | NoFix:
    """The call, rendered for a block of this indentation, and the definitions that it needs.

    `statements` is the body of the op, the sink's own statement by default.
    """
    own = [bench.parse(_public(sink.body, _torch(bench)) + "\n")] if sink.body else bench.statements([sink.node])
    body = body_text(statements or own, dict(sink.replaced), bench, sink.leveled)
    if isinstance(body, NoFix):
        return body
    name, definitions = operation(sink.name, sink.params, body, bench)
    arguments = []
    for p in sink.params:
        text = argument(p, bench)
        if isinstance(text, NoFix):
            return text
        arguments.append(text)
    return margin + bench.layout("", f"{name}({', '.join(arguments)})", margin), definitions


def sink_fix(sink: Sink, bench: Bench, summary: str) -> Fix | NoFix:
    """The fix that puts the call of an op in a statement's place."""
    if not bench.alone([sink.node]):
        return NoFix("it shares its line with another statement")
    margin = bench.margin(sink.node)
    made = sink_call(sink, bench, margin)
    if isinstance(made, NoFix):
        return made
    text, definitions = made
    unsafe = sink.changes or sink.level is not Level.PROVED
    return Fix(
        edits=(bench.replace([sink.node], text),),
        safety=Safety.UNSAFE if unsafe else Safety.SAFE,
        summary=summary,
        definitions=definitions,
        changes=sink.changes,
    )


def guard_fix(guard: Guard, bench: Bench) -> Fix | NoFix:
    """The fix that puts a check into an op; Python conjuncts stay in an `if`, a following `elif` becomes an `if`."""
    sink, newline = guard.sink, bench.source.newline
    if not bench.alone([sink.node]):
        return NoFix("it shares its line with another statement")
    margin = bench.margin(sink.node)
    inner = margin + bench.source.indent if guard.host else margin
    statements = bench.statements([sink.node])
    head = statements[0]
    if isinstance(head, cst.If):
        test = cst.parse_expression(bench.text(guard.test)) if guard.host else head.test
        statements = [head.with_changes(test=test, orelse=None)]
    made = sink_call(sink, bench, inner, statements)
    if isinstance(made, NoFix):
        return made
    text, definitions = made
    if guard.host:
        text = f"{margin}if {' and '.join(bench.text(h) for h in guard.host)}:{newline}{text}"
    if guard.rest is None:
        edit = bench.replace([sink.node], text)
    else:
        start, stop = bench.source.span(sink.node).start, bench.source.span(guard.rest).start
        carried = "".join(f"{c}{newline}{margin}" for c in comments(bench.source.text[start:stop]))
        edit = Edit(Span(start, stop + len("el")), carried + text.removeprefix(margin) + newline + margin)
    return Fix(
        edits=(edit,),
        safety=Safety.UNSAFE if sink.changes else Safety.SAFE,
        summary="check inside the graph",
        definitions=definitions,
        changes=sink.changes,
        conditions=(bench.condition(sink.node.test),) if isinstance(sink.node, ast.If) else (),
    )


_FAILED = (
    "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an "
    "enhancement request to PyTorch.)"
)


def check_fix(plan: Check, bench: Bench) -> Fix | NoFix:
    """The fix for `torch._check_tensor_all(x)`, which reads `x` on the host even where it is compiled."""
    if plan.sink is not None:
        return sink_fix(plan.sink, bench, "check inside the graph")
    if not bench.alone([plan.node]):
        return NoFix("it shares its line with another statement")
    call = plan.node.value
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Attribute)
    torch, cond = bench.source.code(call.func.value), bench.source.code(call.args[0])
    lines = [
        f"if {torch}.compiler.is_compiling() and {cond}.dtype == {torch}.bool:",
        f"    {torch}._assert_async({cond}.all(), {_FAILED!r})",
        "else:",
        f"    {bench.source.code(plan.node)}",
    ]
    text = bench.lines("\n".join(lines), bench.margin(plan.node))
    changes = ("exception: on an accelerator a check that fails in compiled code is told later, without its text",)
    return Fix((bench.replace([plan.node], text),), Safety.UNSAFE, "check inside the graph", changes=changes)


def disabled(source: Source, bench: Bench) -> Fix:
    """The fix that makes Dynamo leave a helper alone."""
    margin = bench.source.margin(source.function)
    text = f"{margin}@{bench.torch(source.function)}.compiler.disable"
    return Fix((bench.insert_before(source.function, text),), Safety.SAFE, "leave the helper to Python")


_ONCE = '''\
@{torch}.compiler.assume_constant_result
def {name}(*args, **kwargs):
    """Log while tracing: a once-logger's record appears once, compiled or not."""
    {logger}.{method}(*args, **kwargs)
'''


def log_once(node: ast.Expr, logger: str, method: str, bench: Bench) -> Fix:
    """The fix that calls a once-logger through a helper that runs while tracing."""
    torch = _torch(bench)
    name, definitions = named(
        f"_{method}", lambda name: _ONCE.format(torch=torch, name=name, logger=logger, method=method), bench
    )
    assert isinstance(node.value, ast.Call)
    edit = bench.swap(node.value.func, name)
    return Fix((edit,), Safety.SAFE, "log while tracing", definitions=definitions)


def argument(param: Param, bench: Bench) -> str | NoFix:
    """What is passed for a parameter."""
    if param.form == "predicate":
        return graph_form(param.argument, bench.facts, bench.text)
    text = bench.text(param.argument)
    if param.form == "number":
        return _numbered(param.argument, bench)
    return f"str({text})" if param.form == "text" else text


def _numbered(test: ast.expr, bench: Bench) -> str:
    """A comparison with `x.item()` in which the number may stay in the graph."""
    assert isinstance(test, ast.Compare)
    left, right = test.left, test.comparators[0]
    between = bench.source.text[bench.source.span(left).end : bench.source.span(right).start]
    sides = [
        f"{bench.helper('_number')}({bench.source.code(side.func.value)})"
        if isinstance(side, ast.Call) and isinstance(side.func, ast.Attribute) and side.func.attr == "item"
        else bench.source.code(side)
        for side in (left, right)
    ]
    # Where the number can not stay in the graph the comparison gives a bool, which the op does not take.
    return f"{_torch(bench)}.as_tensor({sides[0]}{between}{sides[1]})"


def body_text(
    statements: Sequence[Statement], replaced: Mapping[str, str], bench: Bench, leveled: bool = False
) -> str | NoFix:
    """The statements in four-space steps at column 4, with replaced expressions and without comments.

    `leveled` statements log or warn; their stack levels grow by the two frames between them and the original place.
    """
    torch = _torch(bench)
    texts = {key: _public(text, torch) for key, text in replaced.items()}
    visitor = _Replacement(texts)
    made = [s.with_changes(leading_lines=()).visit(visitor) for s in statements]
    if visitor.misspelled:
        return NoFix("an f-string shows the text of an expression that would be passed under another name")
    if leveled:
        made = [s.visit(_Leveled()) for s in made]  # type: ignore[union-attr]
    block = cst.FunctionDef(cst.Name("_"), cst.Parameters(), cst.IndentedBlock(body=made))  # type: ignore[arg-type]
    code = cst.Module([block], default_indent="    ", default_newline="\n").code
    strings = [
        n
        for n in ast.walk(ast.parse(code))
        if isinstance(n, (ast.Constant, ast.JoinedStr)) and n.end_lineno != n.lineno
    ]
    if bench.source.indent != "    " and any(isinstance(getattr(n, "value", ""), str) for n in strings):
        return NoFix("a string that spans lines would be indented anew")
    return code.partition("\n")[2].rstrip("\n")


def operation(base: str, params: Sequence[Param], body: str, bench: Bench) -> tuple[str, tuple[str, ...]]:
    """The name of the op with this body, and its definition unless the file has it already."""
    effect = bench.helper("_effect")
    torch = _torch(bench)
    signature = [f"{p.name}: {_public(p.annotation, torch)}" for p in params]

    def written(name: str) -> str:
        head = f"def {name}({', '.join(signature)}) -> None:"
        if len(head) > _WIDTH:
            head = f"def {name}(\n" + "".join(f"    {s},\n" for s in signature) + ") -> None:"
        return f"@{effect}\n{head}\n{body}\n"

    return named(base, written, bench)


def named(base: str, written: object, bench: Bench) -> tuple[str, tuple[str, ...]]:
    """A name for a definition whose text is `written(name)`; equal definitions of a file share one."""
    assert callable(written)
    wanted = ast.dump(ast.parse(written("_")))
    for node in bench.source.tree.body:
        if (
            isinstance(node, ast.FunctionDef)
            and node.decorator_list
            and ast.dump(ast.parse(written(node.name)).body[0]) == ast.dump(node)
        ):
            return node.name, ()
    chosen = bench.facts.sinks.named
    if wanted not in chosen:
        chosen[wanted] = bench.facts.names.fresh(base, set(chosen.values()))
    return chosen[wanted], (written(chosen[wanted]),)


def _torch(bench: Bench) -> str:
    bench.imports.add("torch")
    return module_names(bench.facts, ["torch"])["torch"]


def _public(text: str, torch: str) -> str:
    return text if torch == "torch" else text.replace("torch.", f"{torch}.")


class _Replacement(cst.CSTTransformer):
    """Replaces expressions by the text that stands for them, the widest first, and drops comments."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__()
        self._texts = texts
        self._found: dict[cst.CSTNode, str] = {}
        self.misspelled = False

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.BaseExpression) and not isinstance(node, (cst.SimpleString, cst.ConcatenatedString)):
            text = self._texts.get(_dump(node))
            if text is not None:
                self._found[node] = text
                return False
        return super().on_visit(node)

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode | cst.RemovalSentinel:  # type: ignore[override]
        if original_node in self._found:
            return cst.parse_expression(self._found[original_node])
        if isinstance(original_node, cst.FormattedStringExpression) and original_node.equal is not None:
            assert isinstance(updated_node, cst.FormattedStringExpression)
            self.misspelled |= _dump(original_node.expression) != _dump(updated_node.expression)
        if isinstance(updated_node, cst.TrailingWhitespace) and updated_node.comment is not None:
            return updated_node.with_changes(comment=None, whitespace=cst.SimpleWhitespace(""))
        if isinstance(updated_node, cst.EmptyLine) and updated_node.comment is not None:
            return cst.RemoveFromParent()
        return super().on_leave(original_node, updated_node)  # type: ignore[return-value]


class _Leveled(cst.CSTTransformer):
    """Adds two to the stack level of each statement that is a call of a logger or of `warnings.warn`."""

    def leave_Expr(self, original_node: cst.Expr, updated_node: cst.Expr) -> cst.Expr:  # noqa: ARG002 - libcst names it
        call = updated_node.value
        if not isinstance(call, cst.Call) or (isinstance(call.func, cst.Name) and call.func.value == "print"):
            return updated_node
        level = next((a for a in call.args if a.keyword is not None and a.keyword.value == "stacklevel"), None)
        if level is not None:
            assert isinstance(level.value, cst.Integer)
            made = level.with_changes(value=cst.Integer(str(max(level.value.evaluated_value, 1) + 2)))
            return updated_node.with_changes(value=call.with_deep_changes(level, value=made.value))
        last = call.args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        added = cst.Arg(cst.Integer("3"), cst.Name("stacklevel"), equal=equal)
        spread = isinstance(call.whitespace_before_args, cst.ParenthesizedWhitespace)
        if spread:
            inner = cst.Comma(whitespace_after=call.whitespace_before_args)
            last = last.with_changes(comma=inner, whitespace_after_arg=cst.SimpleWhitespace(""))
            end = call.args[-1].comma
            closing = end.whitespace_after if isinstance(end, cst.Comma) else call.args[-1].whitespace_after_arg
            added = added.with_changes(comma=cst.Comma(whitespace_after=closing))
        return updated_node.with_changes(value=call.with_changes(args=[*call.args[:-1], last, added]))


def _dump(node: cst.BaseExpression) -> str:
    code = cst.Module([]).code_for_node(node)
    try:
        return ast.dump(ast.parse(f"({code})", mode="eval").body)
    except SyntaxError:
        return ""
