"""Write transforms/facts/torch_api.json: what torch's functions, methods, attributes and layers do.

Run it with the torch of constraints.txt: `python tools/generate_torch_api.py`. Most of the table comes from torch's own
schemas (aliases, mutation, tags), its type stubs (overloads, results) and signatures; what neither says is tried out
(`torch_probes.py`); the hand-written part, with its reasons, is `torch_api_notes.py`.
"""

from __future__ import annotations

import ast
import collections
import inspect
import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch
import torch_api_notes as notes
import torch_probes as probes
from torch_overloads import (
    Overload,
    Stub,
    annotation_text,
    from_schema,
    from_signature,
    from_stub,
    notation,
    result_of,
    written,
)

TARGET = Path(__file__).resolve().parent.parent / "transforms" / "facts" / "torch_api.json"
PREFIXES = {
    "torch": "",
    "torch.nn.functional": "",
    "torch.linalg": "linalg_",
    "torch.fft": "fft_",
    "torch.special": "special_",
}
MODULES = {
    "torch": torch,
    "torch.nn.functional": torch.nn.functional,
    "torch.linalg": torch.linalg,
    "torch.fft": torch.fft,
    "torch.special": torch.special,
}


def schemas() -> dict[str, list[Any]]:
    """The functional overloads of every aten operator whose arguments hold a tensor, or that makes one."""
    found: dict[str, list[Any]] = collections.defaultdict(list)
    for schema in torch._C._jit_get_all_schemas():
        text = str(schema)
        tensors = "Tensor" in text.partition("(")[2]
        if (
            schema.name.startswith("aten::")
            and tensors
            and "Dimname" not in text
            and not re.search(r" out\d?[,)]", text)
        ):
            found[schema.name[6:]].append(schema)
    return found


