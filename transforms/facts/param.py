"""Parameters of ops: their types, and names for what is passed."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..trees import walk

NUMBER = "int | float | bool"
TYPES = {
    "int": "int",
    "float": "float",
    "bool": "bool",
    "str": "str",
    "size": "list[int]",
    "shape": "list[int]",
    "dtype": "torch.dtype",
}
TYPES |= {"device": "torch.device", "ndim": "int"}
BUILTINS = frozenset(
    {
        "float",
        "int",
        "bool",
        "str",
        "len",
        "round",
        "abs",
        "min",
        "max",
        "sum",
        "tuple",
        "list",
        "sorted",
        "range",
        "repr",
        "format",
        "zip",
    }
    | {"enumerate", "any", "all", "dict", "set", "hex", "divmod", "reversed", "isinstance", "type", "complex", "pow"}
)
CLOCKS = (
    "time.",
    "datetime.",
    "os.getpid",
    "os.getenv",
    "os.environ",
    "os.path.",
    "math.",
    "threading.",
    "socket.gethostname",
    "json.dumps",
)
SETTINGS = frozenset({"config", "cfg", "args", "hparams", "options", "opt", "opts", "settings", "conf", "params"})
DISPLAYS = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Starred)


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of an op.

    Attributes:
        name: its name.
        annotation: its type as text, `torch.Tensor` with the module's public name.
        argument: the expression to pass.
        form: how the argument is written: "plain", "predicate" (a condition in graph form), "number" (a comparison
            with `x.item()`, which the graph makes) or "text" (its `str(…)`).
    """

    name: str
    annotation: str
    argument: ast.expr
    form: str = "plain"


def spelled(before: ast.expr | None, part: ast.expr) -> bool:
    """True for what looks like `{x=}` in an f-string: the text of the expression is shown, so it has to stay."""
    text = before.value if isinstance(before, ast.Constant) else ""
    return (
        isinstance(part, ast.FormattedValue)
        and isinstance(text, str)
        and text.rstrip().endswith("=")
        and part.conversion != -1
    )


def chain(e: ast.expr) -> list[str] | None:
    """The names of `a.b.c`."""
    if isinstance(e, ast.Name):
        return [e.id]
    if isinstance(e, ast.Attribute):
        head = chain(e.value)
        return [*head, e.attr] if head else None
    return None


def title(e: ast.expr) -> str:
    """A name for what an expression computes: `reward_mean` for `self.scale(reward).mean()`."""
    root = next((n.id for n in walk(e) if isinstance(n, ast.Name) and n.id not in ("self", "torch", "F")), "")
    last = (
        e.func.attr
        if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute)
        else e.attr
        if isinstance(e, ast.Attribute)
        else ""
    )
    last = last.strip("_")
    if isinstance(e, ast.Attribute) and isinstance(e.value, ast.Name) and e.value.id == "self":
        return last
    if isinstance(e, ast.Name):
        return e.id
    if isinstance(e, ast.Compare):
        return "holds"
    return f"{root}_{last}" if root and last and root != last else root or last or "value"
