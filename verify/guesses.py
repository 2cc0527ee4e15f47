"""First guesses for the parameters of a function, best first: annotations, shape comments, defaults, uses, names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from .reach import Function, Outline, Unit
from .specs import FALSE, NONE, TRUE, Draw, ManySpec, NamedSpec, PlainSpec, Spec, TensorSpec, plain
from .uses import Uses, uses_of

BATCH, LENGTH, WIDTH, SIDE = 3, 5, 4, 6
STANDARD: dict[int, tuple[int, ...]] = {
    0: (),
    1: (BATCH,),
    2: (BATCH, WIDTH),
    3: (BATCH, LENGTH, WIDTH),
    4: (BATCH, WIDTH, SIDE, SIDE),
    5: (BATCH, WIDTH, LENGTH, SIDE, SIDE),
}
_SIZES = {"b": BATCH, "n": BATCH, "batch": BATCH, "t": LENGTH, "s": LENGTH, "l": LENGTH, "seq": LENGTH, "h": SIDE}
_SIZES |= {
    "c": WIDTH,
    "d": WIDTH,
    "dim": WIDTH,
    "ch": WIDTH,
    "channels": WIDTH,
    "w": SIDE,
    "height": SIDE,
    "width": SIDE,
}

_INTEGER = (
    r"ids?|idx|index|indices|labels?|owner|classes|action|actions|positions?|lengths?|counts?|edge_index|edge_type|task"
)
_MASK = r"mask|masks|valid|keep|is|has|done|dones|masked|padding_mask"
_COUNT = (
    r"n|k|num|size|steps|width|depth|length|dims?|budget|capacity|stride|heads|layers|hidden|channels|features|vocab"
    r"|groups|kernel|experts|classes|ch|in|out|rank"
)
_FLOAT = (
    r"lr|eps|alpha|beta\d?|gamma|p|prob|rate|threshold|temperature|scale|momentum|decay"
    r"|ceiling|limit|ratio|tol|dropout|weight_decay|tau|sigma|jitter|penalty"
)
_FLAG = r"use|return|training|inplace|verbose|causal|bias|strict|explore|enable|with|keepdim|normalize"
_TEXT = r"mode|reduction|activation|kind|name|method"
_LAYER = r"module|model|net|layer|block|encoder|decoder|backbone|fn|func|function|head|inner|body|base|proj"
_LISTS = r"params|grads|updates|tensors|outputs|features|xs|states|sequences|seqs|layers|items|batches|losses|weights"
_CONFIG = r"config|cfg|args|options|opts|hparams|conf"


@dataclass(frozen=True, slots=True)
class Guess:
    """What may be passed for a parameter.

    Attributes:
        name: the parameter.
        options: specs, the likeliest first.
        required: False where it may be left out.
        by_keyword: True where it must be named.
    """

    name: str
    options: tuple[Spec, ...]
    required: bool
    by_keyword: bool


def guesses(unit: Unit, outline: Outline) -> tuple[Guess, ...]:
    """Guesses for each parameter of a function or method, without `self`."""
    node = unit.node
    if not isinstance(node, Function):
        return ()
    given = node.args
    positional = [*given.posonlyargs, *given.args]
    static = any(ast.unparse(item) == "staticmethod" for item in node.decorator_list)
    defaults: list[ast.expr | None] = [*[None] * (len(positional) - len(given.defaults)), *given.defaults]
    listed = [(arg, default, False) for arg, default in zip(positional, defaults, strict=True)]
    if unit.owner and not static:
        listed = listed[1:]
    listed += [(arg, default, True) for arg, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    comments = _shape_comments(node)
    found = []
    for arg, default, named in listed:
        uses = uses_of(arg.arg, unit, outline)
        options = dict.fromkeys(
            (*_of_layers(uses, unit, outline), *_options(arg, default, uses, outline, comments.get(arg.arg)))
        )
        found.append(Guess(arg.arg, tuple(options), default is None, named))
    return tuple(found)


def field_guesses(name: str, outline: Outline) -> tuple[Guess, ...]:
    """Guesses for the fields of a dataclass of the file that has no constructor of its own."""
    node = outline.units[name].node
    if not isinstance(node, ast.ClassDef) or not any("dataclass" in ast.unparse(d) for d in node.decorator_list):
        return ()
    found = []
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            arg = ast.arg(item.target.id, item.annotation)
            options = tuple(dict.fromkeys(_options(arg, item.value, Uses(), outline, None)))
            found.append(Guess(item.target.id, options, item.value is None, False))
    return tuple(found)


def is_like(pattern: str, name: str) -> bool:
    """True where a word of the name is one of the pattern's."""
    return re.search(rf"(^|_)({pattern})(\d*)($|_)", name) is not None