class Table:
    """The table under construction."""

    def __init__(self) -> None:
        self.schemas = schemas()
        self.functions = Stub("_C/_VariableFunctions.pyi")
        self.tensor = Stub("_C/__init__.pyi", "TensorBase")
        self.functional = Stub("nn/functional.pyi")
        self.aliases = dict(notes.ALIASES)

    def overloads(self, module: str, name: str, target: Callable[..., Any]) -> list[Overload]:
        """The overloads of a function or ("torch.Tensor") method, from the best source there is."""
        method = module == "torch.Tensor"
        stub = self.tensor if method else self.functional if module.endswith("functional") else self.functions
        qualified = f"{module}.{name}"
        found: list[Overload] = []
        if qualified in notes.SIGNATURES:
            return [written(text) for text in notes.SIGNATURES[qualified]]
        if module in ("torch", "torch.Tensor", "torch.nn.functional"):
            nodes = [n for n in stub.functions[name] if method or not (n.args.args and n.args.args[0].arg == "self")]
            found = [from_stub(n, method) for n in nodes]
        if not found and (one := from_signature(target, method)):
            found = [one]
        if not found and (base := PREFIXES.get(module, "") + name) in self.schemas:
            found = [from_schema(s) for s in self.schemas[base]]
            for one in found if method else ():
                one["parameters"] = one["parameters"][1:]
        return [o for o in found if not any(p.get("named") for p in o["parameters"])] or found

    def entry(self, module: str, name: str, target: Callable[..., Any]) -> list[str]:
        """The row of a function or method."""
        qualified = f"{module}.{name}"
        overloads = self.overloads(module, name, target)
        base = notes.BASES.get(qualified, PREFIXES.get(module, "") + name)
        facts = self._from_schemas(self.schemas.get(base, []), name)
        self._from_overloads(facts, overloads, module, name)
        if facts["alias"] == "fresh" and not facts["mutates"] and facts["random"] == "never":
            facts.update(_probed(facts["tags"], overloads, name, target, module == "torch.Tensor"))
        if facts["alias"] == "view" and not facts["mutates"]:
            facts.update(dtype="same", gradient="total")
        facts.update(notes.FACTS.get(qualified, {}) or notes.FACTS.get(f"*.{name}", {}))
        return _row(facts, overloads)

    def _from_schemas(self, known: list[Any], name: str) -> dict[str, Any]:
        tags = set[Any]()
        for schema in known:
            packet = getattr(torch.ops.aten, schema.name[6:])
            tags |= set(getattr(packet, schema.overload_name or "default").tags)
        mutates = {a.name for s in known for a in s.arguments if a.alias_info and a.alias_info.is_write}
        shared = any(a.alias_info and not a.alias_info.is_write for s in known for a in s.arguments)
        in_place = name.endswith("_") and not name.endswith("__")
        maybe = name in notes.MAYBE or torch.Tag.maybe_aliasing_or_mutating in tags
        return {
            "tags": tags,
            "alias": "view" if in_place or (shared and not maybe) else "maybe" if maybe else "fresh",
            "mutates": sorted(mutates),
            "random": "always" if torch.Tag.nondeterministic_seeded in tags else "never",
            "value_shape": torch.Tag.dynamic_output_shape in tags,
            "reads": torch.Tag.data_dependent_output in tags or torch.Tag.dynamic_output_shape in tags,
            "effect": False,
            "dtype": "unknown",
            "gradient": "unsafe",
        }

    def _from_overloads(self, facts: dict[str, Any], overloads: list[Overload], module: str, name: str) -> None:
        names = {p["name"] for o in overloads for p in o["parameters"]}
        results = {o["returns"] for o in overloads}
        facts["returns"] = results.pop() if len(results) == 1 else "unknown"
        facts["mutates_if"] = [p for p in ("out", "inplace") if p in names]
        if module == "torch.Tensor":
            facts["mutates"] = [m for m in facts["mutates"] if m == "self" or m in names]
            if name.endswith("_") and not name.endswith("__"):
                facts["mutates"] = sorted({*facts["mutates"], "self"})
        elif name.endswith("_") and overloads:
            facts["mutates"] = [overloads[0]["parameters"][0]["name"]]
        else:
            facts["mutates"] = [m for m in facts["mutates"] if m in names]
        facts["effect"] = facts["returns"] == "none" and not facts["mutates"]
        if facts["random"] == "never" and "generator" in names:
            facts["random"] = "always"
        if {"training", "train", "dropout_p"} & names and ("dropout" in name or facts["random"] == "always"):
            facts["random"] = "maybe"

    def collect(self) -> dict[str, Any]:
        """The whole table."""
        functions: dict[str, list[str]] = {}
        for module, loaded in MODULES.items():
            for name in sorted(vars(loaded)):
                target = getattr(loaded, name)
                if self._is_function(module, name, target):
                    functions[f"{module}.{name}"] = self.entry(module, name, target)
        for qualified, facts in notes.OTHERS.items():
            functions[qualified] = _row({**notes.PLAIN, **facts}, [written(t) for t in facts.get("signatures", ())])
        methods = {
            name: self.entry("torch.Tensor", name, getattr(torch.Tensor, name))
            for name in sorted(dir(torch.Tensor))
            if callable(getattr(torch.Tensor, name)) and (not name.startswith("_") or name in notes.SPECIAL_METHODS)
        }
        layers, layer_aliases = self._layers()
        self.aliases |= layer_aliases
        self._find_aliases(functions)
        return {
            "torch": torch.__version__.partition("+")[0],
            "functions": {k: v for k, v in functions.items() if k not in self.aliases},
            "methods": methods,
            "attributes": self._attributes(),
            "constants": self._constants(),
            "layers": layers,
            "aliases": dict(sorted(self.aliases.items())),
        }

    def _is_function(self, module: str, name: str, target: object) -> bool:
        if (
            name.startswith("_")
            or isinstance(target, type)
            or not callable(target)
            or f"{module}.{name}" in notes.OTHERS
        ):
            return False
        if module == "torch":
            return name in self.functions.functions or getattr(target, "__module__", "") == "torch.functional"
        public = name in self.functional.functions or name in getattr(MODULES[module], "__all__", [name])
        return public and not inspect.ismodule(target) and name not in notes.NOT_PUBLIC

    def _find_aliases(self, functions: Iterable[str]) -> None:
        for qualified in list(functions):
            module, _, name = qualified.rpartition(".")
            target = getattr(MODULES.get(module, torch), name, None)
            said = re.search(r"Alias (?:for|of) :func:`~?(torch\.[\w.]+)`", getattr(target, "__doc__", "") or "")
            if said and said[1] in functions and "functional" not in said[1] and said[1] != qualified:
                # torch.sigmoid calls itself an alias of torch.special.expit; the shorter path is the known name.
                other, name = said[1], qualified
                if name.count(".") < other.count("."):
                    other, name = name, other
                if other not in self.aliases:
                    self.aliases[name] = other
        for name, target in vars(torch.functional).items():
            if getattr(torch, name, None) is target and f"torch.{name}" in functions:
                self.aliases[f"torch.functional.{name}"] = f"torch.{name}"

    def _attributes(self) -> dict[str, str]:
        kinds = {"tensor": "tensor", "host": "host", "tensors": "other", "unknown": "other", "none": "other"}
        found = {n: kinds[result_of(a)] for n, a in self.tensor.attributes.items() if not n.startswith("_")}
        found |= {n: "optional" for n, a in self.tensor.attributes.items() if a == "Tensor | None" and n[0] != "_"}
        return dict(sorted({**found, **notes.ATTRIBUTES}.items()))

    def _constants(self) -> dict[str, str]:
        plain = (torch.dtype, torch.layout, torch.memory_format, int, float, bool, str)
        found = {f"torch.{n}": "host" for n, v in vars(torch).items() if isinstance(v, plain) and n[0] != "_"}
        return dict(sorted({**found, **notes.CONSTANTS}.items()))

    def _layers(self) -> tuple[dict[str, Any], dict[str, str]]:
        layers: dict[str, Any] = {}
        aliases: dict[str, str] = {}
        for name in sorted(torch.nn.__dict__):
            kind = getattr(torch.nn, name)
            if isinstance(kind, type) and issubclass(kind, torch.nn.Module) and kind.__name__ == name:
                layers[f"torch.nn.{name}"] = layer_entry(name, kind)
                aliases[f"{kind.__module__}.{name}"] = f"torch.nn.{name}"
                aliases[f"torch.nn.modules.{name}"] = f"torch.nn.{name}"
        return layers, aliases


