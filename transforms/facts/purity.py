"""Names of Python that do nothing, write to containers, write logs, or call what they are given."""

from __future__ import annotations

PURE_BUILTINS = frozenset(
    {
        "len",
        "int",
        "float",
        "bool",
        "str",
        "isinstance",
        "hasattr",
        "range",
        "max",
        "min",
        "sum",
        "abs",
        "round",
        "list",
        "tuple",
        "dict",
        "set",
    }
    | {
        "sorted",
        "reversed",
        "zip",
        "enumerate",
        "any",
        "all",
        "repr",
        "type",
        "getattr",
        "issubclass",
        "frozenset",
        "divmod",
        "pow",
        "slice",
    }
    | {
        "map",
        "filter",
        "callable",
        "id",
        "ord",
        "chr",
        "complex",
        "bytes",
        "format",
        "hash",
        "super",
        "ValueError",
        "TypeError",
        "RuntimeError",
    }
    | {
        "KeyError",
        "IndexError",
        "AssertionError",
        "NotImplementedError",
        "Exception",
        "AttributeError",
        "ZeroDivisionError",
        "vars",
        "iter",
    }
)
PURE_MODULES = (
    "math.",
    "operator.",
    "functools.reduce",
    "functools.partial",
    "itertools.",
    "copy.copy",
    "dataclasses.replace",
    "torch.finfo",
    "torch.iinfo",
)
PURE_METHODS = frozenset(
    {
        "get",
        "keys",
        "values",
        "items",
        "index",
        "count",
        "copy",
        "format",
        "join",
        "split",
        "strip",
        "startswith",
        "endswith",
        "lower",
        "upper",
    }
    | {
        "replace",
        "dim",
        "size",
        "numel",
        "union",
        "intersection",
        "difference",
        "issubset",
        "isdigit",
        "rpartition",
        "partition",
    }
)
# Functions that call another: the position of what they call.
CALLING = {"builtins.map": 0, "builtins.filter": 0, "functools.reduce": 0, "itertools.starmap": 0}
CALLING |= {"itertools.takewhile": 0, "itertools.dropwhile": 0, "itertools.filterfalse": 0, "itertools.accumulate": 1}
CALLING |= {"itertools.groupby": 1}
CONTAINER_WRITES = frozenset(
    {"popitem", "popleft", "appendleft", "extendleft", "rotate", "move_to_end", "symmetric_difference_update"}
    | {"difference_update", "intersection_update", "__setitem__", "__delitem__", "subtract"}
    | {
        "append",
        "extend",
        "insert",
        "pop",
        "remove",
        "clear",
        "update",
        "setdefault",
        "add",
        "discard",
        "sort",
        "reverse",
    }
)
LOG_METHODS = frozenset(
    {
        "debug",
        "info",
        "warning",
        "warn",
        "error",
        "critical",
        "exception",
        "log",
        "warning_once",
        "info_once",
        "warn_once",
    }
)