def _options(
    arg: ast.arg, default: ast.expr | None, uses: Uses, outline: Outline, comment: tuple[int, ...] | None
) -> Iterator[Spec]:
    if comment is not None:
        yield TensorSpec(comment, *_dtype(arg.arg, uses))
    if arg.annotation is not None:
        yield from _of_annotation(ast.unparse(arg.annotation).strip("'\""), arg.arg, uses, outline)
    if default is not None and not (isinstance(default, ast.Constant) and default.value is None):
        yield from _of_default(default, uses)
        return
    yield from _of_uses(arg.arg, uses, outline)


def _of_annotation(text: str, name: str, uses: Uses, outline: Outline) -> Iterator[Spec]:
    inner = re.sub(r"^(typing\.)?Optional\[(.*)\]$", r"\2", text)
    inner = re.sub(r"\s*\|\s*None$|^None\s*\|\s*", "", inner)
    bare = inner.rpartition(".")[2]
    if "Tensor" in inner:
        yield from _of_tensor_annotation(inner, name, uses)
    elif bare in outline.units:
        yield from _objects(bare, outline)
    elif re.match(r"(typing\.)?(list|List|Sequence|Iterable|tuple|Tuple)\b", inner):
        wanted = next((k for k in ("int", "float", "str", "bool") if re.search(rf"\b{k}\b", inner)), "float")
        items = {"int": (2, 3), "float": (0.5, 0.25), "str": ("a", "b"), "bool": (True, False)}[wanted]
        yield ManySpec(tuple(plain(v) for v in items), bool(re.match(r"(typing\.)?[tT]uple", inner)))
    elif bare in ("int", "float", "bool", "str"):
        yield from _plains(bare, name, uses)
    elif bare == "dtype":
        yield PlainSpec("torch.float32")
    elif bare == "device":
        yield PlainSpec("torch.device('cpu')")
    elif bare == "Size":
        yield PlainSpec("torch.Size((3, 4))")
    elif bare == "Generator":
        yield PlainSpec("torch.Generator().manual_seed(0)")
    elif bare == "Module":
        yield from _layers(uses, outline)
    elif re.match(r"(typing\.)?(Callable)\b", inner):
        yield from (PlainSpec("torch.relu"), PlainSpec("torch.add"))


def _of_tensor_annotation(text: str, name: str, uses: Uses) -> Iterator[Spec]:
    """`Tensor`, containers of it, and `Float[Tensor, "b t c"]`."""
    kind = re.search(r"(\w+)\[[\w.]*Tensor,\s*['\"]([^'\"]*)['\"]\]", text)
    if kind:
        dims = kind.group(2).split()
        shape = _named_shape([item.strip("*#") for item in dims])
        dtype = {"Int": "int64", "Integer": "int64", "Bool": "bool"}.get(kind.group(1), "float32")
        yield TensorSpec(shape, dtype, "normal", 3.0 if dtype == "int64" else 0.5 if dtype == "bool" else 1.0)
        return
    one = next(iter(_tensors(name, uses)))
    if re.match(r"(typing\.)?([Ll]ist|Sequence|Iterable)\[", text):
        one = next(iter(_tensors(name, uses.items or Uses())))
        yield ManySpec((one, _again(one)))
    elif re.match(r"(typing\.)?[Tt]uple\[", text):
        count = max(text.count("Tensor"), (uses.positions or 0) + 1) if "..." not in text else 2
        yield ManySpec(tuple(_again(one, i) for i in range(count)), True)
    elif re.match(r"(typing\.)?([Dd]ict|Mapping)\[", text):
        yield NamedSpec("", tuple((key, one) for key in uses.keys or ["a", "b"]))
    else:
        yield from _tensors(name, uses)


def _of_default(default: ast.expr, uses: Uses) -> Iterator[Spec]:
    try:
        value = ast.literal_eval(default)
    except ValueError:
        return
    yield plain(value)
    if isinstance(value, bool):
        yield plain(not value)
    elif isinstance(value, int):
        yield from (plain(v) for v in dict.fromkeys((value + 1, 1, 2, 0, *map(int, uses.numbers))))
    elif isinstance(value, float):
        yield from (plain(v) for v in dict.fromkeys((value * 2, 0.5, 0.0, 1.0)))
    elif isinstance(value, str):
        yield from (plain(text) for text in uses.texts)


_MET = {
    "Conv1d": STANDARD[3],
    "Conv2d": STANDARD[4],
    "ConvTranspose2d": STANDARD[4],
    "BatchNorm2d": STANDARD[4],
    "MaxPool2d": STANDARD[4],
    "Conv3d": STANDARD[5],
    "MultiheadAttention": STANDARD[3],
    "LSTM": STANDARD[3],
    "GRU": STANDARD[3],
}


