"""Torch programs made at random: typed, so that they run; full of what Dynamo cannot trace.

A program is the text of a module with an entry (a function or an `nn.Module`), `make_callable` and `make_inputs`. Every
variable has one of a few types; `B` is the batch size, which differs between the calls, and the width is 4:

    BD  float tensor (B, 4)     mBD  bool tensor (B, 4)     n  int
    B   float tensor (B,)       mB   bool tensor (B,)       f  float
    S   float tensor ()         b0   bool tensor ()         p  bool
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hypothesis import strategies as st

HEADER = """\
import logging
import math
import random
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F

logger = logging.getLogger(__name__)
records = []


def record(value):
    records.append(float(value))


def spread(v):
    if v.std(0).max() > 1:
        return v / 2
    return v


def checked(v, limit):
    if v.abs().max() > limit:
        raise ValueError("too large")
    return v


def describe(v):
    logger.info("mean %s", v.mean().item())
"""


def _split(text: str) -> list[str]:
    """The parts between semicolons and lines."""
    return [part.strip() for part in text.replace("\n", ";").split(";") if part.strip()]


EXPRESSIONS = {
    "BD": _split(
        """
        {BD} * 2 ; {BD} + {BD} ; {BD} - {S} ; {BD} * {S} ; torch.relu({BD}) ; {BD}.clone() ; {BD} + {f} ;
        {BD} * {B}.unsqueeze(-1) ; torch.where({mBD}, {BD}, {BD}) ; {BD}.masked_fill({mBD}, {f}) ; -{BD} ;
        {BD}.clamp(-1, 1) ; {BD} / ({S} + 1) ; {BD}.abs().sqrt() ; {BD}.exp() ; {BD}.detach() ; {BD} ;
        {BD}.view(-1, 4) ; {BD}[:] ; F.dropout({BD}, 0.5, {p}) ; torch.rand_like({BD}) ; {BD}.log() ;
        {BD} * {S}.item() ; {BD} + float({S}) ; {BD}.softmax(-1) ; {BD}.cumsum(0) ; spread({BD}) ;
        checked({BD}, 50) ; {BD} if {c} else {BD} ; {BD} * 2 if {c} else {BD} - 1 ; {BD} * {n} ;
        torch.nan_to_num({BD}) ; {BD} ** 2 ; {BD}.sort(0)[0] ; {BD}.flip(0) ; torch.zeros_like({BD})
        """
    ),
    "B": ["{BD}.sum(-1)", "{BD}.mean(1)", "{B} * 2", "{B} + {S}", "{B}.abs()", "{BD}[:, 0]", "{B} / ({B} + 1)", "{B}"],
    "S": _split(
        """
        {BD}.sum() ; {BD}.mean() ; {B}.sum() ; {S} * 2 ; {S} + {f} ; {BD}.norm() ; {S} - {S} ; {S}.abs() ;
        {BD}[{mBD}].sum() ; {BD}[{mB}].mean() ; {B}[{mB}].sum() ; max({S}, {S}) ; {S}.sqrt() ; {S} ;
        torch.tensor({f}) ; torch.where({b0}, {S}, {S}) ; {S}.detach() ; {mB}.sum().float()
        """
    ),
    "mBD": ["{BD} > 0", "{BD} > {S}", "torch.isnan({BD})", "~{mBD}", "{mBD} & {mBD}", "{BD} == {BD}", "{BD} >= {f}"],
    "mB": ["{B} > 0", "{B} > {S}", "{mBD}.any(-1)", "~{mB}", "{mB} | {mB}", "{BD}[:, 1] < {f}", "{mBD}.all(1)"],
    "b0": _split(
        """
        {S} > {f} ; {S} > {S} ; {mBD}.any() ; {mB}.all() ; {b0} & {b0} ; ~{b0} ; {S} == 0 ; {mB}.any() ;
        torch.isnan({BD}).any() ; torch.isfinite({S}) ; {BD}.sum() < 1 ; ({BD} > 2).any() ; {mB}.sum() > 1
        """
    ),
    "n": ["2", "3", "{BD}.shape[0]", "{n} + 1", "int({mB}.sum())", "len({B})", "{mB}.sum().item()", "steps"],
    "f": _split(
        """
        0.5 ; 1.0 ; {S}.item() ; float({S}) ; {f} * 2 ; k ; -1.0 ; 0.0 ; {f} + {n}
        """
    ),
    "p": ["flag", "{n} > 2", "{S}.item() > 0", "bool({b0})", "{f} > 0.5", "not {p}", "{b0}.item()"],
}
CONDITIONS = _split(
    """
    {b0} ; {b0} ; {b0} ; {b0} ; {p} ; {p} ; not {b0} ; {b0} and {b0} ; {b0} or {p} ; {p} and {b0} ;
    {p} or not {b0} ; {S} > 0 > -{S} ; {S} ; {S} > {f} ; {BD}.sum() > 1 ; {mB}.any() ;
    torch.isnan({BD}).any() ; {B}.max() > {f} ; extra is not None ;
    torch.isinf({BD}).any() or torch.isnan({BD}).any() ; len({B}) > 2 ; {n} > 1 ; flag ; {mB}.sum() == 0
    """
)
EFFECTS = _split(
    """
    print("mean", {S}) ; print("large") ; logger.warning("value %s", {n}) ; logger.info("seen") ;
    logger.debug("v %.2f", {S}.item()) ; warnings.warn("odd") ; record({S}) ; describe({BD}) ;
    random.random() ; assert {S} == {S}, "not a number" ; assert not torch.isinf({BD}).any(), f"inf {flag}" ;
    records.append({n}) ; records.append({S}.item()) ; print(f"{flag} {{n}}")
    """
)
IN_PLACE = _split(
    """
    {BD}.add_(1) ; {BD}[{mBD}] = 0 ; {BD}[{mBD}] = {f} ; {BD}[{mB}] = 0 ; {BD} += {S} ; {B} *= 2 ; {S} += 1 ;
    {BD}[{mBD}] *= 2 ; {BD}[{mB}] = {BD}[{mB}] + 1 ; {B}[{mB}] = {f} ; {BD}[:, 0] = {B} ; {BD}[0] = {S} ;
    {BD}.mul_({f}) ; {B}[{mB}] = {B}[{mB}].sqrt() ; {BD}[{mBD}] += {f} ; {BD}.copy_({BD})
    """
)
ON_SELF = _split(
    """
    self.count += 1 ; self.total = self.total + {S}.detach() ; self.last = {BD}.detach() ;
    self.mean.mul_(0.5) ; self.mean.add_({S}.detach()) ; self.seen = True ; self.history.append({S}.item()) ;
    self.total += 1 ; self.mean.copy_({S}.detach()) ; self.mean = {S}.detach() ; self.note({S}) ;
    self.last = None
    """
)
ON_SELF_EXPRESSIONS = {
    "BD": ["self.layer({BD})", "{BD} * self.scale", "self.twice({BD})", "{BD} + self.mean", "self.layer({BD}) + {BD}"],
    "S": ["self.mean * 2", "self.scale.sum()", "self.total + {S}"],
    "p": ["self.training", "self.seen", "self.count > 1", "self.mean.item() > 0"],
    "b0": ["self.mean > {f}", "self.scale.sum() > 0"],
    "n": ["self.count", "self.width"],
    "f": ["self.rate", "self.total.item()"],
}
MODULE = """

