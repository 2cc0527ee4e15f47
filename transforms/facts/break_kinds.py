"""The kinds of breaks that no rule rewrites: why, what their author can do, and where torch documents them."""

from __future__ import annotations

from dataclasses import dataclass

_SCALARS = "read it outside of compiled code, or set `torch._dynamo.config.capture_scalar_outputs = True` there"
_SHAPES = (
    "compute it outside of compiled code, or set `torch._dynamo.config.capture_dynamic_output_shape_ops = True` there"
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of break: why no rule rewrites it, what its author can do, and its pages in the registry of breaks."""

    reason: str
    remedy: str
    registry: tuple[str, ...]


BRANCH = Kind(
    "which way Python goes depends on the value of a tensor, and no rule can keep all ways in the graph",
    "decide outside of compiled code and pass a bool in, or write it with `torch.where`",
    ("GB0170",),
)
READ = Kind("Python needs the number itself", _SCALARS, ("GB0124",))
LIST = Kind("Python needs the numbers themselves", _SCALARS, ("GB0124", "GB0109"))
SHAPE = Kind("the size of its result depends on the values", _SHAPES, ("GB0036",))
COUNT = Kind(
    "a value that is not below `minlength` makes the result longer",
    "where all values are below n, add ones to `torch.zeros(n)` with `scatter_add_`",
    ("GB0036",),
)
NUMPY = Kind(
    "Dynamo makes tensors of what numpy computes from Python numbers, and then has to read them back",
    "compute with Python's own integers, such as by `math.prod`, or outside of compiled code",
    ("GB0124",),
)
MATH = Kind(
    "the `math` module takes numbers alone",
    "use the function of torch of the same name, which keeps the value a tensor",
    ("GB0124",),
)
RANDOM = Kind(
    "Python's random numbers are drawn outside of any graph, in an order that must be kept",
    "draw before the compiled function, in the same order, and pass the numbers in",
    ("GB0007",),
)
IMPORT = Kind("an import runs code", "import at the top of the module", ("GB0069",))
SORT = Kind(
    "it compares tensors, or numbers that are read out of them",
    "sort by keys that are Python values, or sort a tensor",
    ("GB0207", "GB0124"),
)
PROGRESS = Kind(
    "a progress bar writes to the terminal",
    "show the progress outside of compiled code: loop over the plain iterable where `torch.compiler.is_compiling()`",
    ("GB0007",),
)
GRADIENT = Kind(
    "whether the tensor requires a gradient would change inside of the graph",
    "make the tensor outside of compiled code",
    ("GB0125", "GB0225"),
)
FUNCTION = Kind(
    "a function is always true, so what was meant is not known",
    "call it: the parentheses are missing",
    ("GB0035",),
)
OUTSIDE = Kind(
    "Dynamo does not trace it",
    "call it outside of compiled code, or in a function decorated with `torch.compiler.disable`",
    ("GB0007", "GB0059"),
)
