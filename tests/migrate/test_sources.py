"""What is to be migrated."""

from __future__ import annotations

from pathlib import Path

import pytest

from refactor.errors import UserError
from refactor.migrate.model import Origin
from refactor.migrate.sources import origins


def test_names_come_from_the_last_part() -> None:
    found = [
        o.name for o in origins(["https://host.example/team/model.git", "git@host.example:team/other.git", "a/b c/"])
    ]
    assert found == ["model", "other", "b-c"]


def test_one_name_twice() -> None:
    first, second = origins(["https://one.example/model", "https://two.example/Model"])
    assert first.name == "model"
    assert second.name.startswith("Model-")
    assert len(second.name) == len("Model-") + 8
    assert [o.name for o in origins(["https://one.example/model", "https://two.example/Model"])] == [
        first.name,
        second.name,
    ]


def test_the_same_repository_twice_is_one() -> None:
    assert len(list(origins(["a", "a", "b"]))) == 2


def test_a_csv_list(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("name,url,revision,test\none,https://host.example/a,v1,pytest -q\n,https://host.example/b,,\n")
    assert list(origins([str(path)])) == [
        Origin("one", "https://host.example/a", "v1", (("test", "pytest -q"),)),
        Origin("b", "https://host.example/b"),
    ]


def test_a_yaml_list(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    path = tmp_path / "list.yaml"
    path.write_text("- url: here\n  factory: make.py:build\n- https://host.example/b\n")
    assert list(origins([str(path)])) == [
        Origin("here", str(tmp_path / "here"), "", (("factory", "make.py:build"),)),
        Origin("b", "https://host.example/b"),
    ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("l.csv", "name,ulr\na,b\n", "list:2: no such column `ulr` (did you mean `url`?)"),
        ("l.csv", "name\na\n", "list:2: expected a url"),
        ("l.yaml", "- url: a\n- [1]\n", "list:2: expected name, url, revision"),
        ("l.yaml", "url: a\n", "list:1: expected a list of repositories"),
        ("l.yaml", "- {a\n", "list: not valid YAML"),
        ("l.yaml", "- url: !!python/object/apply:os.system [x]\n", "list: not valid YAML"),
    ],
)
def test_lists_that_are_wrong(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(UserError) as error:
        list(origins([str(path)]))
    assert str(error.value).replace(str(path), "list").startswith(message)


def test_shards_part_the_list() -> None:
    names = [f"https://host.example/r{index}" for index in range(10)]
    parts = [[o.name for o in origins(names, (part, 3))] for part in (1, 2, 3)]
    assert parts == [["r0", "r3", "r6", "r9"], ["r1", "r4", "r7"], ["r2", "r5", "r8"]]
