"""What names mean: imports and aliases, Python's scopes, shadowing, and the questions about the tree."""

from __future__ import annotations

import ast
import sys
import textwrap
from types import FrameType
from typing import Any

import pytest

from refactor.transforms.facts.names import Names
from refactor.transforms.source import Source


def names_of(text: str) -> Names:
    return Names(Source(textwrap.dedent(text)))


def probe(text: str) -> str | None:
    """The qualified name of the argument of `probe(…)`, wherever that call stands."""
    names = names_of(text)
    (call,) = [n for n in names.nodes(ast.Call) if isinstance(n.func, ast.Name) and n.func.id == "probe"]
    return names.qualified(call.args[0])


def only(names: Names, kind: Any, name: str) -> Any:
    (found,) = [n for n in names.nodes(kind) if getattr(n, "name", getattr(n, "id", None)) == name]
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch\nprobe(torch.where)", "torch.where"),
        ("import torch as th\nprobe(th.where)", "torch.where"),
        ("from torch import where\nprobe(where)", "torch.where"),
        ("from torch import where as w\nprobe(w)", "torch.where"),
        ("import torch.nn.functional\nprobe(torch.nn.functional.relu)", "torch.nn.functional.relu"),
        ("import torch.nn.functional as F\nprobe(F.relu)", "torch.nn.functional.relu"),
        ("from torch import nn\nprobe(nn.Linear)", "torch.nn.Linear"),
        ("from torch.nn import functional as F\nprobe(F.relu)", "torch.nn.functional.relu"),
        ("import torch\nimport torch.nn\nprobe(torch.abs)", "torch.abs"),
        ("from torch import Tensor\nprobe(Tensor.add)", "torch.Tensor.add"),
        ("def f():\n    import torch\n    probe(torch.abs)", "torch.abs"),
        ("import torch\ndef f(x):\n    return [lambda: probe(torch.abs) for _ in x]", "torch.abs"),
        ("from .utils import helper\nprobe(helper)", "<.>.utils.helper"),
        ("from ...utils import logging\nprobe(logging.get_logger)", "<...>.utils.logging.get_logger"),
        ("from . import ops\nprobe(ops)", "<.>.ops"),
        ("probe(torch.where)", None),
        ("probe(f().where)", None),
        ("probe(__name__)", None),
    ],
)
def test_imports(text: str, expected: str | None) -> None:
    assert probe(text) == expected


