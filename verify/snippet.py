"""A counterexample as a program that a user can run: it makes the same calls on both files and prints what they do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from .draws import Draw, InapplicableError
from .observe import Call
from .targets import FoundRecipe, Place, Recipe, owner
from .verdict import Request

_MAX_VALUES = 256

_FRAME = """\
{comment}
# usage: python counterexample.py OLD.py NEW.py
import copy
import importlib.util
import logging
import sys
import types

import torch

inf, nan = float("inf"), float("nan")


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


sys.path.insert(0, {root!r})
{verbose}for number, path in enumerate(sys.argv[1:3]):
    module = load(path, f"{package}counterexample_{{number}}")
    torch.manual_seed({seed})
    f = {factory}
{modes}    torch.manual_seed({seed_inputs})
    given = {inputs}
{calls}    torch.manual_seed({seed_calls})
    print(path)
{context}{within}{saved}    for index, (args, kwargs) in enumerate(calls):
{switch}{enter}        try:
            print("  returned", f(*args, **kwargs))
        except Exception as error:
            print("  raised", repr(error))
{leave}        print("    arguments", args, kwargs)
        print("    state", getattr({root_object}, "__dict__", {{}}))
"""
_MODES = {
    "train": "f{o}.train()",
    "eval": "f{o}.eval()",
    "frozen": "f{o}.requires_grad_(False)",
    "float64": "f{o}.double()",
    "bfloat16": "f{o}.bfloat16()",
    "longer": "[m.append(copy.deepcopy(m[-1])) for m in f{o}.modules() if isinstance(m, torch.nn.ModuleList)]",
    "zeroed": "[p.data.zero_() for p in f{o}.parameters()]",
    "large": "[p.data.mul_(100) for p in f{o}.parameters()]",
    "copied": "f = copy.deepcopy(f)",
}
_WITHIN = {
    "on": "torch.enable_grad()",
    "off": "torch.no_grad()",
    "inference": "torch.inference_mode()",
    "autocast": 'torch.autocast("cpu", torch.bfloat16)',
}
_CONTEXT = {
    "on": "",
    "off": "    torch.set_grad_enabled(False)\n",
    "inference": "    torch.inference_mode().__enter__()\n",
    "autocast": '    torch.autocast("cpu", torch.bfloat16).__enter__()\n',
}


def snippet(
    request: Request,
    recipe: Recipe | FoundRecipe,
    place: Place,
    draw: Draw,
    function: Callable[..., Any],
    given: list[Call],
    lines: list[str],
) -> str:
    """The program text.

    Args:
        request: the seed.
        recipe: how the callable and the calls are made.
        place: where the original stands.
        draw: the calls to show.
        function: a callable built from the original.
        given: fresh given calls; they are used up.
        lines: the differences that the program is to show.
    """
    bound = "" if owner(function) is function else ".__self__"
    try:
        calls = [_call(args, kwargs) for args, kwargs in draw.sequence(given)]
    except InapplicableError:
        calls = []
    bases = [call.base for call in draw.calls]
    listed = "".join(
        f"        {text.replace('GIVEN', f'given[{base}]')},\n" for base, text in zip(bases, calls, strict=True)
    )
    return _FRAME.format(
        comment="\n".join(f"# {part}" for line in lines for part in line.splitlines()),
        root=str(place.root),
        package=f"{place.package}." if place.package else "",
        factory=recipe.factory_text,
        inputs=recipe.inputs_text,
        seed=request.seed,
        seed_inputs=request.seed + 1,
        seed_calls=request.seed + 2,
        verbose="logging.basicConfig(level=logging.DEBUG)\n" if draw.verbose else "",
        modes="".join(f"    {_mode(mode, bound)}\n" for mode in draw.modes),
        switch=_between(draw, f"f{bound}"),
        saved=f"    begun = copy.deepcopy(f{bound}.state_dict())\n" if draw.between == "reload" else "",
        calls=f"    calls = [\n{listed}    ]\n",
        context=_CONTEXT[draw.grad],
        within=_within(draw),
        enter="        within[index].__enter__()\n" if _within(draw) else "",
        leave="        within[index].__exit__(None, None, None)\n" if _within(draw) else "",
        root_object=f"f{bound}",
    )


def _within(draw: Draw) -> str:
    """The modes of the calls, where some have one of their own."""
    if all(call.mode == "on" for call in draw.calls):
        return ""
    return f"    within = [{', '.join(_WITHIN[call.mode] for call in draw.calls)}]\n"


def _between(draw: Draw, root: str) -> str:
    """What is done before each call but the first."""
    lines = [f"{root}.train(not {root}.training)"] if draw.switch else []
    if draw.between == "step":
        lines.append(f"[p.data.mul_(1.25) for p in {root}.parameters()]")
    elif draw.between == "reload":
        lines.append(f"{root}.load_state_dict(begun)")
    elif draw.between == "copy":
        lines.append(f"{root}.__dict__.update(copy.deepcopy({root}).__dict__)")
    return "        if index:\n" + "".join(f"            {line}\n" for line in lines) if lines else ""


def _mode(mode: str, bound: str) -> str:
    if mode.startswith("bump "):
        name = f"f{bound}.{mode.removeprefix('bump ')}"
        return f"{name} = {{bool: lambda v: not v, int: lambda v: v + 1, float: lambda v: v * 2}}[type({name})]({name})"
    return _MODES[mode].format(o=bound)


def _call(args: list[Any], kwargs: dict[str, Any]) -> str:
    listed = ", ".join(literal(value, f"GIVEN[0][{i}]") for i, value in enumerate(args))
    named = ", ".join(f"{name!r}: {literal(value, f'GIVEN[1][{name!r}]')}" for name, value in kwargs.items())
    return f"(({listed}{',' if len(args) == 1 else ''}), {{{named}}})"


def literal(value: Any, otherwise: str) -> str:
    """A Python expression for an argument; `otherwise` where it has none of a reasonable length."""
    if isinstance(value, torch.Tensor):
        return _tensor(value) if value.numel() <= _MAX_VALUES and value.layout is torch.strided else otherwise
    if isinstance(value, (bool, int, str, bytes, type(None))):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f'float("{value}")'
    if isinstance(value, (torch.dtype, torch.device)):
        return repr(value) if isinstance(value, torch.dtype) else f"torch.{value!r}"
    if type(value) in (list, tuple):
        items = ", ".join(literal(item, f"{otherwise}[{i}]") for i, item in enumerate(value))
        return f"[{items}]" if isinstance(value, list) else f"({items}{',' if len(value) == 1 else ''})"
    if type(value) is dict:
        pairs = ", ".join(f"{key!r}: {literal(item, f'{otherwise}[{key!r}]')}" for key, item in value.items())
        return f"{{{pairs}}}"
    return otherwise


def _tensor(tensor: torch.Tensor) -> str:
    dtype = (
        "" if tensor.dtype in (torch.float32, torch.int64, torch.bool) and tensor.numel() else f", dtype={tensor.dtype}"
    )
    if tensor.numel():
        text = f"torch.tensor({tensor.detach().tolist()!r}{dtype})"
    else:
        text = f"torch.zeros({tuple(tensor.shape)!r}{dtype})"
    if not tensor.is_contiguous():
        text = f"torch.empty_strided({tuple(tensor.shape)}, {tensor.stride()}, dtype={tensor.dtype}).copy_({text})"
    if isinstance(tensor, nn.Parameter):
        return f"torch.nn.Parameter({text}, requires_grad={tensor.requires_grad})"
    return f"{text}.requires_grad_()" if tensor.requires_grad else text
