"""A few instructions at the head of a function's bytecode, built with Dynamo's own tools for the running Python."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from torch._dynamo import bytecode_transformation as bytecode


def with_prologue(code: types.CodeType, names: tuple[str, ...], function: Callable[..., Any]) -> types.CodeType:
    """The code with a call of `function` first, which takes the values of `names` as one tuple."""

    def insert(instructions: list[Any], options: dict[str, Any]) -> None:
        cells = options["co_cellvars"]
        prologue = [
            *bytecode.add_push_null(bytecode.create_instruction("LOAD_CONST", argval=function)),
            *(bytecode.create_instruction("LOAD_DEREF" if n in cells else "LOAD_FAST", argval=n) for n in names),
            bytecode.create_instruction("BUILD_TUPLE", arg=len(names)),
            *bytecode.create_call_function(1, False),
            bytecode.create_instruction("POP_TOP"),
        ]
        head = next((index for index, one in enumerate(instructions) if one.opname == "RESUME"), -1)
        instructions[head + 1 : head + 1] = prologue

    # Some releases return the code alone, others what they know of it besides.
    made: Any = bytecode.transform_code_object(code, insert)
    return made[0] if isinstance(made, tuple) else made  # type: ignore[no-any-return]