@pytest.mark.parametrize(
    "shadow",
    [
        "def f(torch):\n    probe(torch.where)",
        "def f(*torch):\n    probe(torch.where)",
        "def f(**torch):\n    probe(torch.where)",
        "f = lambda torch: probe(torch.where)",
        "def f():\n    torch = make()\n    probe(torch.where)",
        "def f():\n    probe(torch.where)\n    torch = make()",
        "def f():\n    for torch in []:\n        probe(torch.where)",
        "def f():\n    with a as (torch, b):\n        probe(torch.where)",
        "def f():\n    try:\n        pass\n    except E as torch:\n        probe(torch.where)",
        "def f():\n    if (torch := make()):\n        probe(torch.where)",
        "def f(x):\n    match x:\n        case [torch]:\n            probe(torch.where)",
        "def f(x):\n    match x:\n        case {'a': 1, **torch}:\n            probe(torch.where)",
        "def f(x):\n    match x:\n        case [1, *torch]:\n            probe(torch.where)",
        "def f():\n    [probe(torch.where) for torch in []]",
        "def f(x):\n    [torch := y for y in x]\n    probe(torch.where)",
        "def f(torch):\n    def g():\n        probe(torch.where)",
        "def f(torch):\n    [probe(torch.where) for _ in x]",
        "def f():\n    del torch\n    probe(torch.where)",
        "def f():\n    torch: int\n    probe(torch.where)",
        "class C:\n    torch = make()\n    probe(torch.where) if a else b",
        "torch = make()\nprobe(torch.where)",
        "def f():\n    global torch\n    torch = make()\nprobe(torch.where)",
        "torch.where = mine\nprobe(torch.where)",
        "def f():\n    torch.where = mine\nprobe(torch.where)",
        "del torch.where\nprobe(torch.where)",
    ],
)
def test_shadowed_torch(shadow: str) -> None:
    assert probe(f"import torch\n{shadow}\n") not in ("torch.where", "builtins.torch.where")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A class scope is invisible to the functions in it.
        ("import torch\nclass C:\n    torch = 1\n    def f(self):\n        probe(torch.where)", "torch.where"),
        ("import torch\nclass C:\n    torch = 1\n    x = [probe(torch.where) for _ in y]", "torch.where"),
        ("import torch\nclass C:\n    torch = []\n    x = [i for i in probe(torch.where)]", ".C.torch.where"),
        ("import torch\ndef f(torch=probe(torch.where)):\n    pass", "torch.where"),
        ("import torch\n@probe(torch.where)\ndef f(torch):\n    pass", "torch.where"),
        ("import torch\ndef f(torch) -> probe(torch.Tensor):\n    pass", "torch.Tensor"),
        ("import torch\nf = lambda torch=probe(torch.where): torch", "torch.where"),
        ("import torch\ndef f(torch):\n    def g():\n        global torch\n        probe(torch.where)", "torch.where"),
        ("import torch\ndef f():\n    global torch\n    def g():\n        probe(torch.where)", "torch.where"),
        ("def f():\n    import torch\n    def g():\n        nonlocal torch\n        probe(torch.abs)", "torch.abs"),
        (
            "def f():\n    import torch\n    def g():\n        nonlocal torch\n        torch = 1\n    probe(torch.abs)",
            None,
        ),
        ("import torch\n[torch for torch in x]\nprobe(torch.where)", "torch.where"),
        ("import torch\n[0 for torch in probe(torch.where)]", "torch.where"),
        ("import torch\nclass D(probe(torch.Size)):\n    torch = 1", "torch.Size"),
    ],
)
def test_python_scopes(text: str, expected: str | None) -> None:
    assert probe(text) == expected


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters came with Python 3.12")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch\ndef f[torch](x: probe(torch.Tensor)): ...", None),
        ("import torch\ndef f[torch](x=probe(torch.where)): ...", "torch.where"),
        ("import torch\nclass C[torch](probe(torch.Size)): ...", None),
        ("import torch\nclass C:\n    Size = torch.Size\n    def f[T](self, x: probe(Size)): ...", "torch.Size"),
        ("import torch\ntype Size[torch] = probe(torch.Size)", None),
    ],
)
def test_type_parameters(text: str, expected: str | None) -> None:
    assert probe(text) == expected


@pytest.mark.parametrize("name", ["len", "print", "ValueError", "range", "any"])
def test_builtins(name: str) -> None:
    assert probe(f"probe({name})") == f"builtins.{name}"
    assert probe(f"def {name}(): ...\ndef f():\n    probe({name})") == f".{name}"
    assert probe(f"from mine import {name}\nprobe({name})") == f"mine.{name}"
    assert probe(f"def f({name}):\n    probe({name})") is None
    assert probe(f"def f():\n    {name} = 1\n    def g():\n        probe({name})") is None
    assert probe(f"if a:\n    def {name}(): ...\ndef f():\n    probe({name})") is None
    assert probe(f"probe({name})\ndef {name}(): ...") is None
    assert probe(f"from mine import *\nprobe({name})") is None
    assert probe(f"class C:\n    {name} = 1\n    def f(self):\n        probe({name})") == f"builtins.{name}"


def test_no_grad_may_be_shadowed() -> None:
    assert probe("from torch import no_grad\nprobe(no_grad)") == "torch.no_grad"
    assert probe("from torch import no_grad\nfrom mine import no_grad\nprobe(no_grad)") is None
    assert probe("from torch import no_grad\ndef f(no_grad):\n    probe(no_grad)") is None