def _probed(tags: set[Any], overloads: list[Overload], name: str, target: Any, method: bool) -> dict[str, Any]:
    """What experiments say: dtype rule, reduction, elementwise, total, gradient."""
    plans = [[(p["name"], p["kind"]) for p in o["parameters"] if not p["optional"]] for o in overloads]
    if name in notes.PROBE_WITH:
        plans = [([] if method else [("input", "tensor")]) + plan for plan in notes.PROBE_WITH[name]]
    tried = list(probes.calls(target, [[("self", "tensor"), *plan] if method else plan for plan in plans]))
    working = [call for call in tried if probes.dtype_rule(call) != "raises"]
    found: dict[str, Any] = {"dtype": probes.common_dtype_rule(tried)}
    found["reduction"] = any(probes.is_reduction(call) for call in tried)
    if not working or name in notes.UNPROBED:
        return found
    pointwise = torch.Tag.pointwise in tags or name in notes.ELEMENTWISE
    found["elementwise"] = pointwise and all(probes.is_elementwise(call) for call in working)
    found["total"] = found["elementwise"] and all(probes.is_total(call) for call in tried)
    if name not in notes.DOUBTED:
        grades = {probes.gradient(call, found["elementwise"]) for call in working}
        found["gradient"] = next(g for g in ("unsafe", "finite", "total") if g in grades)
    return found


def layer_entry(name: str, kind: type[torch.nn.Module]) -> dict[str, Any]:
    """The row of a layer; what equals the default of `Layer` is left out."""
    parameters = [p for p in list(inspect.signature(kind.__init__).parameters)[1:] if p not in ("args", "kwargs")]
    forward = inspect.signature(kind.forward)
    inputs = list(forward.parameters.values())[1:]
    body = ast.parse(textwrap.dedent(inspect.getsource(kind.forward))).body[0].body  # type: ignore[attr-defined]
    body = [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    last = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
    called = ast.unparse(last.func) if isinstance(last, ast.Call) else ""
    function = called.replace("F.", "torch.nn.functional.") if called.startswith(("F.", "torch.")) else None
    returns = result_of(annotation_text(forward.return_annotation))
    elementwise = name in notes.ACTIVATIONS
    found = {
        "parameters": " ".join(parameters),
        "takes_tensor": bool(inputs)
        and "Tensor" in annotation_text(inputs[0].annotation)
        and kind is not torch.nn.Module,
        "returns": notes.LAYER_RETURNS.get(name, returns),
        "train": notes.train_of(kind),
        "inplace": "inplace" in parameters,
        "shape": "same" if elementwise or issubclass(kind, notes.SAME_SHAPE) else notes.SHAPES.get(name, "unknown"),
        "function": function,
        "elementwise": elementwise,
    }
    plain = {**dict.fromkeys(("returns", "shape"), "unknown"), "train": "pure", "parameters": None}
    return {k: v for k, v in found.items() if v != plain.get(k) and v is not False}


def _row(facts: dict[str, Any], overloads: list[Overload]) -> list[str]:
    words = [facts[k] for k in ("returns", "alias", "dtype", "gradient", "random")]
    flags = ("reads", "value_shape", "elementwise", "total", "reduction", "effect")
    words += [flag for flag in flags if facts.get(flag)]
    words += [f"{key}:{name}" for key in ("mutates", "mutates_if") for name in facts.get(key, ())]
    return [" ".join(words), *dict.fromkeys(notation(o) for o in overloads)]


def main() -> int:
    """Write the table, one row a line, so that a new torch shows as a readable difference; `--check` only compares."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    table = Table().collect()
    lines = [f'"torch": {json.dumps(table.pop("torch"))}']
    for section, rows in table.items():
        inner = ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(rows.items()))
        lines.append(f'"{section}": {{\n{inner}\n}}')
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    if "--check" in sys.argv[1:]:
        return int(text != TARGET.read_text())
    TARGET.write_text(text)
    print(f"{TARGET.name}: " + ", ".join(f"{len(v)} {k}" for k, v in table.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
