"""Dynamo's reasons in plain words. They are known by their text: the ids of the registry move between releases."""

from __future__ import annotations

from ..transforms.remedies import page

# Beginnings of reasons, the longer ones first where one begins another.
_WORDS = {
    "Data-dependent branching": "a Python branch needs the value of a tensor",
    "Data-dependent assertion failed": "an assertion needs the value of a tensor",
    "Data dependent operator": "an operator hands the value of a tensor to Python",
    "Dynamic shape operator": "the shape of a result depends on the values of a tensor",
    "Dynamic slicing with Tensor arguments": "a slice has a tensor as its bound",
    "Unsupported Tensor.item() call": "a number is read out of a tensor",
    "Unsupported Tensor.backward() call": "a backward pass is started inside the graph",
    "Unsupported Tensor.requires_grad_() call": "`requires_grad_` is called inside the graph",
    "Tensor.tolist()": "a tensor is turned into a list",
    "Tensor.numpy()": "a tensor is turned into a NumPy array",
    "Attempted to call function marked as skipped": "a function is called that Dynamo does not trace",
    "Attempted to inline function marked as skipped": "a function is called that Dynamo does not trace",
    "Skip calling `torch.compiler.disable()`d function": "a function is called that is excluded from compilation",
    "Skip inlining `torch.compiler.disable()`d function": "a function is called that is excluded from compilation",
    "Call to `torch._dynamo.graph_break()`": "the code asks for a graph break",
    "logging.Logger method not supported": "a log record is written",
    "Failed to trace builtin operator": "a Python builtin is called that Dynamo does not trace",
    "unimplemented builtin op": "a Python builtin is called on tensors that Dynamo does not trace",
    "Unsupported context manager": "a `with` block uses a context manager that Dynamo does not trace",
    "Graph break under GenericContextWrappingVariable": "the graph is cut inside a `with` block",
    "graph break in loop": "the graph is cut inside a loop, so the whole frame is given up",
    "Attempt to trace generator": "a generator is called itself",
    "infinite generator detected": "a generator without an end is consumed",
    "Dynamo recompile limit exceeded": "compiled too often, so that the recompile limit is reached",
    "Observed exception": "an exception is raised",
    "Unsupported method call": "a method is called that Dynamo does not trace",
    "Unsupported function call": "a function is called that Dynamo does not trace",
    "Unsupported ndarray": "NumPy is used in a way that Dynamo does not trace",
    "Should not compile partial graph": "the rest of the frame cannot be compiled after this store",
    "Fake tensor propagation exception": "an operator fails on tensors without data",
    "Backend compiler exception": "the compiler backend fails on this graph",
    "Custom __getattribute__": "the object intercepts how its attributes are read",
    "copy.deepcopy()": "an object is deep-copied",
    "torch.* op returned non-Tensor": "a torch function returns something else than a tensor",
    "Encountered tensor.is_inference()": "the code asks whether a tensor is an inference tensor",
    "Unsupported autograd.Function": "an `autograd.Function` does something that Dynamo does not trace",
}


def plain(reason: str) -> str:
    """A reason in plain words; Dynamo's own where there are none."""
    beginning = max((known for known in _WORDS if reason.startswith(known)), key=len, default=None)
    return reason if beginning is None else _WORDS[beginning]


def link(registry: str) -> str:
    """The page of a registry id such as `GB0170`; empty for none."""
    return page(registry) if registry else ""
