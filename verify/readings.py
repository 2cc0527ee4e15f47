"""Reads what Dynamo's structured trace says in words: breaks, failed guards and the code of graphs. No torch here."""

from __future__ import annotations

import ast
import collections
import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .structured import Key
from .trace import Guard, Place

_LOCATION = re.compile(r"Graph break in user code at (.+?):(\d+)")
_REASON = re.compile(r"^(?:Graph Break )?Reason: (.*)", re.MULTILINE)
_RAISED = re.compile(r"^torch\._dynamo\.exc\.\w+: (.*)", re.MULTILINE)
_EXPLANATION = re.compile(r"^\s*Explanation: (.*)", re.MULTILINE)
_HINT = re.compile(r"^\s*Hint: (.*)", re.MULTILINE)
# What is said of a break that another one was met in; the reason of that one follows.
_UNHANDLED = ("Failed to handle graph break gracefully", "Encountered graph break when attempting to trace")
_REGISTRY = re.compile(r"/gb(\d{4})\.html")
_LINE = re.compile(r'^\s*File "([^"]+)", line (\d+), in (.+)\n(?:\s+(.+))?', re.MULTILINE)
_LOCAL = re.compile(r"\bL\['(\w+)'\]")
_PAIR = re.compile(r"expected (?:\w+=)?(.+?)(?:, actual (.+?))?\.?$")
_TENSOR = re.compile(r"^tensor '(.+?)' (\w+) mismatch(?: at index (\d+))?")
_USER_LINE = re.compile(r"# ([^#]*?\.py):(\d+) in ")
_GRAPH_LINE = re.compile(r"^\s*# File: (.+?):(\d+) in ")


@dataclass(slots=True)
class Cut:
    """A break: the user's file and line ("" and 0 where the trace names no user code), and what Dynamo says of it."""

    path: str
    line: int
    reason: str
    registry: str = ""
    explanation: str = ""
    hints: list[str] = field(default_factory=list)
    stack: list[Place] = field(default_factory=list)


def cut(text: str) -> Cut:
    """What the text of a break says."""
    stack = [Place(path, int(line), name, code) for path, line, name, code in _LINE.findall(text) if _is_users(path)]
    located = _LOCATION.search(text)
    path, line = (located.group(1), int(located.group(2))) if located else ("", 0)
    if not located and stack:
        path, line = stack[-1].path, stack[-1].line
    explanation = _EXPLANATION.search(text)
    registry = _REGISTRY.search(text)
    return Cut(
        path=path,
        line=line,
        reason=_reason(text),
        registry=f"GB{registry.group(1)}" if registry else "",
        explanation=explanation.group(1).strip() if explanation else "",
        hints=[hint.strip() for hint in _HINT.findall(text)],
        stack=stack,
    )