def _of_layers(uses: Uses, unit: Unit, outline: Outline) -> Iterator[Spec]:
    """What the layers of torch that a value is passed to take; their sizes come from the objects themselves."""
    init = outline.units.get(f"{unit.owner}.__init__")
    for name in uses.layers:
        made = [
            node.value
            for node in ast.walk(init.node if init else unit.node)
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == f"self.{name}"
        ]
        inner = [ast.unparse(n.func).rpartition(".")[2] for m in made for n in ast.walk(m) if isinstance(n, ast.Call)]
        if "Embedding" in inner or "EmbeddingBag" in inner:
            yield TensorSpec((BATCH, LENGTH), "int64", "normal", 3.0)
        yield from (TensorSpec(_MET[kind]) for kind in inner if kind in _MET)


def _of_uses(name: str, uses: Uses, outline: Outline) -> Iterator[Spec]:
    ways = list(_guessed(name, uses, outline))
    yield from ways
    yield from _tensors(name, uses)
    if uses.items is not None or uses.iterated:
        one = next(iter(_tensors(name, uses.items or Uses())))
        yield ManySpec((one, _again(one)))
        yield ManySpec((plain(0.5), plain(0.25)))
    yield from (plain(2), plain(0.5), TRUE)


def _guessed(name: str, uses: Uses, outline: Outline) -> Iterator[Spec]:
    """What the uses, and then the name, speak for before a tensor."""
    known = uses.attributes
    if uses.keys:
        yield NamedSpec("", tuple((key, next(iter(_tensors(key, Uses())))) for key in uses.keys))
    if uses.texts:
        yield from (plain(text) for text in dict.fromkeys(uses.texts))
    if is_like(_CONFIG, name) and known:
        yield NamedSpec("types.SimpleNamespace", tuple((k, _attribute(k)) for k in sorted(known)))
    if uses.calls is not None or (is_like(_LAYER, name) and not known & _OF_TENSORS):
        yield from _layers(uses, outline)
    yield from _containers(name, uses)
    if known & _OF_TENSORS:
        return
    if uses.items is not None and (is_like(_LISTS, name) or uses.truth):
        one = next(iter(_tensors(name, uses.items)))
        yield ManySpec((one, _again(one)))
    elif name in ("shape", "size") and uses.positions is not None:
        yield ManySpec(tuple(plain(v) for v in (BATCH, WIDTH)), True)
    elif uses.counts or (is_like(_COUNT, name) and not uses.masks):
        yield from _plains("int", name, uses)
    elif is_like(_FLOAT, name) and uses.rank is None and not uses.least_rank:
        yield from _plains("float", name, uses)
    elif is_like(_FLAG, name):
        yield from (TRUE, FALSE)
    elif is_like(_TEXT, name):
        yield plain("sum")


def _containers(name: str, uses: Uses) -> Iterator[Spec]:
    """What is filled like a list, or read like a dict."""
    if uses.attributes & _OF_LISTS:
        one = next(iter(_tensors(name, uses.items or Uses())))
        yield from (ManySpec((one, _again(one))), ManySpec((TensorSpec(()),)), ManySpec(()), ManySpec((plain(0.5),)))
    if uses.attributes & _OF_MAPPINGS:
        yield from (NamedSpec("", (("a", TensorSpec(STANDARD[2])),)), NamedSpec(""))


# What only a tensor is asked for: reading one of these rules out a number, a list and a module.
_OF_TENSORS = frozenset(
    """
    shape dim size ndim item sum mean max min abs any all new_zeros view reshape flatten transpose permute unsqueeze
    squeeze float long device dtype clone detach cpu numpy norm numel expand argmax softmax sqrt exp log clamp square
    masked_fill add_ mul_ sub_ div_ copy_ lerp_ requires_grad cos sin tolist T mT le lt ge gt eq chunk split
    """.split()  # noqa: SIM905  # a list of names, one apiece, is hard to read
)


_OF_LISTS = frozenset(("append", "extend", "insert"))
_OF_MAPPINGS = frozenset(("keys", "values", "items", "setdefault"))


def _attribute(name: str) -> Spec:
    if is_like(_FLAG, name):
        return TRUE
    if is_like(_COUNT, name):
        return plain(_int_for(name))
    if is_like(_FLOAT, name) or "drop" in name or "prob" in name:
        return plain(0.5)
    return plain("relu") if "act" in name else plain(4)


def _plains(kind: str, name: str, uses: Uses) -> Iterator[Spec]:
    if kind == "int":
        values: tuple[object, ...] = (_int_for(name), *(int(v) for v in uses.numbers), 2, 4, 8, 1, 3, 0)
    elif kind == "float":
        values = (0.5, *map(float, uses.numbers), 1.0, 0.1, 2.0, 0.0)
    elif kind == "bool":
        values = (True, False)
    else:
        values = (*uses.texts, "sum", "relu")
    yield from (plain(value) for value in dict.fromkeys(values))
    if kind == "float" and uses.attributes:
        yield TensorSpec((), draw="constant", shift=0.5)


