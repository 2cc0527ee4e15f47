"""The table of torch's names, by literals; the reader of the table, and its size."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

from refactor.transforms.facts import torch_api
from refactor.transforms.facts.torch_api import Op


def op(name: str) -> Op:
    found = torch_api.function(name) if name.startswith("torch.") else torch_api.method(name)
    assert found is not None
    return found


def row(name: str) -> tuple[str, str, str, str]:
    found = op(name)
    return found.returns, found.alias, found.dtype, found.gradient


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("torch.add", ("tensor", "fresh", "promote", "total")),
        ("torch.sub", ("tensor", "fresh", "promote", "total")),
        ("torch.mul", ("tensor", "fresh", "promote", "finite")),
        ("torch.div", ("tensor", "fresh", "float", "unsafe")),
        ("torch.floor_divide", ("tensor", "fresh", "promote", "unsafe")),
        ("torch.pow", ("tensor", "fresh", "promote", "unsafe")),
        ("torch.maximum", ("tensor", "fresh", "promote", "total")),
        ("torch.abs", ("tensor", "fresh", "same", "total")),
        ("torch.relu", ("tensor", "fresh", "same", "total")),
        ("torch.nn.functional.relu", ("tensor", "fresh", "same", "total")),
        ("torch.nn.functional.silu", ("tensor", "fresh", "float", "finite")),
        ("torch.nn.functional.gelu", ("tensor", "fresh", "float", "unsafe")),
        ("torch.nn.functional.softmax", ("tensor", "fresh", "float", "finite")),
        ("torch.nn.functional.linear", ("tensor", "fresh", "same", "finite")),
        ("torch.nn.functional.dropout", ("tensor", "maybe", "same", "finite")),
        ("torch.tanh", ("tensor", "fresh", "float", "finite")),
        ("torch.sigmoid", ("tensor", "fresh", "float", "finite")),
        ("torch.exp", ("tensor", "fresh", "float", "unsafe")),
        ("torch.log", ("tensor", "fresh", "float", "unsafe")),
        ("torch.sqrt", ("tensor", "fresh", "float", "unsafe")),
        ("torch.rsqrt", ("tensor", "fresh", "float", "unsafe")),
        ("torch.reciprocal", ("tensor", "fresh", "float", "unsafe")),
        ("torch.acos", ("tensor", "fresh", "float", "unsafe")),
        ("torch.norm", ("tensor", "fresh", "float", "unsafe")),
        ("torch.linalg.norm", ("tensor", "fresh", "float", "unsafe")),
        ("torch.clamp", ("tensor", "fresh", "promote", "total")),
        ("torch.masked_fill", ("tensor", "fresh", "same", "total")),
        ("torch.isnan", ("tensor", "fresh", "bool", "total")),
        ("torch.logical_and", ("tensor", "fresh", "bool", "total")),
        ("torch.gt", ("tensor", "fresh", "bool", "total")),
        ("torch.all", ("tensor", "fresh", "bool", "total")),
        ("torch.argmax", ("tensor", "fresh", "int64", "total")),
        ("torch.sum", ("tensor", "fresh", "accumulate", "total")),
        ("torch.mean", ("tensor", "fresh", "float", "total")),
        ("torch.cat", ("tensor", "fresh", "promote", "total")),
        ("torch.matmul", ("tensor", "fresh", "same", "finite")),
        ("torch.reshape", ("tensor", "maybe", "same", "total")),
        ("torch.squeeze", ("tensor", "view", "same", "total")),
        ("torch.broadcast_tensors", ("tensors", "view", "same", "total")),
        ("torch.nn.functional.unfold", ("tensor", "fresh", "same", "unsafe")),
        ("torch.nn.functional.batch_norm", ("tensor", "fresh", "same", "unsafe")),
        ("torch.chunk", ("tensors", "view", "same", "total")),
        ("torch.split", ("tensors", "view", "same", "total")),
        ("torch.fft.fft", ("tensor", "fresh", "unknown", "total")),
        ("view", ("tensor", "view", "same", "total")),
        ("transpose", ("tensor", "view", "same", "total")),
        ("permute", ("tensor", "view", "same", "total")),
        ("expand", ("tensor", "view", "same", "total")),
        ("unbind", ("tensors", "view", "same", "total")),
        ("detach", ("tensor", "view", "same", "total")),
        ("contiguous", ("tensor", "maybe", "same", "total")),
        ("to", ("tensor", "maybe", "unknown", "total")),
        ("clone", ("tensor", "fresh", "same", "total")),
        ("all", ("tensor", "fresh", "bool", "total")),
        ("__add__", ("tensor", "fresh", "promote", "total")),
        ("__gt__", ("tensor", "fresh", "bool", "total")),
        ("__truediv__", ("tensor", "fresh", "float", "unsafe")),
    ],
)
def test_result_alias_dtype_and_gradient(name: str, expected: tuple[str, str, str, str]) -> None:
    assert row(name) == expected


@pytest.mark.parametrize(
    "name", ["size", "numel", "dim", "is_floating_point", "stride", "data_ptr", "__len__", "is_complex"]
)
def test_host_values_that_need_no_copy(name: str) -> None:
    found = op(name)
    assert found.returns == "host"
    assert not found.reads


@pytest.mark.parametrize(
    "name", ["item", "tolist", "equal", "allclose", "is_nonzero", "__bool__", "__int__", "__float__", "torch.equal"]
)
def test_host_values_that_are_read(name: str) -> None:
    found = op(name)
    assert found.returns == "host"
    assert found.reads


@pytest.mark.parametrize("name", ["numpy", "cpu", "nonzero", "torch.masked_select", "torch.bincount", "torch.unique"])
def test_other_reads(name: str) -> None:
    assert op(name).reads


@pytest.mark.parametrize("name", ["torch.is_tensor", "torch.finfo", "torch.numel", "torch.compiler.is_compiling"])
def test_functions_with_host_values(name: str) -> None:
    assert op(name).returns == "host"


@pytest.mark.parametrize(
    ("name", "mutates", "mutates_if"),
    [
        ("add_", ("self",), ()),
        ("copy_", ("self",), ()),
        ("index_add_", ("self",), ()),
        ("zero_", ("self",), ()),
        ("__iadd__", ("self",), ()),
        ("__setitem__", ("self",), ()),
        ("add", (), ("out",)),
        ("exp", (), ()),
        ("torch.add", (), ("out",)),
        ("torch.nn.functional.relu", (), ("inplace",)),
        ("torch.nn.functional.relu_", ("input",), ()),
        ("torch.nn.functional.batch_norm", (), ("training",)),
        ("torch.nn.init.normal_", ("tensor",), ()),
        ("__invert__", (), ()),
    ],
)
def test_mutation(name: str, mutates: tuple[str, ...], mutates_if: tuple[str, ...]) -> None:
    assert op(name).mutates == mutates
    assert op(name).mutates_if == mutates_if


def test_in_place_methods_return_their_tensor() -> None:
    assert op("add_").returns == "tensor"
    assert op("add_").alias == "view"
    assert op("requires_grad_").effect
    assert op("backward").effect
    assert op("backward").returns == "none"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *(
            (f"torch.{n}", "always")
            for n in ("rand", "randn_like", "randint", "randperm", "bernoulli", "multinomial", "normal")
        ),
        *((n, "always") for n in ("normal_", "uniform_", "bernoulli_", "random_", "exponential_")),
        ("torch.nn.functional.dropout", "maybe"),
        ("torch.nn.functional.rrelu", "maybe"),
        ("torch.nn.functional.gumbel_softmax", "always"),
        ("torch.nn.functional.scaled_dot_product_attention", "maybe"),
        ("torch.relu", "never"),
        ("torch.zeros", "never"),
        ("torch.empty", "never"),
    ],
)
def test_random_numbers(name: str, expected: str) -> None:
    assert op(name).random == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *(
            (f"torch.{n}", True)
            for n in ("nonzero", "argwhere", "masked_select", "unique", "unique_consecutive", "bincount")
        ),
        ("torch.where", True),
        ("torch.topk", False),
        ("torch.relu", False),
    ],
)
def test_shapes_that_depend_on_values(name: str, expected: bool) -> None:
    assert op(name).value_shape is expected


@pytest.mark.parametrize(
    ("name", "elementwise", "total"),
    [
        ("torch.add", True, True),
        ("torch.where", True, True),
        ("torch.clamp", True, True),
        ("torch.nn.functional.gelu", True, True),
        ("torch.bitwise_and", True, False),
        ("torch.softmax", False, False),
        ("torch.cumsum", False, False),
        ("torch.sum", False, False),
        ("torch.equal", False, False),
        ("torch.triu", False, False),
        ("__mul__", True, True),
        ("__and__", True, False),
    ],
)
def test_elementwise_and_total(name: str, elementwise: bool, total: bool) -> None:
    assert (op(name).elementwise, op(name).total) == (elementwise, total)


@pytest.mark.parametrize(
    "name", ["sum", "mean", "all", "any", "norm", "std", "var", "prod", "max", "min", "argmax", "amax"]
)
def test_full_reductions(name: str) -> None:
    assert op(name).reduction
    assert op(f"torch.{name}").reduction


def test_max_is_three_operations() -> None:
    function, method = op("torch.max"), op("max")
    assert (function.returns, function.called(["tensor"]).returns) == ("unknown", "tensor")
    assert function.called(["tensor"]).reduction
    assert function.called(["tensor", "host"]).returns == "tensors"
    assert not function.called(["tensor", "host"]).reduction
    assert function.called(["tensor"], {"dim": "host"}).returns == "tensors"
    assert function.called(["tensor", "tensor"]).returns == "tensor"
    assert not function.called(["tensor", "tensor"]).reduction
    assert function.called(["tensor", "unknown"]).returns == "unknown"
    assert method.called().returns == "tensor"
    assert method.called().reduction
    assert method.called(["host"]).returns == "tensors"
    assert method.called(["tensor"]).returns == "tensor"


def test_where_with_one_and_three_arguments() -> None:
    one, three = op("torch.where").called(["tensor"]), op("torch.where").called(["tensor", "tensor", "host"])
    assert (one.returns, one.value_shape, one.reads) == ("tensors", True, True)
    assert (three.returns, three.value_shape, three.reads) == ("tensor", False, False)
    assert not op("where").value_shape


def test_constants_choose_overloads() -> None:
    pool = op("torch.nn.functional.max_pool2d")
    assert pool.called(["tensor", "host"]).returns == "tensor"
    assert pool.called(["tensor", "host"], {"return_indices": "true"}).returns == "tensors"
    assert pool.called(["tensor", "host"], {"return_indices": "false"}).returns == "tensor"
    assert pool.called(["tensor", "host"], {"return_indices": "unknown"}).returns == "unknown"
    assert op("nonzero").called().returns == "tensor"
    assert op("nonzero").called([], {"as_tuple": "true"}).returns == "tensors"
    assert op("nonzero").called().value_shape
    assert op("torch.unique").called(["tensor"], {"return_counts": "true"}).returns == "tensors"


def test_reductions_with_a_dimension() -> None:
    assert op("sum").called().reduction
    assert not op("sum").called(["host"]).reduction
    assert not op("torch.mean").called(["tensor"], {"dim": "host"}).reduction
    assert op("all").called().reduction
    assert op("all").called().dtype == "bool"
    assert op("torch.sum").called(["tensor"], {"dtype": "host"}).reduction


def test_calls_that_no_overload_takes() -> None:
    assert op("torch.relu").called(["tensor"], {"nonsense": "host"}).returns == "unknown"
    assert op("torch.is_tensor").called(["tensor"]).returns == "host"
    assert op("type").called().returns == "host"
    assert op("type").called(["host"]).returns == "tensor"
    assert op("size").called(["host"]).returns == "host"
    assert op("torch.repeat_interleave").called(["tensor", "tensor"]).value_shape
    assert not op("torch.repeat_interleave").called(["tensor", "host"]).value_shape
    assert op("permute").called(["host", "host", "host"]).returns == "tensor"


def test_which_functions_need_a_tensor() -> None:
    assert op("torch.relu").takes_tensor
    assert op("torch.cat").takes_tensor
    assert op("torch.nn.functional.linear").takes_tensor
    assert not op("torch.zeros").takes_tensor
    assert not op("torch.is_tensor").takes_tensor
    assert not op("torch.add").takes_tensor  # it adds numbers too


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("torch.functional.einsum", "torch.einsum"),
        ("torch.absolute", "torch.abs"),
        ("torch.special.expit", "torch.sigmoid"),
        ("torch.linalg.matmul", "torch.matmul"),
        ("torch.clip", "torch.clamp"),
        ("torch.nn.modules.linear.Linear", "torch.nn.Linear"),
        ("torch.nn.parameter.Parameter", "torch.nn.Parameter"),
        ("torch.log1p", "torch.log1p"),
        ("mine.where", "mine.where"),
    ],
)
def test_canonical_names(name: str, expected: str) -> None:
    assert torch_api.canonical(name) == expected


def test_names_that_are_not_torchs() -> None:
    assert torch_api.function("torch.no_such_thing") is None
    assert torch_api.function("numpy.where") is None
    assert torch_api.method("no_such_method") is None
    assert torch_api.layer("torch.nn.functional") is None
    assert torch_api.layer("torch.nn.Parameter") is None


def test_a_method_named_through_its_class() -> None:
    found = op("torch.Tensor.sum")
    assert found.name == "torch.Tensor.sum"
    assert found.takes_tensor
    assert found.called(["tensor"]).reduction
    assert not found.called(["tensor", "host"]).reduction
    assert op("torch.Tensor.max").called(["tensor", "tensor"]).returns == "tensor"
    assert not op("torch.Tensor.max").called(["tensor", "tensor"]).reduction


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *(
            (n, "host")
            for n in ("shape", "dtype", "device", "ndim", "is_cuda", "requires_grad", "layout", "is_leaf", "nbytes")
        ),
        *((n, "tensor") for n in ("T", "mT", "H", "real", "imag", "data")),
        ("grad", "optional"),
        ("grad_fn", "other"),
        ("weight", "unknown"),
        ("sum", "unknown"),
    ],
)
def test_attributes(name: str, expected: str) -> None:
    assert torch_api.attribute(name) == expected


def test_constants() -> None:
    assert torch_api.constant("torch.float32") == "host"
    assert torch_api.constant("torch.pi") == "host"
    assert torch_api.constant("torch.inf") == "host"
    assert torch_api.constant("torch.relu") == "unknown"


@pytest.mark.parametrize(
    ("name", "returns", "train", "inplace", "shape", "elementwise"),
    [
        ("Linear", "tensor", "pure", False, "last", False),
        ("Embedding", "tensor", "pure", False, "append", False),
        ("ReLU", "tensor", "pure", True, "same", True),
        ("GELU", "tensor", "pure", False, "same", True),
        ("Identity", "tensor", "pure", False, "same", True),
        ("Dropout", "tensor", "random", True, "same", True),
        ("RReLU", "tensor", "random", True, "same", True),
        ("LayerNorm", "tensor", "pure", False, "same", False),
        ("BatchNorm1d", "tensor", "buffers", False, "same", False),
        ("InstanceNorm2d", "tensor", "buffers", False, "same", False),
        ("GLU", "tensor", "pure", False, "unknown", False),
        ("Conv2d", "tensor", "pure", False, "unknown", False),
        ("LSTM", "tensors", "random", False, "unknown", False),
        ("MultiheadAttention", "tensors", "random", False, "unknown", False),
        ("MaxPool2d", "unknown", "pure", False, "unknown", False),
        ("Sequential", "unknown", "unknown", False, "unknown", False),
    ],
)
def test_layers(name: str, returns: str, train: str, inplace: bool, shape: str, elementwise: bool) -> None:
    layer = torch_api.layer(f"torch.nn.{name}")
    assert layer is not None
    found = (layer.returns, layer.train, layer.inplace, layer.shape, layer.elementwise)
    assert found == (returns, train, inplace, shape, elementwise)


def test_what_a_layer_calls() -> None:
    relu, linear = torch_api.layer("torch.nn.ReLU"), torch_api.layer("torch.nn.modules.linear.Linear")
    assert relu is not None
    assert linear is not None
    assert relu.function == "torch.nn.functional.relu"
    assert linear.function == "torch.nn.functional.linear"
    assert linear.name == "torch.nn.Linear"
    assert linear.parameters[:3] == ("in_features", "out_features", "bias")
    assert linear.takes_tensor


def test_every_row_can_be_read() -> None:
    table = torch_api._table()
    assert table["torch"] == "2.13.0"
    assert all(torch_api.method(name) for name in table["methods"])
    assert all(torch_api.function(name) for name in table["functions"])
    assert all(torch_api.layer(name) for name in table["layers"])
    assert all(target in table["functions"] or target in table["layers"] for target in table["aliases"].values())


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.metadata.version("torch").partition("+")[0] != "2.13.0", reason="the table is that of torch 2.13.0"
)
def test_the_table_is_what_the_script_writes() -> None:
    script = Path(__file__).resolve().parents[3] / "tools" / "generate_torch_api.py"
    subprocess.run([sys.executable, str(script), "--check"], check=True)