def test_a_user_class_named_tensor_and_a_function_named_warn() -> None:
    assert probe("class Tensor: ...\nprobe(Tensor)") == ".Tensor"
    assert probe("from torch import Tensor\nclass Tensor: ...\nprobe(Tensor)") is None
    assert probe("def warn(text): ...\nprobe(warn)") == ".warn"
    assert probe("from warnings import warn\nprobe(warn)") == "warnings.warn"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from torch import *\nprobe(where)", None),
        ("from mine import *\nimport torch\nprobe(torch.where)", "torch.where"),
        ("import torch\nfrom mine import *\nprobe(torch.where)", "torch.where"),
        ("from mine import *\nfrom torch import where\nprobe(where)", "torch.where"),
        ("from torch import where\nfrom mine import *\nprobe(where)", None),
        ("def f(): ...\nfrom mine import *\nprobe(f)", None),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from mine import *\nprobe(len)", "builtins.len"),
    ],
)
def test_star_imports(text: str, expected: str | None) -> None:
    assert probe(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("try:\n    import torch\nexcept ImportError:\n    torch = None\nprobe(torch.where)", None),
        ("try:\n    import torch\nexcept ImportError:\n    pass\nprobe(torch.where)", "torch.where"),
        ("try:\n    from torch import abs as a\nexcept E:\n    import torch\n    a = torch.abs\nprobe(a)", "torch.abs"),
        ("try:\n    import tomllib\nexcept ImportError:\n    import tomli as tomllib\nprobe(tomllib.loads)", None),
        ("if a:\n    import torch as t\nelse:\n    import torch as t\nprobe(t.where)", "torch.where"),
        ("if a:\n    from x import f\nelse:\n    from y import f\nprobe(f)", None),
        ("if a:\n    def f(): ...\nelse:\n    def f(): ...\nprobe(f)", None),
    ],
)
def test_conditional_imports(text: str, expected: str | None) -> None:
    assert probe(text) == expected


def test_imports_for_type_checkers_count_in_annotations_alone() -> None:
    head = "import typing\nif typing.TYPE_CHECKING:\n    from torch import Tensor\n"
    assert probe(f"{head}def f(x: probe(Tensor)): ...") == "torch.Tensor"
    assert probe(f"{head}def f() -> probe(Tensor): ...") == "torch.Tensor"
    assert probe(f"{head}x: probe(Tensor) = 1") == "torch.Tensor"
    assert probe(f"{head}probe(Tensor)") is None
    both = "if TYPE_CHECKING:\n    from torch import Tensor\nelse:\n    from mine import Tensor\n"
    assert probe(f"{both}probe(Tensor)") == "mine.Tensor"
    assert probe(f"{both}def f(x: probe(Tensor)): ...") == "torch.Tensor"
    inverse = "if not TYPE_CHECKING:\n    import torch\nelse:\n    import other as torch\n"
    assert probe(f"{inverse}probe(torch.where)") == "torch.where"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch.nn.functional as F\nrelu = F.relu\nprobe(relu)", "torch.nn.functional.relu"),
        ("import torch\na = b = torch.abs\nprobe(a)", "torch.abs"),
        ("import torch\na: object = torch.abs\nprobe(a)", "torch.abs"),
        ("import torch\na = torch\nb = a.nn\nprobe(b.Linear)", "torch.nn.Linear"),
        ("import torch\ndef f():\n    w = torch.where\n    probe(w)", "torch.where"),
        ("import torch\ndef f(w):\n    w = torch.where\n    probe(w)", None),
        ("import torch\nw = torch.where\nw = mine\nprobe(w)", None),
        ("import torch\nw, v = torch.where, 1\nprobe(w)", ".w"),
        ("import logging\nlog = logging.getLogger(__name__)\nprobe(log.info)", ".log.info"),
        ("def f(): ...\ng = f\nprobe(g)", ".f"),
        ("LIMIT = 3\nTOP = LIMIT\nprobe(TOP)", ".TOP"),
        ("LIMIT = 3\nLIMIT += 1\nprobe(LIMIT)", None),
        ("for i in x: ...\nprobe(i)", None),
        ("a = a\nprobe(a)", ".a"),
        ("def f(y):\n    x = y\n    probe(x)", None),
    ],
)
def test_aliases(text: str, expected: str | None) -> None:
    assert probe(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class Policy:\n    def forward(self): ...\nprobe(Policy.forward)", ".Policy.forward"),
        ("class A:\n    class B:\n        def f(self): ...\nprobe(A.B.f)", ".A.B.f"),
        ("class A:\n    def f(self): ...\n    def f(self): ...\nprobe(A.f)", None),
        ("class A: ...\nprobe(A.inherited)", ".A.inherited"),
        ("class A:\n    def f(self): ...\nA.f = other\nprobe(A.f)", None),
        ("import torch\nclass A:\n    act = torch.relu\nprobe(A.act)", "torch.relu"),
        ("class A:\n    x = 1\n    probe(x)", ".A.x"),
        ("class A:\n    if a:\n        x = 1\n    probe(x)", None),
        ("class A:\n    probe(x)\n    x = 1", None),
        ("class A:\n    def f(self):\n        probe(self.f)", None),
        ("class A:\n    def f(self):\n        probe(__private)\n__private = 1", None),
        ("def f():\n    def g(): ...\n    probe(g)", ".f.<locals>.g"),
        ("@overload\ndef f(x: int): ...\n@typing.overload\ndef f(x: str): ...\ndef f(x): ...\nprobe(f)", ".f"),
    ],
)
def test_names_of_the_file(text: str, expected: str | None) -> None:
    assert probe(text) == expected


