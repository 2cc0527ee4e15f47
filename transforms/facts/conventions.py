"""What torch's schemas do not say: which operations need floating tensors, keep shapes, or make tensors of a size."""

from __future__ import annotations

from . import torch_api
from .torch_api import Argument
from .values import Tag, Value

DTYPES = frozenset(
    {
        "float16",
        "float32",
        "float64",
        "bfloat16",
        "half",
        "float",
        "double",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "short",
        "int",
        "long",
    }
    | {
        "bool",
        "complex64",
        "complex128",
        "cfloat",
        "cdouble",
        "uint16",
        "uint32",
        "uint64",
        "float8_e4m3fn",
        "float8_e5m2",
    }
)
# They raise for integer and bool tensors (torch 2.13), so whatever they are given is floating or complex. Not among
# them, as they take integers: linear, conv1d to conv3d, interpolate, logsumexp, erfinv, and dropout in evaluation.
NEEDS_FLOAT = frozenset(
    {"mean", "std", "var", "norm", "softmax", "log_softmax", "var_mean", "std_mean", "lerp", "lerp_", "layer_norm"}
    | {"batch_norm", "group_norm", "rms_norm", "gelu", "silu", "elu", "leaky_relu", "vector_norm", "softplus", "mish"}
    | {"binary_cross_entropy", "cross_entropy", "scaled_dot_product_attention", "bernoulli", "normalize"}
)
SAME_SHAPE = frozenset(
    {
        "softmax",
        "log_softmax",
        "cumsum",
        "cumprod",
        "clone",
        "contiguous",
        "detach",
        "detach_",
        "zeros_like",
        "ones_like",
        "empty_like",
        "full_like",
    }
    | {
        "rand_like",
        "randn_like",
        "randint_like",
        "tril",
        "triu",
        "flip",
        "roll",
        "dropout",
        "layer_norm",
        "float",
        "double",
        "half",
        "bfloat16",
        "long",
    }
    | {
        "int",
        "bool",
        "to",
        "type_as",
        "cpu",
        "cuda",
        "bernoulli",
        "index_add",
        "scatter",
        "scatter_add",
        "index_fill",
        "masked_fill",
        "masked_scatter",
    }
    | {
        "normalize",
        "rms_norm",
        "batch_norm",
        "requires_grad_",
        "renorm",
        "nan_to_num",
        "argsort",
        "index_copy",
        "gelu",
        "softplus",
        "logcumsumexp",
    }
)
CASTS = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "long": "int64",
    "int": "int32",
    "bool": "bool",
}
CASTS |= {"short": "int16", "char": "int8", "byte": "uint8"}
SAME_DTYPE = frozenset(
    {
        "randint_like",
        "rand_like",
        "randn_like",
        "zeros_like",
        "ones_like",
        "empty_like",
        "full_like",
        "bernoulli",
        "clone",
        "contiguous",
        "detach",
    }
    | {
        "index_add",
        "scatter_add",
        "scatter",
        "dropout",
        "flip",
        "roll",
        "tril",
        "triu",
        "index_copy",
        "index_fill",
        "masked_scatter",
    }
)
# Functions that make a tensor of the default dtype, with the size as one argument or spread over all.
FACTORIES = frozenset({"torch.zeros", "torch.ones", "torch.rand", "torch.randn", "torch.empty", "torch.full"})
FROM_DATA = frozenset({"torch.tensor", "torch.as_tensor", "torch.asarray", "torch.from_numpy"})
KEEP_DTYPE_METHODS = frozenset({"new_zeros", "new_ones", "new_full", "new_empty"})

# Methods that tensors and other common Python types share: their use says little.
SHARED = frozenset(
    {
        "copy",
        "count",
        "index",
        "sort",
        "format",
        "replace",
        "split",
        "get",
        "keys",
        "values",
        "items",
        "pop",
        "append",
        "update",
        "clear",
    }
    | {
        "add",
        "remove",
        "extend",
        "insert",
        "reverse",
        "union",
        "difference",
        "type",
        "size",
        "to",
        "eval",
        "train",
        "apply",
        "cpu",
        "cuda",
    }
    | {
        "half",
        "float",
        "double",
        "register_hook",
        "share_memory",
        "name",
        "names",
        "data",
        "device",
        "dtype",
        "parameters",
        "numpy",
        "fill",
    }
    | {
        "bind",
        "map_",
        "cast",
        "close",
        "write",
        "read",
        "flush",
        "send",
        "encode",
        "decode",
        "is_integer",
        "bit_length",
        "real",
        "imag",
        "conjugate",
    }
)


def needs_float(op: torch_api.Op) -> bool:
    """True for an operation that raises for integer tensors."""
    return op.name.rpartition(".")[2] in NEEDS_FLOAT


def is_dtype(qualified: str) -> bool:
    """True for `torch.float32` and the like."""
    head, _, last = qualified.rpartition(".")
    return head == "torch" and last in DTYPES


def argument(value: Value, literal: object = None) -> Argument:
    """How the table of torch's functions calls an argument."""
    if literal is True:
        return "true"
    if literal is False:
        return "false"
    if value.tag is Tag.NONE:
        return "none"
    if value.tag is Tag.TENSOR or (value.tag is Tag.SEQUENCE and value.detail == "of tensors"):
        return "tensor"
    if value.tag is Tag.SEQUENCE and value.items is not None and value.items:
        return (
            "tensor"
            if any(i.tag is Tag.TENSOR for i in value.items)
            else "host"
            if all(i.tag is Tag.HOST for i in value.items)
            else "unknown"
        )
    return "host" if value.tag is Tag.HOST else "unknown"


# Functions that read or write files, or are scripts, are not what a user compiles.
FILES = frozenset(
    {"builtins.open", "torch.save", "torch.load", "torch.hub.load", "builtins.input", "builtins.exec", "builtins.eval"}
)
FILE_MODULES = (
    "os.",
    "shutil.",
    "json.",
    "pickle.",
    "subprocess.",
    "argparse.",
    "requests.",
    "pathlib.",
    "safetensors.",
    "sys.",
)
SCRIPTS = ("test_", "main", "convert_", "load_", "save_", "download_", "train_", "evaluate_")
# Methods of a module that run outside its forward pass.
OUTSIDE = frozenset(
    {"__init__", "extra_repr", "__repr__", "reset_parameters", "_init_weights", "init_weights", "state_dict"}
    | {"load_state_dict", "train", "eval", "_load_from_state_dict", "_save_to_state_dict", "from_pretrained"}
    | {"save_pretrained", "configure_optimizers", "__setstate__", "to", "_apply", "get_config", "from_config"}
    | {"__new__", "__del__", "__reduce__", "__getstate__", "__deepcopy__", "__eq__", "__hash__", "__len__", "__str__"}
)
