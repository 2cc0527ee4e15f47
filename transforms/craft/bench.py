"""The workbench of a rule's `cut`: takes pieces of the source as libcst nodes and gives edits back.

Only the statements that a fix touches are parsed with libcst. A piece keeps its comments, quotes and line breaks.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import io
import re
import tokenize
from collections.abc import Collection, Iterable, Mapping, Sequence

import libcst as cst

from ..facts import Facts
from ..model import Condition, Edit, Fix, RuleSettings, Span
from ..source import Source
from .helpers import HELPERS, fingerprint, shape

Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement


class UnplaceableError(Exception):
    """A site whose place in the text is not known for certain."""


class Bench:
    """One file on the bench.

    Attributes:
        used: the helpers asked for so far, with their names in this file.
    """

    def __init__(self, source: Source, facts: Facts, settings: RuleSettings) -> None:
        self.source = source
        self.facts = facts
        self.settings = settings
        self.used: dict[str, str] = {}
        self.imports: set[str] = set()
        self._taken: set[str] = set()

    # -- taking --------------------------------------------------------------------------------------------------------
    def statements(self, body: Sequence[ast.stmt]) -> list[Statement]:
        """The libcst statements of consecutive statements of one block, comments above the inner ones included."""
        first, last = body[0], body[-1]
        start = self.source.span(first).start
        row, _ = self.source.position(start)
        margin = self.source.margin(first)
        text = self.source.text[start : self._tail(last)]
        if self.is_elif(first):
            text = text.removeprefix("el")
        if self.source.text[self.source.line_start(row) : start].strip():
            # A one-line suite (`if x: y = 1`): the statements stand alone on their line.
            return self._block(f"if True:\n{self.source.indent}{text}\n")
        if not margin:
            return list(self._config(text + "\n").body)
        return self._block(f"if True:\n{margin}{text}\n")

    def _block(self, text: str) -> list[Statement]:
        """The statements of the block of an `if`."""
        wrapped = self._config(text).body[0]
        assert isinstance(wrapped, cst.If)
        return [s for s in wrapped.body.body if isinstance(s, (cst.SimpleStatementLine, cst.BaseCompoundStatement))]

    def _tail(self, last: ast.stmt) -> int:
        """The end of the statement, with a comment behind it on the same line."""
        end = self.source.span(last).end
        row, _ = self.source.position(end)
        rest = self.source.text[end : self.source.line_end(row)]
        return self.source.line_end(row) if rest.lstrip().startswith("#") else end

    def _config(self, text: str) -> cst.Module:
        return cst.parse_module(
            text, config=cst.PartialParserConfig(default_indent=self.source.indent, default_newline=self.source.newline)
        )

    def parse(self, text: str) -> Statement:
        """One statement written at column 0 in the file's indentation."""
        found = self._config(text).body[0]
        assert isinstance(found, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
        return found

    def header(self, function: cst.FunctionDef) -> str:
        """The text of a function from `def` to the colon."""
        bare = function.with_changes(decorators=(), leading_lines=(), body=cst.SimpleStatementSuite([cst.Pass()]))
        return self._module([bare]).code.rstrip().removesuffix("pass").rstrip()

    def text(self, node: ast.expr) -> str:
        """The text of an expression, fit to stand on its own (parenthesised where it spans lines)."""
        code = self.source.code(node)
        return f"({code})" if re.search(r"[\r\n]", code) and not code.startswith(("(", "[", "{")) else code

    def operand(self, node: ast.expr) -> str:
        """The text of an expression, parenthesised unless it is an atom, a call, an attribute or a subscript."""
        code = self.source.code(node)
        tight = (ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Dict, ast.Set)
        return code if isinstance(node, tight) and not re.search(r"[\r\n]", code) else f"({code})"

    # -- giving --------------------------------------------------------------------------------------------------------
    def render(self, statements: Sequence[Statement], margin: str) -> str:
        """The text of statements in a block of this indentation, without a newline at the end."""
        if not margin:
            return self._module(statements).code.rstrip("\r\n")
        block = cst.If(cst.Name("_"), cst.IndentedBlock(body=list(statements), indent=margin))
        return self._module([block]).code.partition(self.source.newline)[2].rstrip("\r\n")

    def _module(self, statements: Sequence[Statement]) -> cst.Module:
        return cst.Module(body=list(statements), default_indent=self.source.indent, default_newline=self.source.newline)

    def lines(self, text: str, margin: str) -> str:
        """Text written with four-space steps and `\\n`, in the file's own indentation and line ends, below `margin`."""
        parsed = cst.parse_module(text + "\n")
        return self.render(
            [s.with_changes(leading_lines=()) if i == 0 else s for i, s in enumerate(parsed.body)], margin
        )

    def layout(self, head: str, call: str, margin: str, width: int = 120) -> str:
        """`head` and a call on one line; its arguments on lines of their own where it would be longer than `width`."""
        if len(margin) + len(head) + len(call) <= width:
            return head + call
        parsed = cst.parse_expression(call)
        assert isinstance(parsed, cst.Call)
        newline, inner = self.source.newline, margin + self.source.indent
        code = cst.Module([]).code_for_node
        parts = [code(a.with_changes(comma=cst.MaybeSentinel.DEFAULT)) for a in parsed.args]
        return f"{head}{code(parsed.func)}({newline}" + "".join(f"{inner}{p},{newline}" for p in parts) + f"{margin})"

    def replace(self, body: Sequence[ast.stmt], new: str, moved: Collection[str] = ()) -> Edit:
        """Replace consecutive statements of one block by rendered lines (see `render`), carrying their comments along.

        `new` is rendered for the margin of the first statement, or one step deeper where that is an `elif` clause;
        the comments `moved` stand elsewhere now.
        """
        first, last = body[0], body[-1]
        span = Span(self.source.span(first).start, self._tail(last))
        old = self.source.text[span.start : span.end]
        margin = self.source.margin(first)
        whole = f"if True:\n{margin}{old}" if margin else old  # as it stands in its block, so that it can be tokenized
        opening = ""
        if self.is_elif(first):
            opening = f"else:{self.source.newline}{margin}{self.source.indent}"
            margin += self.source.indent
        lost = [c for c in comments(whole) if c not in comments(new) and c not in moved]
        carried = "".join(f"{c}{self.source.newline}{margin}" for c in lost)
        if new.startswith(self.source.newline):
            new = new.removeprefix(self.source.newline)
            if not opening:
                span, carried = Span(span.start - len(margin), span.end), self.source.newline + margin + carried
        return Edit(span, opening + carried + new.removeprefix(margin))

    def margin(self, statement: ast.stmt) -> str:
        """The indentation that replacements of the statement are rendered for."""
        return self.source.margin(statement) + (self.source.indent if self.is_elif(statement) else "")

    def swap(self, node: ast.expr, text: str) -> Edit:
        """Replace an expression, with the parentheses around it where a call needs none.

        Raises:
            UnplaceableError: it stands in an f-string, where places are not known before Python 3.12.
        """
        if any(isinstance(n, ast.JoinedStr) for n in self.facts.names.ancestors(node)):
            raise UnplaceableError("it stands in an f-string")
        span, whole = self.source.span(node), self.source.text
        before = whole[: span.start].rstrip()
        grouped = before.endswith("(") and whole[span.end :].lstrip().startswith(")") and text.endswith(")")
        if grouped and not re.search(r"[\w\])]\s*\($", before):
            end = span.end + len(whole[span.end :]) - len(whole[span.end :].lstrip()) + 1
            return Edit(Span(len(before) - 1, end), text)
        return Edit(span, text)

    def insert_before(self, statement: ast.stmt, text: str) -> Edit:
        """Put rendered lines above a statement that begins its line, decorators included."""
        first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])
        at = self.source.line_start(first)
        return Edit(Span(at, at), text + self.source.newline)

    def opens_block(self, statement: ast.stmt) -> bool:
        """True for the first statement of a block."""
        parent = self.facts.names.parent(statement)
        return self.is_elif(statement) or any(
            getattr(parent, f, [None])[:1] == [statement] for f in ("body", "orelse", "finalbody")
        )

    def is_elif(self, statement: ast.stmt) -> bool:
        """True for the `If` node of an `elif` clause."""
        start = self.source.span(statement).start
        return isinstance(statement, ast.If) and self.source.text.startswith("elif", start)

    def alone(self, body: Sequence[ast.stmt]) -> bool:
        """True where the statements do not share a line with others (`a; b`, `if x: y`)."""
        start, end = self.source.span(body[0]).start, self.source.span(body[-1]).end
        row, _ = self.source.position(start)
        before = self.source.text[self.source.line_start(row) : start]
        row, _ = self.source.position(end)
        after = self.source.text[end : self.source.line_end(row)].strip()
        return not before.strip(" \t\f\ufeff") and (not after or after.startswith("#"))

    def comments_above(self, statement: ast.stmt) -> list[str]:
        """The comment lines that stand directly above a statement, at its indentation."""
        found: list[str] = []
        row = statement.lineno - 1
        while row >= 1 and self.source.line(row).startswith(self.source.margin(statement) + "#"):
            found.insert(0, self.source.line(row).strip())
            row -= 1
        return found

    def condition(self, test: ast.expr) -> Condition:
        """The condition that the judge shall watch."""
        place = self.source.place(test)
        return Condition(place.line, place.column, place.span)

    def finish(self, fix: Fix) -> Fix:
        """The fix with the helpers that its cut asked for.

        Raises:
            UnplaceableError: an edit would take an `elif` clause out of its chain, and its code into the arm above.
        """
        text = self.source.text
        if any(text.startswith("elif", e.span.start) and not e.text.startswith("el") for e in fix.edits):
            raise UnplaceableError("it stands in an `elif` clause")
        return dataclasses.replace(
            fix, helpers=tuple(sorted(self.used.items())), imports=tuple(sorted({*fix.imports, *self.imports}))
        )

    # -- names ---------------------------------------------------------------------------------------------------------
    def fresh(self, base: str) -> str:
        """A name that neither the file nor this fix uses: `base`, `base_2`, …"""
        name = self.facts.names.fresh(base, self._taken | self.facts.settings.inherited)
        self._taken.add(name)
        return name

    def named(self, base: str, site: object) -> str:
        """A fresh name for what belongs to a site: the same whenever that site is cut, and no other site's."""
        known = self.facts.given_names
        if (base, site) not in known:
            known[base, site] = self.facts.names.fresh(base, {*self._taken, *known.values()})
        self._taken.add(known[base, site])
        return known[base, site]

    def helper(self, base: str) -> str:
        """The name under which this file calls a helper; the fix will carry it (see `used`)."""
        if base not in self.used:
            present = self.present(base)
            self.used[base] = present or self.fresh(base)
        return self.used[base]

    def present(self, base: str) -> str | None:
        """The name of the helper where the file has it already."""
        for node in self.source.tree.body:
            if (
                isinstance(node, ast.FunctionDef)
                and node.name.startswith(base)
                and fingerprint(node, base) == self._shape(base)
            ):
                return node.name
        return None

    def _shape(self, base: str) -> str:
        from .compose import module_names

        plain = shape(base)
        for module, name in module_names(self.facts, HELPERS[base].imports).items():
            plain = plain.replace(f"Name(id={module!r}", f"Name(id={name!r}")
        return plain

    def torch(self, node: ast.AST) -> str:
        """The expression by which new code at `node` reaches torch; the module will import it where it does not yet."""
        self.imports.add("torch")
        for name in self.facts.names.walk.module.sites:
            if self.facts.names.resolve(name, node) == "torch":
                return name
        return (
            "torch" if self.facts.names.resolve("torch", node) is None and not self._shadows_torch(node) else "_torch"
        )

    def _shadows_torch(self, node: ast.AST) -> bool:
        scope = self.facts.names.scope_of(node)
        return self.facts.names.walk.lookup(scope, "torch") is not None


