"""Overloads of torch's functions as plain data, from stubs, Python signatures and schemas, and the table's notation."""

from __future__ import annotations

import ast
import collections
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

ROOT = Path(torch.__file__).parent
Overload = dict[str, Any]

HOST = re.compile(
    r"_?(int|bool|float|complex|size|dtype|device|layout|str|list|qscheme)\b|Number|Size|tuple\[(_?int|int)|SymInt|Device"
)


class Stub:
    """The overloads of the functions of one stub file, or of one class in it."""

    def __init__(self, path: str, owner: str | None = None) -> None:
        tree: ast.Module | ast.ClassDef = ast.parse((ROOT / path).read_text())
        if owner:
            tree = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == owner)
        self.functions: dict[str, list[ast.FunctionDef]] = collections.defaultdict(list)
        self.attributes: dict[str, str] = {}
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                if any("property" in ast.unparse(d) for d in node.decorator_list):
                    self.attributes[node.name] = ast.unparse(node.returns) if node.returns else "Any"
                else:
                    self.functions[node.name].append(node)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                self.attributes[node.target.id] = ast.unparse(node.annotation)


def result_of(annotation: str) -> str:
    """`Returns` of the table for a stub's annotation."""
    text = annotation.strip("'\"").replace("torch.Tensor", "Tensor").replace('"', "").replace("'", "")
    if text in ("Tensor", "Self", "Parameter"):
        return "tensor"
    if text.startswith("torch.return_types") or re.match(r"(tuple|list|List|Tuple|Sequence)\[Tensor", text):
        return "tensors"
    if text == "None":
        return "none"
    return "host" if HOST.match(text) and "Tensor" not in text else "unknown"


def kind_of(annotation: str) -> str:
    """What a parameter takes: tensor, tensors, either, int, number, literal or other."""
    text = annotation.replace("torch.Tensor", "Tensor")
    bare = re.sub(r"\| None|Optional\[(.*)\]", r"\1", text).strip()
    if re.match(r"(tuple|list|List|Sequence)\[Tensor", bare) or bare.startswith("tuple[Tensor"):
        return "tensors"
    if bare == "Tensor":
        return "tensor"
    if "Tensor" in bare:
        return "either"
    if bare in ("_int", "int", "SymInt", "_int | SymInt", "_int | _size", "_int | Size"):
        return "int"
    if re.match(r"(Number|_float|float)", bare):
        return "number"
    return "literal" if bare.startswith("Literal[") else "other"


def from_stub(node: ast.FunctionDef, method: bool) -> Overload:
    """An overload of a stub, without `self` for methods."""
    a = node.args
    positional = [*a.posonlyargs, *a.args]
    required = len(positional) - len(a.defaults)
    found = [_stub_parameter(p, i >= required, False) for i, p in enumerate(positional)]
    if a.vararg:
        rest = _stub_parameter(a.vararg, True, False)
        found.append({**rest, "kind": "tensors" if rest["kind"] == "tensor" else rest["kind"]})
    pairs = zip(a.kwonlyargs, a.kw_defaults, strict=True)
    found += [_stub_parameter(p, default is not None, True) for p, default in pairs]
    returns = result_of(ast.unparse(node.returns)) if node.returns else "unknown"
    return {"parameters": found[1:] if method else found, "returns": returns, "variadic": bool(a.vararg)}


def _stub_parameter(node: ast.arg, optional: bool, keyword: bool) -> Overload:
    text = ast.unparse(node.annotation) if node.annotation else "Any"
    found = {"name": node.arg, "kind": kind_of(text), "optional": optional, "keyword": keyword}
    if found["kind"] == "literal":
        found["literal"] = "true" if "True" in text else "false"
    # Named dimensions are a second spelling of every reduction.
    return {**found, "named": "EllipsisType" in text}


def from_signature(function: Callable[..., Any], method: bool) -> Overload | None:
    """The only overload of a function written in Python, from its annotations."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    empty = inspect.Parameter.empty
    text = {
        p.name: "Any" if p.annotation is empty else annotation_text(p.annotation) for p in signature.parameters.values()
    }
    parameters = [
        {
            "name": p.name,
            "kind": "tensors" if p.kind is p.VAR_POSITIONAL and "Tensor" in text[p.name] else kind_of(text[p.name]),
            "optional": p.default is not empty or p.kind is p.VAR_POSITIONAL,
            "keyword": p.kind is p.KEYWORD_ONLY,
        }
        for p in signature.parameters.values()
        if p.kind is not p.VAR_KEYWORD
    ]
    variadic = any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values())
    returns = (
        "unknown" if signature.return_annotation is empty else result_of(annotation_text(signature.return_annotation))
    )
    return {"parameters": parameters[1:] if method else parameters, "returns": returns, "variadic": variadic}


def annotation_text(annotation: Any) -> str:
    """An annotation of a Python signature as a stub would write it."""
    return annotation.__name__ if isinstance(annotation, type) else str(annotation).replace("typing.", "")


def from_schema(schema: Any) -> Overload:
    """An overload that only the dispatcher knows."""
    kinds = {"Tensor": "tensor", "List[Tensor]": "tensors", "int": "int", "number": "number", "float": "number"}
    parameters = [
        {
            "name": {"self": "input"}.get(p.name, p.name),
            "kind": kinds.get(re.sub(r"Optional\[(.*)\]", r"\1", str(p.type)), "other"),
            "optional": p.has_default_value(),
            "keyword": p.kwarg_only,
        }
        for p in schema.arguments
    ]
    results = [str(r.type) for r in schema.returns]
    returns = "none" if not results else "tensor" if results == ["Tensor"] else "host"
    if len(results) > 1 or results == ["List[Tensor]"]:
        returns = "tensors"
    return {"parameters": parameters, "returns": returns, "variadic": False}


def written(text: str) -> Overload:
    """An overload in the table's own notation."""
    left, _, right = text.partition("->")
    parameters = [_parameter(word) for word in left.split() if word not in ("/", "...")]
    return {"text": text, "parameters": parameters, "returns": right.split()[0], "variadic": "..." in text}


def _parameter(word: str) -> Overload:
    kind = "tensor" if word[0] == "*" else "either" if word[0] == "~" else "other"
    return {"name": word.strip("*~?").partition("=")[0], "kind": kind, "optional": "?" in word, "keyword": False}


def notation(overload: Overload) -> str:
    """The text that `torch_api._signature` reads."""
    if "text" in overload:
        return str(overload["text"])
    words: list[str] = []
    for p in overload["parameters"]:
        if p["keyword"] and "/" not in words:
            words.extend(["..."] if overload["variadic"] else [])
            words.append("/")
        mark = {"tensor": "*", "tensors": "*", "either": "~"}.get(p["kind"], "")
        literal = f"={p['literal']}" if "literal" in p else ""
        words.append(f"{mark}{p['name']}{literal}{'?' if p['optional'] else ''}")
    if overload["variadic"] and "/" not in words:
        words.append("...")
    return " ".join([*words, "->", overload["returns"]])