class Model(nn.Module):
    def __init__(self, rate=0.5):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.scale = nn.Parameter(torch.ones(4))
        self.register_buffer("mean", torch.zeros(()))
        self.total = torch.zeros(())
        self.rate = rate
        self.width = 4
        self.count = 0
        self.seen = False
        self.history = []
        self.last = None

    def note(self, value):
        if value > 1:
            self.count += 1

    def twice(self, v):
        if v.mean() > 0:
            v = v * 2
        return v
"""
CALLS = """

def make_inputs():
    generator = torch.Generator().manual_seed(3)
    x, y = torch.randn(3, 4, generator=generator), torch.rand(3, 4, generator=generator)
    return [
        ((x, y), {{}}),
        ((-x, y.clone(), torch.tensor([True, False, True]), {steps}, 2.0, False, y.clone()), {{}}),
        ((torch.zeros(2, 4), torch.ones(2, 4)), {{"flag": False}}),
        ((x * 100, torch.full((3, 4), float("nan"))), {{"mask": torch.tensor([False, False, False])}}),
    ]
"""
SIGNATURE = "x, y, mask=None, steps=2, k=0.5, flag=True, extra=None"
NAMES = {"BD": "xyhz", "B": "uv", "S": "st", "mBD": "m", "mB": "r", "b0": "c", "n": "n", "f": "a", "p": "q"}
MAX_DEPTH = 3
HOLE = re.compile(r"\{(BD|B|S|mBD|mB|b0|n|f|p|c)\}")


@dataclass
class _Maker:
    """Draws statements; knows which variable of which type is bound."""

    draw: st.DrawFn
    method: bool
    bound: dict[str, list[str]] = field(default_factory=dict)
    made: int = 0

    def text(self, template: str, depth: int = 0) -> str:
        """A template with its holes filled."""
        return HOLE.sub(lambda hole: self.value(hole[1], depth + 1), template)

    def value(self, kind: str, depth: int) -> str:
        """A variable of the type where there is one and the expression gets deep, else an expression."""
        if kind == "c":
            return self.condition()
        names = self.bound.get(kind, [])
        if names and (depth > MAX_DEPTH - 1 or self.draw(st.integers(0, 3))):
            return self.draw(st.sampled_from(names))
        if depth > MAX_DEPTH:
            return {"BD": "x", "B": "x[:, 0]", "S": "x.sum()", "mBD": "(x > 0)", "mB": "(x[:, 0] > 0)"}.get(
                kind, {"b0": "(x.sum() > 0)", "n": "2", "f": "0.5", "p": "flag"}.get(kind, "")
            )
        return "(" + self.expression(kind, depth) + ")"

    def expression(self, kind: str, depth: int = 0) -> str:
        """An expression of the type."""
        own = ON_SELF_EXPRESSIONS.get(kind, []) if self.method else []
        return self.text(self.draw(st.sampled_from(EXPRESSIONS[kind] + own * 2)), depth)

    def condition(self) -> str:
        """The test of a branch."""
        own = [text for kind in "pb0" for text in ON_SELF_EXPRESSIONS.get(kind, [])] if self.method else []
        return self.text(self.draw(st.sampled_from(CONDITIONS + own)), 1)

    def variable(self, kind: str) -> str:
        """A name for a value of the type, new or bound already."""
        return self.draw(st.sampled_from(list(NAMES[kind])))

    def bind(self, kind: str, name: str) -> None:
        """The name is bound from here on."""
        names = self.bound.setdefault(kind, [])
        if name not in names:
            names.append(name)

    def block(self, depth: int, loop: bool, most: int = 2) -> list[str]:
        """Statements of an arm or a body; what they bind is not known to be bound behind it."""
        before = {kind: list(names) for kind, names in self.bound.items()}
        lines = [line for _ in range(self.draw(st.integers(1, most))) for line in self.statement(depth, loop)]
        self.bound = before
        return ["    " + line for line in lines]

    def statement(self, depth: int, loop: bool) -> list[str]:
        """One statement, as lines."""
        simple = ["assign"] * 4 + ["effect", "in place"] + ["store"] * (2 * self.method)
        nested = ["if"] * 4 + ["same"] * 3 + ["for", "while", "try", "grad", "return", "raise", "rows"]
        leave = ["break", "continue"] if loop else []
        shape = self.draw(st.sampled_from(simple + leave + (nested if depth < MAX_DEPTH else [])))
        return getattr(self, "_" + shape.replace(" ", "_"))(depth, loop)

    def _assign(self, _depth: int, _loop: bool) -> list[str]:
        kind = self.draw(st.sampled_from(["BD"] * 5 + ["B", "S", "S", "mBD", "mB", "b0", "n", "f", "p"]))
        value, name = self.expression(kind), self.variable(kind)
        self.bind(kind, name)
        return [f"{name} = {value}"]

    def _effect(self, _depth: int, _loop: bool) -> list[str]:
        return [self.text(self.draw(st.sampled_from(EFFECTS)), 2)]

    def _in_place(self, _depth: int, _loop: bool) -> list[str]:
        template = self.draw(st.sampled_from(IN_PLACE))
        kind = template[1 : template.index("}")]
        if not self.bound.get(kind):
            return self._assign(0, False)
        name = self.draw(st.sampled_from(self.bound[kind]))
        return [self.text(template.replace("{" + kind + "}", name, 1), 2)]

    def _store(self, _depth: int, _loop: bool) -> list[str]:
        return [self.text(self.draw(st.sampled_from(ON_SELF)), 2)]

    def _break(self, _depth: int, _loop: bool) -> list[str]:
        return [f"if {self.condition()}:", "    break"]

    def _continue(self, _depth: int, _loop: bool) -> list[str]:
        return [f"if {self.condition()}:", "    continue"]

    def _return(self, _depth: int, _loop: bool) -> list[str]:
        return [f"if {self.condition()}:", f"    return {self.result()}"]

    def _raise(self, _depth: int, _loop: bool) -> list[str]:
        message = self.draw(st.sampled_from(['"bad input"', 'f"bad {flag}"', '"got %s" % k', "str(x.shape)"]))
        error = self.draw(st.sampled_from(["ValueError", "RuntimeError", "AssertionError"]))
        return [f"if {self.condition()}:", f"    raise {error}({message})"]

    def _if(self, depth: int, loop: bool) -> list[str]:
        lines = [f"if {self.condition()}:", *self.block(depth + 1, loop)]
        if self.draw(st.integers(0, 3)) == 0:
            lines += [f"elif {self.condition()}:", *self.block(depth + 1, loop)]
        if self.draw(st.booleans()):
            lines += ["else:", *self.block(depth + 1, loop)]
        return lines

    def _same(self, _depth: int, _loop: bool) -> list[str]:
        """Both arms bind one name."""
        kind = self.draw(st.sampled_from(["BD", "BD", "S", "f", "n", "B"]))
        name = self.variable(kind)
        first, second = self.expression(kind, 1), self.expression(kind, 1)
        lines = [f"if {self.condition()}:", f"    {name} = {first}"]
        if name in self.bound.get(kind, []) and self.draw(st.booleans()):
            return lines
        self.bind(kind, name)
        return [*lines, "else:", f"    {name} = {second}"]

    def _for(self, depth: int, _loop: bool) -> list[str]:
        count = self.draw(st.sampled_from(["range(2)", "range(3)", "range(steps)", "(1, 2)", "enumerate((0.5, k))"]))
        target = "i, w" if "enumerate" in count else "i"
        return [f"for {target} in {count}:", *self.block(depth + 1, True)]

    def _while(self, depth: int, _loop: bool) -> list[str]:
        self.made += 1
        turn = f"turn{self.made}"
        test = self.draw(st.sampled_from([f"{turn} < 2", f"{turn} < 3 and {self.condition()}"]))
        return [f"{turn} = 0", f"while {test}:", f"    {turn} += 1", *self.block(depth + 1, False)]

    def _rows(self, _depth: int, _loop: bool) -> list[str]:
        source = self.value("B", 2)
        value = self.draw(st.sampled_from(["float(e)", "e.item()", "e * 2", "e.item() * k"]))
        self.bind("f", "a")
        total = self.draw(st.sampled_from(["float(sum(values))", "len(values) * 0.5"]))
        return [f"values = [{value} for e in {source}]", f"a = {total}"]

    def _try(self, depth: int, loop: bool) -> list[str]:
        error = self.draw(st.sampled_from(["ValueError", "(ValueError, RuntimeError)", "AssertionError"]))
        return ["try:", *self.block(depth + 1, loop), f"except {error}:", *self.block(depth + 1, loop, 1)]

    def _grad(self, depth: int, loop: bool) -> list[str]:
        return ["with torch.no_grad():", *self.block(depth + 1, loop)]

    def result(self) -> str:
        """What is returned."""
        names = [name for kind in ("BD", "B", "S", "f", "n", "b0") for name in self.bound.get(kind, [])]
        return ", ".join(self.draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True)))


@st.composite
def programs(draw: st.DrawFn) -> str:
    """The text of a program."""
    method = draw(st.booleans())
    maker = _Maker(draw, method, {"BD": ["x", "y"], "f": ["k"], "n": ["steps"], "p": ["flag"]})
    lines = [line for _ in range(draw(st.integers(2, 6))) for line in maker.statement(0, False)]
    if any("mask" in line for line in lines) or draw(st.booleans()):
        lines = ["if mask is None:", "    mask = x[:, 0] > 0", *lines]
    lines.append(f"return {maker.result()}")
    if method:
        head = [f"    def forward(self, {SIGNATURE}):", *("        " + line for line in lines)]
        entry = MODULE + "\n" + "\n".join(head)
        maker_of = "    torch.manual_seed(0)\n    return Model()"
    else:
        entry = "\n\n" + "\n".join([f"def entry({SIGNATURE}):", *("    " + line for line in lines)])
        maker_of = "    return entry"
    return HEADER + entry + f"\n\n\ndef make_callable():\n{maker_of}\n" + CALLS.format(steps=draw(st.integers(1, 3)))