def comments(text: str) -> list[str]:
    """The comments of a piece of source, in order; the piece need not parse."""
    found: list[str] = []
    with contextlib.suppress(tokenize.TokenError, IndentationError, SyntaxError):
        tokens = tokenize.generate_tokens(io.StringIO(text, newline=None).readline)
        found.extend(token.string for token in tokens if token.type == tokenize.COMMENT)
    return found


def substitute(node: cst.CSTNode, names: Mapping[str, cst.BaseExpression]) -> cst.CSTNode:
    """The node with every read or written name of `names` replaced; attributes and keywords are not names."""
    return node.visit(_Substitution(names))  # type: ignore[return-value]


class _Substitution(cst.CSTTransformer):
    def __init__(self, names: Mapping[str, cst.BaseExpression]) -> None:
        super().__init__()
        self.names = names

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        return self.names.get(original_node.value, updated_node)

    def visit_Attribute(self, _node: cst.Attribute) -> bool:
        return False

    def leave_Attribute(self, _original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        return updated_node.with_changes(value=updated_node.value.visit(self))

    def visit_Arg(self, _node: cst.Arg) -> bool:
        return False

    def leave_Arg(self, _original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(value=updated_node.value.visit(self))


def joined(parts: Iterable[str]) -> str:
    """`a`, `a, b`: a tuple or target list without parentheses."""
    return ", ".join(parts)
