"""Where settings come from, and what is said about wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from refactor.codes import chosen, expand, matches
from refactor.config import Config, Resolver, Settings
from refactor.errors import UserError

CODES = ("TR101", "TR102", "TR301")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_the_nearest_section_wins_whole(root):
    write(root / "pyproject.toml", '[tool.refactor]\nseed = 1\nverify = "off"\n')
    write(root / "a" / "pyproject.toml", "[tool.refactor]\nseed = 2\n")
    write(root / "a" / "b" / "pyproject.toml", "[project]\nname = 'x'\n")
    resolver = Resolver()
    assert resolver.for_file(Path("f.py")).settings == Settings(seed=1, verify="off")
    assert resolver.for_file(Path("a/b/f.py")).settings == Settings(seed=2)
    assert resolver.for_file(Path("a/b/f.py")).root == root / "a"


def test_the_command_line_wins_over_config_and_config_over_the_file(root):
    write(root / "pyproject.toml", "[tool.refactor]\nseed = 1\njobs = 1\nexamples = 1\n")
    config = Resolver(("seed = 2", "jobs = 2"), overrides={"seed": 3}).for_file(Path("f.py"))
    assert (config.settings.seed, config.settings.jobs, config.settings.examples) == (3, 2, 1)
    assert config.origin == {"seed": "command line", "jobs": "--config", "examples": f"{root}/pyproject.toml:4"}


def test_a_named_file_replaces_the_nearest_and_isolated_both(root):
    write(root / "pyproject.toml", "[tool.refactor]\nseed = 1\n")
    write(root / "other.toml", "seed = 2\n")
    assert Resolver(("other.toml",)).for_file(Path("f.py")).settings.seed == 2
    assert Resolver(isolated=True).for_file(Path("f.py")).settings == Settings()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.refactor]\n\nverfy = 'off'\n", "pyproject.toml:3: unknown setting `verfy` (did you mean `verify`?)"),
        (
            "[tool.refactor]\nmax_unroll = 3\n",
            "pyproject.toml:2: unknown setting `max_unroll` (did you mean `max-unroll`?)",
        ),
        ("[tool.refactor]\nverify = 'of'\n", "pyproject.toml:2: `verify`: expected one of off, auto, require"),
        ("[tool.refactor]\nseed = -1\n", "pyproject.toml:2: `seed`: expected `int` >= 0"),
        ("[tool.refactor]\nselect = 'TR1'\n", "pyproject.toml:2: `select`: expected `array`, got `str`"),
        ("[tool.refactor]\nx = \n", "pyproject.toml:2: not valid TOML: Invalid value (at line 2, column 5)"),
        (
            "[[tool.refactor.entry]]\nfactory = 'f'\n",
            "pyproject.toml:1: `entry[0]`: object missing required field `path`",
        ),
        (
            "[[tool.refactor.entry]]\npath = '*'\nfactory = 'f'\nimputs = 'g'\n",
            "pyproject.toml:1: `entry[0]`: object contains unknown field `imputs`",
        ),
    ],
)
def test_a_wrong_setting_is_one_line_with_its_place(root, text, message):
    write(root / "pyproject.toml", text)
    with pytest.raises(UserError) as caught:
        Resolver().for_file(Path("f.py"))
    assert str(caught.value) == f"{root}/{message}"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (("nope.toml",), "`--config` takes a file or `key = value`, and there is no file nope.toml"),
        (("sed = 1",), "--config: unknown setting `sed` (did you mean `seed`?)"),
        (("a.toml", "b.toml"), "`--config` takes one file only"),
    ],
)
def test_a_wrong_config_option(root, values, message):
    write(root / "a.toml", "")
    write(root / "b.toml", "")
    with pytest.raises(UserError) as caught:
        Resolver(values)
    assert str(caught.value) == message


class TestCodes:
    def test_prefixes_lists_and_all(self):
        assert expand(["TR1"], CODES) == {"TR101", "TR102"}
        assert expand(["TR301,TR102"], CODES) == {"TR301", "TR102"}
        assert expand(["ALL"], CODES) == {*CODES, "TR900"}

    @pytest.mark.parametrize("selector", ["TR7", "", "tr101", "E501"])
    def test_an_unknown_one_is_an_error(self, selector):
        with pytest.raises(UserError, match=f"no rule is called `{selector}`"):
            expand([selector], CODES)

    def test_ignore_wins_and_files_can_ignore_more(self):
        settings = Settings(
            select=("TR1", "TR3"), ignore=("TR102",), per_file_ignores={"tests/*": ("TR3",), "a.py": ("ALL",)}
        )
        config = Config(settings, Path("/r"))
        assert chosen(config, Path("/r/f.py"), CODES) == {"TR101", "TR301"}
        assert chosen(config, Path("/r/tests/f.py"), CODES) == {"TR101"}
        assert chosen(config, Path("/r/deep/a.py"), CODES) == set()

    @pytest.mark.parametrize(
        ("glob", "path", "expected"),
        [
            ("f.py", "/r/a/f.py", True),
            ("a/*.py", "/r/a/f.py", True),
            ("a/*.py", "/r/b/a/f.py", False),
            ("**/a/*.py", "/r/b/a/f.py", True),
            ("a/", "/r/a/b/f.py", True),
            ("f.py", "/elsewhere/f.py", True),
        ],
    )
    def test_globs(self, glob, path, expected):
        assert matches(glob, Path(path), Path("/r")) is expected