def _int_for(name: str) -> int:
    if "head" in name or "group" in name or name == "n":
        return 2
    if is_like("vocab|num_embeddings|classes", name):
        return 11
    if is_like("steps|depth|layers|experts|num|n|k|stride|kernel|kernel_size|repeats|iters", name):
        return 3 if "kernel" in name else 2
    return 8 if is_like("dim|dims|hidden|features|width|embed|channels|ch|size|in|out", name) else 4


def _tensors(name: str, uses: Uses) -> Iterator[TensorSpec]:
    """Tensors of the likeliest dtype, of the likeliest rank first."""
    dtype, draw, scale = _dtype(name, uses)
    if uses.named_sizes:
        yield TensorSpec(_named_shape(list(uses.named_sizes)), dtype, draw, scale)
    if uses.rank is not None:
        ranks = [uses.rank]
    elif uses.read or (dtype == "int64" and uses.numbers):
        ranks = [0, 1, 2]
    else:
        ranks = [max(2 if dtype == "float32" else 1, uses.least_rank), 1, 2, 3, 0, 4]
    for rank in dict.fromkeys(rank for rank in ranks if rank >= min(uses.least_rank, 5)):
        shape = STANDARD[min(rank, 5)]
        if uses.positions is not None and shape and shape[0] <= uses.positions:
            shape = (uses.positions + 1, *shape[1:])
        yield TensorSpec(shape, dtype, draw, scale)


def _dtype(name: str, uses: Uses) -> tuple[str, Draw, float]:
    if uses.masks or (is_like(_MASK, name) and not uses.attributes & {"item"}):
        return "bool", "normal", 0.5
    if uses.indexes or is_like(_INTEGER, name):
        return "int64", "normal", 3.0
    return "float32", "normal", 1.0


def _again(spec: TensorSpec, by: int = 1) -> TensorSpec:
    return TensorSpec(spec.shape, spec.dtype, spec.draw, spec.scale, spec.shift, spec.seed + by)


def _named_shape(names: list[str]) -> tuple[int, ...]:
    """Sizes for names of dimensions: the same name is the same size, and an integer is itself."""
    known = dict(_SIZES)
    return tuple(int(n) if n.isdigit() else known.setdefault(n.lower(), WIDTH + len(known) % 4) for n in names)


def _shape_comments(node: Function) -> dict[str, tuple[int, ...]]:
    """`x: (B, T, C)` and the like in the docstring, by parameter."""
    text = ast.get_docstring(node) or ""
    found = {}
    for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
        seen = re.search(
            rf"\b{arg.arg}\b[^\n()\[\]]{{0,60}}[(\[]\s*([A-Za-z0-9_]+(?:\s*,\s*[A-Za-z0-9_]+)*)\s*,?\s*[)\]]", text
        )
        names = re.split(r"\s*,\s*", seen.group(1)) if seen else []
        if names and all(name.isdigit() or len(name) <= 2 or name.lower() in _SIZES for name in names):
            found[arg.arg] = _named_shape(names)
    return found


def _objects(name: str, outline: Outline, depth: int = 0) -> Iterator[Spec]:
    """An object of a class of the file, from its constructor's required parameters."""
    init = outline.units.get(f"{name}.__init__")
    needed = guesses(init, outline) if init and depth < 2 else field_guesses(name, outline)
    items = tuple((g.name, g.options[0]) for g in needed if g.required and g.options)
    yield NamedSpec(f"module.{name}", items)


def _layers(uses: Uses, outline: Outline) -> Iterator[Spec]:
    """Things to call: modules of the file that need no arguments, then layers of torch."""
    for unit in outline.units.values():
        forward = outline.units.get(f"{unit.name}.forward")
        if isinstance(unit.node, ast.ClassDef) and forward is not None and isinstance(forward.node, Function):
            init = outline.units.get(f"{unit.name}.__init__")
            takes = len(forward.node.args.args) - 1
            if (uses.calls is None or takes == uses.calls) and _needs_nothing(init):
                yield NamedSpec(f"module.{unit.name}")
    yield from (PlainSpec("torch.nn.Linear(4, 4)"), PlainSpec("torch.nn.Identity()"), PlainSpec("torch.relu"), NONE)


def _needs_nothing(init: Unit | None) -> bool:
    if init is None or not isinstance(init.node, Function):
        return True
    given = init.node.args
    count = len(given.posonlyargs) + len(given.args) - 1
    return len(given.defaults) >= count and all(default is not None for default in given.kw_defaults)
