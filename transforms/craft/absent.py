"""Text that answers a question about a tensor from which inputs are absent."""

from __future__ import annotations

import ast

from ..facts.absent import Answer
from ..facts.fills import EXTENDED
from ..model import Edit, Fix, NoFix, Safety
from .bench import Bench
from .signature import argument, parameter


def answer_fix(answer: Answer, bench: Bench) -> Fix | NoFix:
    """Note at the start of the function which inputs are absent, and ask the tensor only where they are not."""
    entry = answer.entry
    docstring = ast.get_docstring(entry, clean=False) is not None
    first = entry.body[1] if docstring and len(entry.body) > 1 else entry.body[0]
    if not bench.alone([first]):
        return NoFix("the body of its function stands on one line")
    flag = bench.facts.names.fresh("_and_".join(answer.inputs) + "_absent")
    test = " and ".join(f"{name} is None" for name in answer.inputs)
    edits: list[Edit] = [bench.insert_before(first, f"{bench.source.margin(first)}{flag} = {test}")]
    known = flag
    if answer.call is not None:
        call, name = answer.call
        known = bench.facts.names.fresh(f"{name}_absent")
        for edit in (parameter(answer.asker, f"{known}=False", bench), argument(call, f"{known}={flag}", bench)):
            if isinstance(edit, NoFix):
                return edit
            edits.append(edit)
    question = answer.question
    text = f"{answer.outcome} if {known} else {bench.text(question)}"
    bare = isinstance(bench.facts.names.parent(question), (ast.Assign, ast.Return, ast.If))
    edits.append(bench.swap(question, text if bare else f"({text})"))
    changes = (f"output: `{EXTENDED}` is taken to make 0 of 1, and less of 0",) if answer.assumed else ()
    safety = Safety.UNSAFE if answer.assumed else Safety.SAFE
    return Fix(tuple(edits), safety, "ask the tensor only where the input is given", changes=changes)