def test_a_definition_is_found_by_its_path() -> None:
    names = names_of("""
        class Policy:
            def forward(self): ...
            def twice(self): ...
            def twice(self): ...
        def make():
            def step(): ...
    """)
    forward = names.definition(".Policy.forward")
    assert isinstance(forward, ast.FunctionDef)
    assert names.path(forward) == ".Policy.forward"
    assert names.definition(".Policy.twice") is None
    assert names.definition("Policy.forward") is None
    assert names.definition(".Policy.backward") is None
    assert names.definition(".make.<locals>.step") is only(names, ast.FunctionDef, "step")
    assert [f.name for f in names.functions()] == ["forward", "twice", "twice", "make", "step"]


def test_a_binding_says_where_and_how() -> None:
    names = names_of("""
        import logging
        log = logging.getLogger(__name__)
        def f(x):
            y = 1
            y += 1
            for i in x:
                with x as z, y:
                    pass
            return log, x, y, i, z, len, logging
    """)
    found = {n.id: names.binding(n) for n in names.nodes(ast.Name) if isinstance(names.parent(n), ast.Tuple)}
    kinds = {name: binding.kind for name, binding in found.items() if binding}
    assert kinds == {"log": "assign", "x": "param", "y": "mixed", "i": "for", "z": "with", "logging": "import"}
    assert found["len"] is None
    log, y = found["log"], found["y"]
    assert log is not None
    assert y is not None
    assert log.single
    assert not y.single
    assert y.value is None
    assert log.value is not None
    assert ast.unparse(log.value) == "logging.getLogger(__name__)"
    assert log.scope is names.opened(names.source.tree)
    assert [ast.unparse(s) for s in y.statements] == ["y = 1", "y += 1"]
    assert names.single_value(only(names, ast.Name, "len")) is None


def test_a_parameter_is_bound_by_its_function() -> None:
    names = names_of("def f(x):\n    return x")
    binding = names.binding(names.nodes(ast.Name)[0])
    assert binding is not None
    assert binding.statements == (only(names, ast.FunctionDef, "f"),)
    assert names.binding(names.nodes(ast.arg)[0]) == binding


def test_module_bindings_count_globals() -> None:
    names = names_of("""
        a = 1
        def f():
            global a
            a = 2
        def g():
            a = 3
        if b:
            import a
    """)
    assert [ast.unparse(s) for s in names.module_bindings("a")] == ["a = 1", "a = 2", "import a"]
    assert names.module_bindings("b") == []


def test_bound_in() -> None:
    names = names_of("""
        def f(p, /, q, *args, k=1, **kw):
            global g
            g = a = 1
            import m.n
            for b, (c, *d) in p: pass
            [e for e in p if (h := e)]
            def inner(): z = 1
            class C: y = 1
            try: pass
            except E as err: pass
            match p:
                case {"x": cap, **rest}: pass
    """)
    expected = {"p", "q", "args", "k", "kw", "a", "m", "b", "c", "d", "h", "inner", "C", "err", "cap", "rest"}
    assert names.bound_in(only(names, ast.FunctionDef, "f")) == expected
    assert names.bound_in(only(names, ast.ClassDef, "C")) == {"y"}
    assert names.bound_in(names.source.tree) == {"f", "g"}


def test_captures() -> None:
    names = names_of("""
        def f(a, b, c, d, e, g, first):
            def inner(x=d):
                nonlocal e
                e = 1
                return lambda: a + x
            y = [b for _ in first]
            class C:
                v = c
            def other(g):
                return g
            return g
    """)
    assert names.captures(only(names, ast.FunctionDef, "f")) == {"a", "b", "c", "e"}
    assert names.captures(only(names, ast.FunctionDef, "inner")) == {"x"}


