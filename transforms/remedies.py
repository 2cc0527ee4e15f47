"""What an author can do about a break that no rule rewrites, and where torch documents the break."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

PAGE = "https://meta-pytorch.github.io/compile-graph-break-site/gb/gb{}.html"

# By registry id: the flags are to be set outside of compiled code (rewrite facts, sections 2, 3 and 6).
REMEDIES: Mapping[str, str] = {
    "GB0007": "call it outside of compiled code, or in a function decorated with `torch.compiler.disable`",
    "GB0036": (
        "compute it outside of compiled code, or set "
        "`torch._dynamo.config.capture_dynamic_output_shape_ops = True` before compiling"
    ),
    "GB0039": "pass what changes as a tensor, or raise `torch.compile(…, recompile_limit=…)`",
    "GB0059": "call it outside of compiled code, or only where `torch.compiler.is_compiling()` is False",
    "GB0124": (
        "read it outside of compiled code, or set `torch._dynamo.config.capture_scalar_outputs = True` before compiling"
    ),
    "GB0170": "decide outside of compiled code and pass a bool in, or write it with `torch.where`",
    "GB7000": "move what breaks out of the loop, or the loop out of the compiled function",
}


def remedy(registry: Sequence[str]) -> str:
    """What helps against the first of these breaks that anything is known against."""
    return next((REMEDIES[identifier] for identifier in registry if identifier in REMEDIES), "")


def page(identifier: str) -> str:
    """The address of the page of a graph-break registry id such as GB0170."""
    return PAGE.format(identifier.removeprefix("GB"))