def failure_reason(text: str) -> str:
    """The first line that says why a frame was given up."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if lines and lines[0].startswith(_UNHANDLED):
        return lines[1] if len(lines) > 1 else lines[0]
    return lines[0] if lines else ""


def _reason(text: str) -> str:
    """The first line that says why; where a break was met in handling another one, why that one was there."""
    found = _REASON.search(text) or _RAISED.search(text)
    if found is None:
        return failure_reason(text)
    reason = found.group(1).strip().removeprefix("Unsupported: ")
    if reason.startswith(_UNHANDLED):
        below = [line.strip() for line in text[found.end() :].splitlines() if line.strip()]
        return below[0] if below else reason
    return reason


def cuts(events: list[tuple[Key, str]]) -> dict[tuple[Key, str, int], Cut]:
    """One row per compilation and location; the first text that says something of it counts."""
    rows: dict[tuple[Key, str, int], Cut] = {}
    for key, text in events:
        found = cut(text)
        rows.setdefault((key, found.path, found.line), found)
    return rows


def guard(text: str) -> Guard:
    """What the text of a failed guard says: `0/0: tensor 'x' size mismatch at index 0. expected 3, actual 4`."""
    compile_id, _, rest = text.partition(": ")
    said, *others = rest.split("\n")
    condition = _LOCAL.sub(r"\1", said.split("  # ")[0].strip())
    place = _USER_LINE.search(said)
    stack = _LINE.findall("\n".join(others))
    found = Guard(compile_id=compile_id, text=condition, path=place.group(1) if place else "")
    found.line = int(place.group(2)) if place else 0
    if stack:
        found.path, found.line = stack[-1][0], int(stack[-1][1])
    tensor = _TENSOR.match(condition)
    pair = _PAIR.search(condition)
    if tensor:
        name, what, index = tensor.groups()
        found.source = f"{name}.{_ASPECTS.get(what, what)}" + (f"[{index}]" if index else "")
        if pair:
            found.expected, found.actual = pair.group(1).strip(), (pair.group(2) or "").strip()
    else:
        found.source, found.expected = _compared(condition)
    return found


_ASPECTS = {"size": "shape", "stride": "stride()", "rank": "dim()"}


def _compared(condition: str) -> tuple[str, str]:
    """What a condition asks about, and what it expects, as texts."""
    with contextlib.suppress(SyntaxError):
        tree = ast.parse(condition, mode="eval").body
        if isinstance(tree, ast.Compare):
            sides = [tree.left, *tree.comparators]
            asked = next((side for side in sides if not isinstance(side, ast.Constant)), None)
            if len(sides) == 2 and asked is tree.left and isinstance(tree.ops[0], (ast.Eq, ast.Is)):
                return ast.unparse(asked), ast.unparse(sides[1])
            return (ast.unparse(asked), condition) if asked is not None else ("", condition)
    state = re.match(r"GLOBAL_STATE changed: (.*)", condition)
    if state:
        return f"global state: {state.group(1).strip()}", ""
    kind = re.match(r"___check_type_id\((.+), \d+\), type=<class '(.+)'>", condition)
    if kind:
        return f"type({kind.group(1)})", kind.group(2)
    same = re.match(r"___check_obj_id\((.+), \d+\)", condition)
    return (same.group(1), "") if same else ("", "")


@dataclass(frozen=True, slots=True)
class Code:
    """A graph, as its code shows it: the calls by name, and the user's lines in order."""

    calls: dict[str, int]
    lines: list[tuple[str, int]]

    @property
    def ops(self) -> int:
        """The number of calls."""
        return sum(self.calls.values())


def code(text: str) -> Code:
    """Read the code of a graph; without calls where it does not parse."""
    lines = [(m.group(1), int(m.group(2))) for m in map(_GRAPH_LINE.match, text.splitlines()) if m]
    calls: collections.Counter[str] = collections.Counter()
    with contextlib.suppress(SyntaxError):
        for function in ast.walk(ast.parse(text)):
            if isinstance(function, ast.FunctionDef) and function.name == "forward":
                calls.update(name for statement in function.body for name in _called(statement))
    return Code(dict(calls.most_common()), list(dict.fromkeys(lines)))


def _called(statement: ast.stmt) -> Iterator[str]:
    """The operator of a line of a graph: each computes one value; calls within its arguments are data."""
    value = getattr(statement, "value", None)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        yield "setitem"
    elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr)) and value is not None:
        if isinstance(value, ast.Call):
            root, _, name = ast.unparse(value.func).partition(".")
            yield f"{root if root in _NAMESPACES else 'Tensor'}.{name}" if name else root
        elif isinstance(value, (ast.BinOp, ast.UnaryOp, ast.Subscript)) or (
            isinstance(value, ast.Compare) and not isinstance(value.ops[0], ast.Is)
        ):
            yield type(getattr(value, "op", value)).__name__.lower()


_NAMESPACES = ("torch", "operator", "math", "self")


def _is_users(path: str) -> bool:
    return "/torch/" not in path and not path.startswith("<")
