from __future__ import annotations

import inspect
import sys
from pathlib import Path

import pytest
import torch

from refactor.verify.targets import Place, Recipe, Target, TargetError, import_path


def package(folder: Path) -> Path:
    inner = folder / "pack" / "sub"
    inner.mkdir(parents=True)
    (folder / "pack" / "__init__.py").write_text("", encoding="utf-8")
    (inner / "__init__.py").write_text("from .model import f\n", encoding="utf-8")
    (inner / "sibling.py").write_text("VALUE = 5\n", encoding="utf-8")
    (inner / "model.py").write_text("def f():\n    return 'on disk'\n", encoding="utf-8")
    return inner / "model.py"


def test_place_of_a_file_in_a_package(tmp_path: Path) -> None:
    place = Place.of(str(package(tmp_path)))
    assert (place.root, place.package, place.name) == (tmp_path, "pack.sub", "pack.sub.model")


def test_place_of_a_package_itself(tmp_path: Path) -> None:
    place = Place.of(str(package(tmp_path).with_name("__init__.py")))
    assert (place.root, place.package, place.name) == (tmp_path, "pack.sub", "pack.sub")


def test_place_of_a_single_file(tmp_path: Path) -> None:
    place = Place.of(str(tmp_path / "041-model.py"))
    assert (place.root, place.package, place.name) == (tmp_path, "", "041-model")


def test_relative_imports_and_private_names(tmp_path: Path) -> None:
    place = Place.of(str(package(tmp_path)))
    target = Target("from .sibling import VALUE\nfrom ..sub import sibling\nNAME = __name__\n", place, "old")
    with import_path(place.root):
        first, second = target.load(), target.load()
    assert first.VALUE == second.VALUE == 5
    assert first.NAME != second.NAME
    assert first.NAME.startswith("pack.sub.model__old_")
    assert target.canonical(f"{first.NAME} at {target.filename}") == f"pack.sub.model at {place.path}"


def test_siblings_of_a_single_file(tmp_path: Path) -> None:
    (tmp_path / "beside_it.py").write_text("VALUE = 7\n", encoding="utf-8")
    place = Place.of(str(tmp_path / "model.py"))
    with import_path(place.root):
        assert Target("from beside_it import VALUE\n", place, "new").load().VALUE == 7


def test_source_can_be_read_back(tmp_path: Path) -> None:
    target = Target("def f(x):\n    return x + 1\n", Place.of(str(tmp_path / "model.py")), "old")
    module = target.load()
    assert inspect.getsource(module.f) == "def f(x):\n    return x + 1\n"


def test_every_load_has_its_own_state(tmp_path: Path) -> None:
    target = Target(
        "SEEN = []\ndef f():\n    SEEN.append(1)\n    return len(SEEN)\n", Place.of(str(tmp_path / "m.py")), "old"
    )
    assert [target.load().f(), target.load().f()] == [1, 1]


def test_unloaded_modules_leave_nothing(tmp_path: Path) -> None:
    target = Target("x = 1\n", Place.of(str(tmp_path / "model.py")), "old")
    module = target.load()
    assert module.__name__ in sys.modules
    target.unload(module)
    assert module.__name__ not in sys.modules


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(:\n", "the original: line 1: "),
        ("raise ValueError('no\\nway')\n", "the original cannot be imported: ValueError: no"),
        ("import sys\nsys.exit(4)\n", "the original cannot be imported: SystemExit: 4"),
    ],
)
def test_what_cannot_be_loaded_is_one_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(TargetError) as caught:
        Target(text, Place.of(str(tmp_path / "model.py")), "old").load()
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_factory_elsewhere_builds_from_the_text(tmp_path: Path) -> None:
    place = Place.of(str(package(tmp_path)))
    helper = tmp_path / "helper.py"
    text = "from pack.sub.model import f\ndef make():\n    return f\ndef calls():\n    return [((), {})]\n"
    helper.write_text(text, encoding="utf-8")
    target = Target("def f():\n    return 'from text'\n", place, "old")
    recipe = Recipe(f"{helper}:make", f"{helper}:calls")
    with import_path(place.root):
        module = target.load()
        assert recipe.build(target, module)() == "from text"
        assert recipe.calls(target, module) == [([], {})]
        assert sys.modules["pack.sub"].f() == "on disk"
    for name in ("pack", "pack.sub", "pack.sub.model"):
        sys.modules.pop(name, None)


def test_a_factory_that_builds_something_else_is_told_so(tmp_path: Path) -> None:
    helper = tmp_path / "helper.py"
    helper.write_text("def make():\n    return print\n", encoding="utf-8")
    target = Target("x = 1\n", Place.of(str(tmp_path / "model.py")), "old")
    with pytest.raises(TargetError, match=r"built nothing of model\.py"):
        Recipe(f"{helper}:make", "calls").build(target, target.load())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "factory make: there is no make in model.py"),
        ("def make():\n    return 3\n", "factory make returned int, which cannot be called"),
        ("def make():\n    raise OSError('gone')\n", "factory make raised OSError: gone"),
    ],
)
def test_factories_that_do_not_work(text: str, message: str, tmp_path: Path) -> None:
    target = Target(text, Place.of(str(tmp_path / "model.py")), "old")
    with pytest.raises(TargetError) as caught:
        Recipe("make", "calls").build(target, target.load())
    assert str(caught.value) == message


def test_inputs_of_another_shape(tmp_path: Path) -> None:
    target = Target("def calls():\n    return [1]\n", Place.of(str(tmp_path / "model.py")), "old")
    with pytest.raises(TargetError, match=r"inputs calls must return a list of \(args, kwargs\)"):
        Recipe("make", "calls").calls(target, target.load())


def test_custom_operators_of_a_module_do_not_collide(tmp_path: Path) -> None:
    text = (
        "import torch\n_NS = __name__.replace('.', '_')\n"
        "@torch.library.custom_op(f'{_NS}::twice', mutates_args=())\n"
        "def twice(x: torch.Tensor) -> torch.Tensor:\n    return x * 2\n"
    )
    target = Target(text, Place.of(str(tmp_path / "model.py")), "old")
    first, second = target.load(), target.load()
    assert first.twice(torch.ones(1)).item() == second.twice(torch.ones(1)).item() == 2
