"""TR202."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..craft.types import Bench
from ..facts import Facts
from ..facts.held_numbers import HeldNumbers
from ..facts.kept_ints import KeptInts
from ..facts.mirrors import Mirror
from ..model import Evidence, Finding, Fix, Level, NoFix
from ..rule import Rule


class HostMirror(Rule):
    """A tensor made of Python ints and read back.

    ## What it does

    Finds tensors that `torch.tensor` or `torch.as_tensor` make of lists of ints, and of which Python reads elements
    again: loops over their rows, elements as sizes, bounds and indices, `.item()`, `.tolist()`. While compiling, the
    ints are read in their place. They are also handed on beside the tensor to functions of the file, as a keyword
    argument that callers elsewhere need not give. Where the tensor goes a way that is not in sight, as through a public
    output of another module, it can carry its ints as an attribute (`_ints`) to where it is read under the same name.

    Numbers that a module holds in 0-d tensors, as buffers that are not saved, get the Python number that they are made
    of beside them (`self._stride_int` for `self.stride`), and compiled code that needs ints takes those. A method that
    makes an int of them and of shapes alone is run while tracing, for each shape.

    ## Why

    Each number that is read out of a tensor cuts the graph, in a loop it makes Dynamo skip the whole frame. The ints
    were there all the time.

    ## Example

    ```python
    shapes = torch.as_tensor(sizes, device=x.device)
    for height, width in shapes:
        grids.append(torch.linspace(0, 1, height * width))
    ```

    ## Use instead

    ```python
    shapes = torch.as_tensor(sizes, device=x.device)
    shapes_ints = _ints(sizes, 2)
    for height, width in _mirror(shapes, shapes_ints):
        grids.append(torch.linspace(0, 1, height * width))
    ```

    ## Fix safety

    Safe: outside of compiled code the tensor is read as before. In compiled code its ints are used where all that is
    made of them is the same for ints: sizes, bounds, indices, arithmetic among themselves, and arithmetic with tensors
    that are floating or have dimensions. Where the list holds anything but ints, or came from a caller elsewhere, the
    tensor is read as before there too. Elements may be given to functions of the file that use them in such ways.

    Unsafe: a tensor that carries its ints. What the file does to it in place is looked for under its name; code
    elsewhere that changes it, and runs between the two pieces of compiled code, goes unseen there. A decorator whose
    name tells of a cache is taken to call its function with what it is given. Numbers that a module holds: code
    elsewhere that writes to the tensor goes unseen in compiled code, as does a subclass elsewhere whose method reads
    more of a tensor than its shape.

    Refused: tensors of another dtype than int64, and such that anything may change in place before they are read;
    elements that are kept, returned or given to functions that may need a tensor; numbers that a checkpoint may load;
    names that are bound in another way too; functions of which nothing tells what runs.
    """

    code = "TR202"
    registry = ("GB0124", "GB0170")
    nodes = (ast.FunctionDef, ast.AsyncFunctionDef)
    anywhere = True

    def find(self, node: ast.FunctionDef | ast.AsyncFunctionDef, facts: Facts) -> Iterator[Finding]:
        """One finding per occurrence that is read back; all share the rewrite of the file."""
        for read, refusal in facts.mirrors.within(node):
            message = f"`{read.node.id}` is made of Python ints, and read back"
            evidence = Evidence(Level.PROVED, "the file shows what it is made of")
            yield self.finding(read.node, facts, message, evidence, refusal or facts.mirrors.mirror)
        for read, refusal in facts.kept_ints.within(node):
            message = f"`{read.node.id}` is read back, and may be what is made of Python ints under that name"
            evidence = Evidence(Level.ASSUMED, "the file makes a tensor of that name from ints")
            yield self.finding(read.node, facts, message, evidence, refusal or facts.kept_ints.plan)
        for root, refusal in facts.held_numbers.within(node):
            message = f"`{ast.unparse(root)}` is a number that the module holds in tensors, and is read back"
            evidence = Evidence(Level.ASSUMED, "its constructor makes it of a Python number")
            yield self.finding(root, facts, message, evidence, refusal or facts.held_numbers.plan)

    def cut(self, plan: Mirror | KeptInts | HeldNumbers, bench: Bench) -> Fix | NoFix:
        """Keep the ints beside the tensor, or let it carry them."""
        from ..craft.held import held_fix
        from ..craft.mirror import kept_fix, mirror_fix

        if isinstance(plan, HeldNumbers):
            return held_fix(plan, bench)
        return mirror_fix(plan, bench) if isinstance(plan, Mirror) else kept_fix(plan, bench)
