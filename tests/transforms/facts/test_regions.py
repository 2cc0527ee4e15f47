"""What may run compiled, and what is kept away from the compiler."""

from __future__ import annotations

import ast
import textwrap

import pytest

from refactor.transforms.facts import Facts
from refactor.transforms.facts.regions import Region
from refactor.transforms.source import Source

HEADER = "import functools\nimport torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


def region(text: str, name: str = "here") -> Region:
    facts = Facts(Source(HEADER + textwrap.dedent(text)))
    (function,) = [f for f in facts.names.functions() if f.name == name]
    return facts.regions.of(function)


MODULE = "class M(nn.Module):\n    def forward(self, x): return self.here(x)\n"


@pytest.mark.parametrize(
    ("text", "level", "entry"),
    [
        ("@torch.compile\ndef here(x): return x", "proved", True),
        ("@torch.compile(fullgraph=True)\ndef here(x): return x", "proved", True),
        ("@functools.partial(torch.compile, dynamic=True)\ndef here(x): return x", "proved", True),
        ("c = functools.partial(torch.compile, dynamic=True)\n@c\ndef here(x): return x", "proved", True),
        ("from torch import compile as c\n@c\ndef here(x): return x", "proved", True),
        ("def here(x): return x\ng = torch.compile(here)", "proved", True),
        ("def here(x): return x\n@torch.compile\ndef g(x): return here(x)", "proved", False),
        ("def here(x): return x\n@torch.compile\ndef g(x): return [here(v) for v in x]", "proved", False),
        ("def here(x): return x\n@torch.compile\ndef g(x): return (lambda v: here(v))(x)", "proved", False),
        ("class M(nn.Module):\n    def here(self, x): return x\nm = M()\nc = torch.compile(m.here)", "proved", True),
        ("@torch.compile\ndef g(x):\n    def here(v): return v\n    return here(x)", "proved", False),
        (MODULE + "    def here(self, x): return x", "assumed", False),
        (MODULE + "class N(M):\n    def here(self, x): return x", "assumed", False),
        ("def here(x): return x.softmax(-1)", "assumed", True),
        ("def here(x): return F.relu(x)", "assumed", True),
        ("async def here(x): return F.relu(x)", "assumed", True),
        ("class Mixin:\n    def here(self, mask: torch.Tensor): return 1.0 - mask[:, None]", "assumed", True),
        # The outer part alone is left out; what it calls is compiled.
        ("@torch.compiler.disable(recursive=False)\ndef g(x): return here(x)\ndef here(x): return x", "assumed", False),
        ("@torch._dynamo.decorators.skip\ndef g(x): return here(x)\ndef here(x): return x", "assumed", False),
    ],
)
def test_compiled(text: str, level: str, entry: bool) -> None:
    found = region(text)
    assert (found.evidence.level.value, found.entry) == (level, entry)


@pytest.mark.parametrize(
    "text",
    [
        "@torch.compiler.disable\ndef here(x): return F.relu(x)",
        "@torch.compiler.disable()\ndef here(x): return F.relu(x)",
        "@torch._dynamo.disable\n@torch.no_grad()\ndef here(x): return F.relu(x)",
        "@torch.compiler.disable\ndef g(x):\n    def here(v): return F.relu(v)\n    return here(x)",
        "def here(x): return F.relu(x)\nh = torch.compiler.disable(here)\ndef g(x): return h(x)",
        (
            "@torch.compiler.disable\nclass M(nn.Module):\n    def here(self, x): return x\n"
            "    def forward(self, x): return self.here(x)"
        ),
        MODULE + "    @torch._dynamo.disable()\n    def here(self, x): return x",
        "@torch.jit.script\ndef here(x): return F.relu(x)",
        "def here(x): return F.relu(x)\n@torch.jit.script\ndef g(x): return here(x)\ndef k(x): return here(x)",
        "def here(x): return F.relu(x)\ng = torch.jit.script(here)",
        MODULE + "    def here(self, x): return x\ns = torch.jit.script(M())",
        "@torch.library.custom_op('a::b', mutates_args=())\ndef here(x): return F.relu(x)",
        "class A(torch.autograd.Function):\n    @staticmethod\n    def here(ctx, x): return F.relu(x)",
    ],
)
def test_kept_away(text: str) -> None:
    assert region(text).evidence.level.value == "no"


@pytest.mark.parametrize(
    "text",
    [
        "def here(x): return len(x)",
        "def here(x: torch.Tensor): return len(x)",
        "def here(x: list, i: torch.Tensor): return x[i]",
        "def here(net):\n    n = 0\n    for p in net.parameters():\n        n += p.numel()\n    print(n)",
        "def here(x):\n    torch.save(x, 'x')\n    return F.relu(x)",
        "def train_here(x): ...\ndef here(x):\n    F.relu(x).backward()",
        "import os\ndef here(x):\n    os.remove('x')\n    return F.relu(x)",
        "def f(torch):\n    @torch.compile\n    def here(x): return x\n    return here",
        MODULE.replace("self.here(x)", "x") + "    def here(self, x): return F.relu(x)",
        "@torch.compiler.disable\ndef g(x): return here(x)\ndef here(x): return F.relu(x)",
    ],
)
def test_nothing_says_so(text: str) -> None:
    assert region(text).evidence.level.value == "unknown"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if torch.compiler.is_compiling():\n    HERE()", "its author already tells compiled from eager code here"),
        ("if not torch.compiler.is_compiling():\n    HERE()", "its author already tells compiled from eager code here"),
        (
            "if torch.jit.is_scripting():\n    return x\nHERE()",
            "its author already tells compiled from eager code here",
        ),
        (
            "x = 1 if torch.compiler.is_compiling() else HERE()",
            "its author already tells compiled from eager code here",
        ),
        ("if x:\n    HERE()", None),
        ("if is_compiling():\n    HERE()", None),
        ("HERE()\nif torch.compiler.is_compiling():\n    return x", None),
    ],
)
def test_code_that_its_author_keeps_apart(body: str, expected: str | None) -> None:
    facts = Facts(Source(HEADER + "def f(x):\n" + textwrap.indent(body, "    ")))
    (name,) = [n for n in facts.names.nodes(ast.Name) if n.id == "HERE"]
    assert facts.regions.left_alone(name) == expected
