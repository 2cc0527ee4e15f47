"""What breaks the graph for certain; each verdict of the table was seen on torch 2.13 in a loop."""

from __future__ import annotations

import ast
import textwrap

import pytest

from refactor.transforms import smith
from refactor.transforms.source import Source

HEAD = """\
import datetime, json, logging, math, os, random, sys, time, uuid, warnings
import numpy as np
import torch

logger = logging.getLogger(__name__)


@torch.compiler.disable
def kept_away(x):
    return x + 1


def tells(x):
    print(x)


def captured(x):
    if torch.compiler.is_compiling():
        return x + 1
    print(x)
    return x + 1


@some.registered
def decorated(x):
    print(x)


def f(x: torch.Tensor, flag=False, unknown=None):
"""


def breaks(body: str) -> list[str]:
    source = Source(HEAD + textwrap.indent(textwrap.dedent(body), "    "))
    function = source.tree.body[-1]
    assert isinstance(function, ast.FunctionDef)
    return [found.what for found in smith.facts_of(source).breaks.certain(function.body)]


@pytest.mark.parametrize(
    "body",
    [
        "print(x)",
        "logger.debug('a')",
        "logger.isEnabledFor(10)",
        "warnings.warn('a')",
        "time.time()",
        "time.perf_counter()",
        "random.random()",
        "random.shuffle([1])",
        "open('a')",
        "x.sum().item()",
        "float(x.sum())",
        "x.tolist()",
        "x.nonzero()",
        "x[x > 0]",
        "torch.unique(x)",
        "torch.where(x > 0)",
        "torch.equal(x, x)",
        "str(x)",
        "math.floor(x.sum())",
        "sorted([x])[0] if x.sum() > 0 else x",
        "x.sum() > 0 and flag",
        "not (x.sum() > 0)",
        "datetime.datetime.now()",
        "sys.stdout.write('')",
        "json.dumps({})",
        "np.random.rand()",
        "torch.manual_seed(0)",
        "torch._dynamo.graph_break()",
        "uuid.uuid4()",
        "kept_away(x)",
        "tells(x)",
        "for i in range(3): print(i)",
        "assert x.sum() > 0, f'{flag}'",
        "if x.sum() > 0: pass",
        "while x.sum() > 0: x = x - 1",
    ],
)
def test_one_break(body: str) -> None:
    assert len(breaks(body)) == 1


@pytest.mark.parametrize(
    "body",
    [
        "x = x * 2",
        "v = f'{x}'",
        "random.randint(1, 3)",
        "assert x.sum() > 0, 'positive'",
        "torch.where(x > 0, x, 0)",
        "x.cpu().numpy()",
        "len(x), id(x), isinstance(x, torch.Tensor)",
        "max(x.sum(), x.mean())",
        "os.environ.get('A')",
        "unknown(x)",
        "unknown.update(x)",
        "captured(x)",
        "decorated(x)",
        "if flag: print(x)",
        "flag and x.sum().item()",
        "print if flag else time.time()",
        "[float(v) for v in x]",
        "lambda: print(x)",
        "def inner(): print(x)",
        "raise ValueError(str(x))",
        "print = unknown",
    ],
)
def test_no_certain_break(body: str) -> None:
    assert breaks(body) == []


def test_a_given_value_decides_an_arm() -> None:
    source = Source(HEAD + "    if flag % 2 == 1:\n        print(x)\n    else:\n        time.time()\n")
    function = source.tree.body[-1]
    assert isinstance(function, ast.FunctionDef)
    found = smith.facts_of(source).breaks
    assert [b.what for b in found.certain(function.body, [{"flag": 3}])] == ["`print(…)`"]
    assert [b.what for b in found.certain(function.body, [{"flag": 2}])] == ["`time.time(…)`"]
    assert len(found.certain(function.body, [{"flag": 2}, {"flag": 3}])) == 2


def test_a_break_that_another_rule_cures_does_not_remain() -> None:
    source = Source(HEAD + "    print(torch.relu(x))\n    time.time()\n")
    function = source.tree.body[-1]
    assert isinstance(function, ast.FunctionDef)
    assert [b.what for b in smith.facts_of(source).breaks.remaining(function.body)] == ["`time.time(…)`"]