def test_the_tree_around_a_node() -> None:
    names = names_of("""
        class Policy:
            @decorate(mark)
            def forward(self, x=default):
                def helper():
                    return lambda: deep
                return [item for item in x]
    """)
    forward, helper = only(names, ast.FunctionDef, "forward"), only(names, ast.FunctionDef, "helper")
    policy = only(names, ast.ClassDef, "Policy")
    deep, default, mark = (only(names, ast.Name, n) for n in ("deep", "default", "mark"))
    assert isinstance(names.enclosing_function(deep), ast.Lambda)
    assert names.enclosing_function(helper) is forward
    assert names.enclosing_function(forward) is None
    assert names.enclosing_function(default) is None
    assert names.enclosing_function(mark) is None
    assert names.enclosing_class(deep) is policy
    assert names.enclosing_class(mark) is policy
    assert names.enclosing_class(policy) is None
    assert names.statement_of(deep) is helper.body[0]
    assert names.statement_of(default) is forward
    assert names.scope_of(forward) is names.opened(policy)
    assert names.parent(names.source.tree) is None
    item = next(n for n in names.nodes(ast.Name) if n.id == "item")
    assert names.scope_of(item).kind == "comprehension"
    assert names.enclosing_function(item) is forward
    with pytest.raises(ValueError, match="in no statement"):
        names.statement_of(names.source.tree)


def test_a_text_is_resolved_at_a_place() -> None:
    names = names_of("import torch\ndef f(torch):\n    inside\noutside")
    assert names.resolve("torch.where", only(names, ast.Name, "inside")) is None
    assert names.resolve("torch.where", only(names, ast.Name, "outside")) == "torch.where"
    assert names.resolve("len", only(names, ast.Name, "inside")) == "builtins.len"


def test_identifiers_and_fresh_names() -> None:
    names = names_of("""
        import a.b as c
        from d import e
        __all__ = ["f"]
        def g(h, *i, **j):
            global k
            l.m(n=1)
            try: pass
            except E as o: pass
            match h:
                case p(q=r): pass
        _cond = 1
    """)
    assert set("abcdefghijklmnopqr") <= names.all_identifiers()
    assert names.fresh("new") == "new"
    assert names.fresh("_cond") == "_cond_2"
    assert names.fresh("_cond", {"_cond_2"}) == "_cond_3"
    assert names.fresh("f") == "f_2"
    assert names.fresh("m") == "m_2"
    assert names.fresh("print") == "print_2"
    assert names.fresh("lambda") == "lambda_2"


def test_deep_expressions() -> None:
    text = "import torch\nx = " + " + ".join(["a"] * 700) + "\nprobe(torch.where)"
    assert probe(text) == "torch.where"


def generated(blocks: int) -> str:
    block = """
class Block{i}(nn.Module):
    limit = {i}
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.scale = width ** -0.5
    def forward(self, x, mask=None):
        import torch
        y = F.relu(self.linear(x)) * self.scale
        if mask is not None:
            y = torch.where(mask, y, torch.zeros_like(y))
        z = [helper{i}(t, self.limit) for t in y.unbind(0)]
        return torch.stack(z), lambda: y
def helper{i}(t, n):
    total = relu(t)
    for k in range(n):
        total = total + k
    return total
"""
    head = "import torch.nn.functional as F\nfrom torch import nn\nrelu = F.relu\n"
    return head + "".join(block.format(i=i) for i in range(blocks))


def lines_run(blocks: int) -> int:
    """How many lines of Python run to answer for every name and every function of a file with 19 lines a block."""
    source = Source(generated(blocks))
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        names = Names(source)
        for node in (*names.nodes(ast.Attribute), *names.nodes(ast.Name)):
            names.qualified(node)
        for function in names.functions():
            names.captures(function)
        names.fresh("_cond")
    finally:
        sys.settrace(before)
    return count


def test_the_work_grows_linearly_with_the_file() -> None:
    assert generated(160).count("\n") > 3000
    small, large = lines_run(16), lines_run(160)
    assert large < 10.5 * small
