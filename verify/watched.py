"""The values that a failed guard met, read while its frame is still there. Runs inside of the user's program."""

from __future__ import annotations

import ast
import contextlib
import re
import sys
import types
from collections.abc import Sequence
from typing import Any

import torch

_TEXT = 80


class _UnknownError(Exception):
    """An expression that is not read: it might run the user's code."""


def actual_values(guards: Sequence[str]) -> list[tuple[str, str]]:
    """Each guard's text with the value that it met, as text; empty where that is not known."""
    frame = frame_compiling()
    scope = frame.f_locals.get("locals") if frame is not None else None
    others = frame.f_locals.get("globals") if frame is not None else None
    return [(text, _actual(text, scope or {}, others or {})) for text in guards]


def frame_compiling() -> types.FrameType | None:
    """The frame of Dynamo's that compiles: its locals hold the `code`, the `locals` and the `globals` of the user's."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "_compile" and frame.f_code.co_filename.endswith("convert_frame.py"):
            return frame if isinstance(frame.f_locals.get("code"), types.CodeType) else None
        frame = frame.f_back
    return None


def _actual(text: str, scope: dict[str, Any], others: dict[str, Any]) -> str:
    condition = text.partition(": ")[2].split("\n")[0].split("  # ")[0].strip()
    kind = re.match(r"___check_type_id\((.+), \d+\)", condition)
    same = re.match(r"___check_obj_id\((.+), \d+\)", condition)
    with contextlib.suppress(Exception):
        if same:
            return _text(_read(ast.parse(same.group(1), mode="eval").body, scope, others))
        if kind:
            return type(_read(ast.parse(kind.group(1), mode="eval").body, scope, others)).__qualname__
        tree = ast.parse(condition, mode="eval").body
        if isinstance(tree, ast.Compare):
            asked = next(side for side in (tree.left, *tree.comparators) if not isinstance(side, ast.Constant))
            return _text(_read(asked, scope, others))
    return ""


def _text(value: Any) -> str:
    if type(value) in (bool, int, float, str, bytes, type(None), tuple, torch.Size, torch.dtype, torch.device):
        return repr(value)[:_TEXT]
    return f"<{type(value).__qualname__}>"


def _read(node: ast.expr, scope: dict[str, Any], others: dict[str, Any]) -> Any:
    """The value of a source: names, attributes, items, lengths and sizes.

    Raises:
        _UnknownError: it is something else.
    """
    if isinstance(node, ast.Name):
        return {"L": scope, "G": others}.get(node.id, scope.get(node.id, others.get(node.id)))
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Attribute):
        return _attribute(_read(node.value, scope, others), node.attr)
    if isinstance(node, ast.Subscript):
        return _item(_read(node.value, scope, others), _read(node.slice, scope, others))
    if isinstance(node, ast.Call):
        return _call(node, scope, others)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_read(node.operand, scope, others)
    raise _UnknownError


def _call(node: ast.Call, scope: dict[str, Any], others: dict[str, Any]) -> Any:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if name in ("len", "type") and len(node.args) == 1:
        value = _read(node.args[0], scope, others)
        if name == "type":
            return type(value).__qualname__
        if isinstance(value, (list, tuple, dict, str, set, bytes)):
            return len(value)
    if name in ("size", "stride", "dim") and isinstance(node.func, ast.Attribute):
        value = _read(node.func.value, scope, others)
        if isinstance(value, torch.Tensor):
            return getattr(value, name)(*(_read(argument, scope, others) for argument in node.args))
    raise _UnknownError


def _attribute(value: Any, name: str) -> Any:
    if isinstance(value, torch.Tensor) and name in ("shape", "dtype", "device", "requires_grad"):
        return getattr(value, name)
    held = object.__getattribute__(value, "__dict__")
    if name in held:
        return held[name]
    for group in ("_parameters", "_buffers", "_modules"):
        if name in held.get(group, {}):
            return held[group][name]
    raise _UnknownError


def _item(value: Any, key: Any) -> Any:
    if type(value) in (list, tuple, torch.Size) or isinstance(value, dict):
        return value[key] if not isinstance(value, dict) else dict.__getitem__(value, key)
    raise _UnknownError
