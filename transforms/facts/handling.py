"""What can happen to a tensor that is handed around: names of what reads it, and what is left of it."""

from __future__ import annotations

from dataclasses import dataclass

# Attributes and methods that show or change what an op does not have: history, identity, memory.
FORBIDDEN = frozenset(
    {
        "grad",
        "grad_fn",
        "requires_grad",
        "is_leaf",
        "data_ptr",
        "_version",
        "retain_grad",
        "register_hook",
        "backward",
        "requires_grad_",
        "set_",
    }
    | {
        "storage",
        "untyped_storage",
        "__dict__",
        "is_shared",
        "share_memory_",
        "resize_",
        "retains_grad",
        "output_nr",
        "_grad",
        "_base",
        "is_inference",
    }
)
# Methods that give the same values in another place or form; a body can call them itself.
CONVERSIONS = frozenset({"detach", "cpu", "numpy"})
# Methods that give Python values.
UNREAD = frozenset(
    {
        "dim",
        "size",
        "numel",
        "nelement",
        "ndimension",
        "is_contiguous",
        "stride",
        "element_size",
        "is_floating_point",
        "is_complex",
        "get_device",
    }
)
READ = frozenset({"item", "tolist", "__format__", "__len__", "is_nonzero", "equal"})
TO_HOST = frozenset({"float", "int", "bool", "str", "repr", "format", "print", "complex", "hex", "any", "all"})
ELEMENTS = frozenset(
    {
        "tuple",
        "list",
        "sorted",
        "reversed",
        "zip",
        "enumerate",
        "set",
        "iter",
        "next",
        "dict",
        "frozenset",
        "map",
        "filter",
    }
)
ARITHMETIC = frozenset({"round", "abs", "min", "max", "sum", "pow", "divmod"})
PLAIN = frozenset({"len", "isinstance", "type", "range", "callable", "issubclass", "super"})
METADATA = frozenset(
    {"shape", "dtype", "device", "ndim", "itemsize", "nbytes", "is_cuda", "layout", "is_sparse", "names"}
)
# Modules whose functions Dynamo does not trace.
OUTSIDE = (
    *(
        "time.",
        "datetime.",
        "os.",
        "sys.std",
        "io.",
        "logging.",
        "warnings.",
        "json.dump",
        "json.load",
        "pickle.",
        "csv.",
    ),
    *(
        "socket.",
        "subprocess.",
        "requests.",
        "urllib.",
        "threading.",
        "queue.",
        "shutil.",
        "pathlib.",
        "tempfile.",
        "uuid.",
    ),
    *("platform.", "psutil.", "wandb.", "mlflow.", "resource.", "gc.", "traceback.", "random.", "secrets."),
)
LOGS = frozenset({"debug", "info", "warning", "warn", "error", "critical", "exception", "log"})


@dataclass(frozen=True, slots=True)
class State:
    """Where a value comes from: it may share a given tensor's memory, hold gradient history, be an array of numpy."""

    tensor: bool = False
    shares: bool = False
    history: bool = False
    array: bool = False

    @property
    def kept_badly(self) -> bool:
        """True for a value that must not be stored."""
        return self.shares or self.history

    def __or__(self, other: State) -> State:
        return State(
            self.tensor or other.tensor,
            self.shares or other.shares,
            self.history or other.history,
            self.array or other.array,
        )


HOST = State()
GIVEN = State(True, True, True)
FRESH = State(True, False, True)
CLEAN = State(True, False, False)
