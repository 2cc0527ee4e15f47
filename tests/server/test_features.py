"""Every feature of the server, through the protocol."""

from __future__ import annotations

import asyncio
import itertools
import json
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from .conftest import Editor, edited, position

pytestmark = pytest.mark.asyncio(loop_scope="module")

MODEL = """\
import torch
from torch import nn


class Gate(nn.Module):
    def forward(self, x):
        h = torch.relu(x)
        if h.sum() > 0.5:
            h = h * 2
        print(f"sum {h.sum()}")
        return h
"""
REWRITTEN = "h = _where(h.sum() > 0.5, lambda h: h * 2, lambda h: h, (h,))"
TWO = MODEL.replace('        print(f"sum {h.sum()}")\n', "        if h.mean() > 1:\n            h = h + 1\n")
# `x` is a number or a tensor: the fix rests on an assumption.
UNSAFE = """\
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(4, 4)
        self.two = nn.Linear(4, 4)

    def forward(self, x):
        h = torch.relu(x)
        if h.sum() > 0:
            return self.one(h)
        return self.two(h)
"""
_numbers = itertools.count()


@pytest.fixture
def path(root: Path) -> Path:
    """A file of its own for each test."""
    folder = root / f"p{next(_numbers)}"
    folder.mkdir()
    return folder / "model.py"


class TestDiagnostics:
    async def test_pulled(self, editor: Editor, path: Path):
        uri = editor.open(path, MODEL)
        first, second = (await editor.pull(uri)).items
        assert (first.code, editor.marked(uri, first)) == ("TR101", "h.sum() > 0.5")
        assert first.message == "branch on the value of a tensor, `h.sum() > 0.5`"
        assert first.severity == types.DiagnosticSeverity.Warning
        assert first.source == "refactor"
        assert first.code_description.href.endswith("/gb0170.html")
        related = {(place.message, place.location.range.start.line) for place in first.related_information}
        assert related == {("`h` is bound here", 6), ("may run compiled: `Gate` is a torch.nn.Module", 5)}
        assert (second.code, second.range.start.line) == ("TR302", 9)

    async def test_unchanged(self, editor: Editor, path: Path):
        uri = editor.open(path, MODEL)
        answer = await editor.pull(uri)
        assert (await editor.pull(uri, answer.result_id)).kind == "unchanged"
        editor.type(uri, 0, 0, "\n")
        assert (await editor.pull(uri, answer.result_id)).kind == "full"

    async def test_a_comment_without_use_is_a_hint(self, editor: Editor, path: Path):
        uri = editor.open(path, "import torch\nx = 1  # refactor: ignore\n")
        (found,) = (await editor.pull(uri)).items
        assert found.severity == types.DiagnosticSeverity.Hint
        assert list(found.tags) == [types.DiagnosticTag.Unnecessary]

    async def test_why_there_is_no_fix(self, editor: Editor, path: Path):
        uri = editor.open(path, MODEL.replace("h = h * 2", "self.h = h"))
        found = (await editor.pull(uri)).items[0]
        assert "\nno fix: " in found.message

    async def test_after_wide_characters(self, editor: Editor, path: Path):
        text = MODEL.replace(
            "h = torch.relu(x)", "s = '😀一👩‍🔬'; h = torch.relu(x); t = 1 if h.sum() > 0 else 2  # 漢"
        )
        uri = editor.open(path, text)
        found = (await editor.pull(uri)).items
        assert [editor.marked(uri, item) for item in found] == [
            "h.sum() > 0",
            "h.sum() > 0.5",
            'print(f"sum {h.sum()}")',
        ]
        assert (
            found[0].range.start.character
            == len("        s = '😀一👩‍🔬'; h = torch.relu(x); t = 1 if ".encode("utf-16-le")) // 2
        )

    async def test_windows_lines(self, editor: Editor, path: Path):
        uri = editor.open(path, MODEL.replace("\n", "\r\n"))
        assert await editor.places(uri) == [("TR101", 8, 12), ("TR302", 10, 9)]
        at = editor.texts[uri].index("h.sum()")
        (action, *_) = await editor.actions(uri, at)
        after = await editor.after(uri, action)
        assert REWRITTEN in after
        assert after.count("\n") == after.count("\r\n")

    async def test_form_feeds_and_separators_end_no_line(self, editor: Editor, path: Path):
        text = MODEL.replace("\n\n\nclass", "\n\x0c\n\nclass").replace("sum {", "\u2028\x1c\x85 {")
        uri = editor.open(path, text)
        assert await editor.places(uri) == [("TR101", 8, 12), ("TR302", 10, 9)]
        at = editor.texts[uri].index("        return h")
        editor.type(uri, at, at, "        if h.mean() > 1:\n            h = h + 1\n")
        assert await editor.places(uri) == [("TR101", 8, 12), ("TR302", 10, 9), ("TR101", 11, 12)]

    async def test_while_typing(self, editor: Editor, path: Path):
        uri = editor.open(path, MODEL)
        await editor.pull(uri)
        at = MODEL.index("            h = h * 2")
        for character in "            y = '":
            editor.type(uri, at, at, character)
            at += 1
        # The string is open: what stands before and after the place keeps its finding, and the error is told.
        found = (await editor.pull(uri)).items
        assert [(item.code, item.severity.name) for item in found] == [
            ("TR101", "Warning"),
            ("TR302", "Warning"),
            (None, "Error"),
        ]
        assert found[2].message.startswith("not valid Python 3")
        assert editor.marked(uri, found[1]) == 'print(f"sum {h.sum()}")'
        assert await editor.actions(uri, 0, len(editor.texts[uri])) == []
        editor.type(uri, at, at, "'\n")
        assert await editor.places(uri) == [("TR101", 8, 12), ("TR302", 11, 9)]

    async def test_other_languages_are_left_alone(self, editor: Editor, path: Path):
        uri = editor.open(path.with_suffix(".txt"), MODEL, "plaintext")
        assert list((await editor.pull(uri)).items) == []

    async def test_a_text_that_has_no_file(self, editor: Editor):
        uri = "untitled:Untitled-1"
        item = types.TextDocumentItem(uri, "python", 1, MODEL)
        editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        assert len((await editor.pull(uri)).items) == 2

    async def test_any_text_is_survived(self, editor: Editor, path: Path):
        uri = editor.open(path, MODEL)
        for text in ("\x00", "(" * 5000, "x = " + "-" * 20000 + "1", "\ud800", "if torch:\n" * 90, "", "\r\r\n\n\r"):
            editor.replace(uri, "import torch\n" + text)
            await editor.pull(uri)
        editor.replace(uri, MODEL)
        assert await editor.places(uri) == [("TR101", 8, 12), ("TR302", 10, 9)]


class TestActions:
    async def titles(self, editor: Editor, uri: str, at: str, **more) -> list[str]:
        return [action.title for action in await editor.actions(uri, editor.texts[uri].index(at), **more)]

    async def test_what_is_offered(self, editor: Editor, path: Path):
        uri = editor.open(path, MODEL)
        assert await self.titles(editor, uri, "h.sum() > 0.5") == [
            "Rewrite tensor-branch (TR101)",
            "Ignore tensor-branch (TR101) with a comment",
            "Explain tensor-branch (TR101)",
            "Fix all that is safe (refactor)",
        ]
        assert await self.titles(editor, uri, "import") == ["Fix all that is safe (refactor)"]
        assert await self.titles(editor, uri, "h.sum()", only=["source.fixAll"]) == ["Fix all that is safe (refactor)"]
        assert await self.titles(editor, uri, "h.sum()", only=["source.organizeImports"]) == []
        assert len(await self.titles(editor, uri, "h.sum()", only=["quickfix"])) == 3

    async def test_a_fix(self, editor: Editor, path: Path):
        uri = editor.open(path, MODEL)
        action = (await editor.actions(uri, MODEL.index("h.sum()")))[0]
        assert (action.kind, action.is_preferred, action.edit) == ("quickfix", True, None)
        after = await editor.after(uri, action)
        assert f"        {REWRITTEN}\n        print(" in after
        assert after.count("def _where(") == 1

    async def test_all_of_a_rule(self, editor: Editor, path: Path):
        uri = editor.open(path, TWO + MODEL[MODEL.index("class") :].replace("Gate", "Other"))
        actions = await editor.actions(uri, TWO.index("h.sum()"))
        action = next(action for action in actions if action.title.startswith("Rewrite all"))
        assert action.title == "Rewrite all 3 of tensor-branch (TR101) in this file"
        after = await editor.after(uri, action)
        assert after.count("_where(h.") == 3
        assert "        print(" in after

    async def test_fix_all(self, editor: Editor, path: Path):
        uri = editor.open(path, MODEL)
        (action,) = await editor.actions(uri, 0, only=["source.fixAll"])
        assert action.kind == "source.fixAll.refactor"
        after = await editor.after(uri, action)
        assert REWRITTEN in after
        assert "        _print_sum(h.sum())" in after
        editor.replace(uri, after)
        assert list((await editor.pull(uri)).items) == []
        assert await editor.actions(uri, 0, only=["source.fixAll"]) == []

    async def test_an_unsafe_fix_is_marked_and_asked_for(self, start, root: Path, path: Path):
        careful = await start(
            root,
            workspace__workspace_edit__change_annotation_support=types.ChangeAnnotationsSupportOptions(),
        )
        uri = careful.open(path, UNSAFE)
        action = (await careful.actions(uri, UNSAFE.index("h.sum()")))[0]
        assert action.title == "Rewrite tensor-branch (TR101), unsafe: not exact or assumed"
        assert action.is_preferred is False
        edit = (await careful.resolve(action)).edit
        assert edit.change_annotations["unsafe"].needs_confirmation is True
        assert {own.annotation_id for own in edit.document_changes[0].edits} == {"unsafe"}
        assert await careful.actions(uri, 0, only=["source.fixAll"]) == []

    async def test_ignore(self, editor: Editor, path: Path):
        uri = editor.open(path, MODEL)
        actions = await editor.actions(uri, MODEL.index("h.sum()"))
        action = next(action for action in actions if action.title.startswith("Ignore"))
        after = await editor.after(uri, action)
        assert after == MODEL.replace("0.5:", "0.5:  # refactor: ignore[TR101]")

    async def test_explain(self, editor: Editor, path: Path):
        page = await editor.command("refactor.explain", "TR101")
        assert page["name"] == "tensor-branch"
        (shown,) = editor.client.shown_documents[-1:]
        file = Path(shown.uri.removeprefix("file://"))
        assert file.read_text("utf-8").startswith("# tensor-branch (TR101)\n")

    async def test_an_old_action_is_refused(self, editor: Editor, path: Path):
        uri = editor.open(path, MODEL)
        action = (await editor.actions(uri, MODEL.index("h.sum()")))[0]
        editor.type(uri, 0, 0, "\n")
        with pytest.raises(JsonRpcException, match="the text has changed since"):
            await editor.resolve(action)

    async def test_an_editor_that_cannot_resolve(self, start, root: Path, path: Path):
        plain = await start(
            root,
            text_document__code_action__resolve_support=None,
            workspace__workspace_edit__document_changes=False,
        )
        uri = plain.open(path, MODEL)
        action = (await plain.actions(uri, MODEL.index("h.sum()")))[0]
        assert REWRITTEN in edited(MODEL, action.edit.changes[uri])


class TestEncodings:
    async def test_negotiated(self, start, root: Path, path: Path):
        editor = await start(root, encoding="utf-8", general__position_encodings=["utf-8", "utf-16"])
        text = MODEL.replace('print(f"sum', "s = '😀漢é'; print(f\"sum")
        uri = editor.open(path, text)
        found = (await editor.pull(uri)).items
        assert [editor.marked(uri, item) for item in found] == ["h.sum() > 0.5", 'print(f"sum {h.sum()}")']
        at = text.index("漢")
        editor.type(uri, at, at + 1, "一😀")
        found = (await editor.pull(uri)).items
        assert editor.marked(uri, found[1]) == 'print(f"sum {h.sum()}")'
        assert found[1].range.start.character == len("        s = '😀一😀é'; ".encode())


class TestHover:
    async def test_on_a_finding(self, editor: Editor, path: Path):
        uri = editor.open(path, MODEL)
        found = await editor.hover(uri, MODEL.index("> 0.5"))
        text = found.contents.value
        assert text.startswith("**[TR101](https://meta-pytorch.github.io/")
        assert "*why*: it is computed from tensors (proved)" in text
        assert "(safe: the eager behaviour stays the same)" in text
        assert "-        if h.sum() > 0.5:\n-            h = h * 2\n+        " + REWRITTEN in text

    async def test_elsewhere(self, editor: Editor, path: Path):
        uri = editor.open(path, MODEL)
        assert await editor.hover(uri, 0) is None


class TestSettings:
    async def test_they_are_read_again(self, editor: Editor, path: Path):
        uri = editor.open(path, MODEL)
        assert len(await editor.places(uri)) == 2
        file = path.with_name("pyproject.toml")
        file.write_text("[tool.refactor]\nignore = ['TR3']\n")
        assert await editor.places(uri) == [("TR101", 8, 12)]
        file.unlink()
        assert len(await editor.places(uri)) == 2

    async def test_an_error_is_shown_in_their_file(self, editor: Editor, path: Path):
        file = path.with_name("pyproject.toml")
        file.write_text("[tool.refactor]\nselect = ['TR1']\n")
        uri = editor.open(path, MODEL)
        assert await editor.places(uri) == [("TR101", 8, 12)]
        file.write_text("[tool.refactor]\nselect = ['TR1']\nselct = 3\n")
        # The last settings that were right hold on.
        assert await editor.places(uri) == [("TR101", 8, 12)]
        (wrong,) = editor.client.diagnostics[file.as_uri()]
        assert wrong.message == "unknown setting `selct` (did you mean `select`?)"
        assert (wrong.range.start.line, wrong.range.end.character) == (2, 9)
        file.write_text("[tool.refactor]\nselect = ['TR3']\n")
        assert await editor.places(uri) == [("TR302", 10, 9)]
        assert list(editor.client.diagnostics[file.as_uri()]) == []

    async def test_several_roots(self, editor: Editor, path: Path, tmp_path: Path):
        (tmp_path / "pyproject.toml").write_text("[tool.refactor]\nselect = ['TR3']\n")
        folder = types.WorkspaceFolder(tmp_path.as_uri(), "other")
        event = types.WorkspaceFoldersChangeEvent([folder], [])
        editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
        one, other = editor.open(path, MODEL), editor.open(tmp_path / "model.py", MODEL)
        assert await editor.places(one) == [("TR101", 8, 12), ("TR302", 10, 9)]
        assert await editor.places(other) == [("TR302", 10, 9)]

    async def test_the_editors_own(self, start, root: Path, path: Path):
        editor = await start(root, options={"settings": {"select": ["TR101"]}})
        uri = editor.open(path, MODEL)
        assert await editor.places(uri) == [("TR101", 8, 12)]
        params = types.DidChangeConfigurationParams({"refactor": {"ignore": ["TR101"]}})
        editor.client.workspace_did_change_configuration(params)
        assert await editor.places(uri) == [("TR302", 10, 9)]

    async def test_they_are_watched(self, editor: Editor):
        (registration,) = editor.client.registrations
        globs = [watcher["globPattern"] for watcher in _plain(registration.register_options)["watchers"]]
        assert globs == ["**/pyproject.toml", "**/.refactor/trace.json", "**/*.{py,ipynb}"]


def _plain(value: object) -> dict:
    return json.loads(json.dumps(value, default=lambda own: own._asdict() if hasattr(own, "_asdict") else vars(own)))


class TestPush:
    @pytest.fixture
    def pushed(self, start, root: Path):
        return start(root, text_document__diagnostic=None)

    async def test_opened_typed_and_closed(self, pushed, path: Path):
        editor = await pushed
        uri = editor.open(path, MODEL)
        assert [item.code for item in await editor.published(uri)] == ["TR101", "TR302"]
        at = MODEL.index("        print")
        for character in "        x = 1\n":
            editor.type(uri, at, at, character)
            at += 1
        found = await editor.published(uri, editor.versions[uri])
        assert [editor.place(uri, item) for item in found] == [("TR101", 8, 12), ("TR302", 11, 9)]
        editor.close(uri)
        assert await editor.published(uri) == []

    async def test_settings_that_change(self, pushed, path: Path):
        editor = await pushed
        uri = editor.open(path, MODEL)
        assert len(await editor.published(uri)) == 2
        file = path.with_name("pyproject.toml")
        file.write_text("[tool.refactor]\nignore = ['TR1']\n")
        change = types.FileEvent(file.as_uri(), types.FileChangeType.Created)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
        assert [item.code for item in await editor.published(uri)] == ["TR302"]

    async def test_deleted_and_renamed_files(self, pushed, path: Path):
        editor = await pushed
        uri, other = editor.open(path, MODEL), editor.open(path.with_name("other.py"), MODEL)
        await editor.published(other)
        editor.close(uri)
        editor.close(other)
        renamed = types.RenameFilesParams([types.FileRename(uri, path.with_name("new.py").as_uri())])
        editor.client.workspace_did_rename_files(renamed)
        editor.client.workspace_did_delete_files(types.DeleteFilesParams([types.FileDelete(other)]))
        new = editor.open(path.with_name("new.py"), MODEL)
        assert len(await editor.published(new)) == 2
        assert list(editor.client.diagnostics[other]) == []
        assert list(editor.client.diagnostics.get(uri, [])) == []


class TestVerify:
    @pytest.mark.slow
    async def test_a_verdict(self, editor: Editor, path: Path):
        uri = editor.open(path, MODEL)
        answer = await editor.command("refactor.verify", uri)
        assert answer["status"] == "VERIFIED"
        assert answer["message"].startswith("model.py: VERIFIED, breaks 2 -> 0, graphs 3 -> 1")
        assert editor.client.messages[-1].message == answer["message"]
        begin, end = next(iter(editor.client.progress_reports.values()))
        assert (begin.title, begin.cancellable) == ("Verifying model.py", True)
        assert end.message == answer["message"]
        told = (await editor.pull(uri)).items[-1]
        assert (told.code, told.severity) == ("verdict", types.DiagnosticSeverity.Information)
        editor.type(uri, 0, 0, "\n")
        assert "verdict" not in {item.code for item in (await editor.pull(uri)).items}

    async def test_it_can_be_cancelled(self, start, root: Path, path: Path):
        editor = await start(root)
        uri = editor.open(path, MODEL.replace("\n\n\nclass", "\nwhile True: pass\n\n\nclass", 1))
        answer = asyncio.ensure_future(editor.command("refactor.verify", uri))
        begun = await editor.client.wait_for_notification(types.PROGRESS)
        editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(begun.token))
        assert await answer == {"status": "", "message": "cancelled"}
        process = editor.client._server.pid
        children = Path(f"/proc/{process}/task/{process}/children")
        assert not children.exists() or children.read_text() == ""

    async def test_what_cannot_be_verified(self, editor: Editor, path: Path):
        uri = editor.open(path, "import torch\nx = (\n")
        answer = await editor.command("refactor.verify", uri)
        assert answer["message"].startswith("not valid Python 3")
        answer = await editor.command("refactor.verify", "file:///nowhere.py")
        assert answer["message"] == "only an open Python file can be verified"


class TestLens:
    async def test_a_recorded_run(self, editor: Editor, path: Path):
        from refactor.verify.trace import BreakSite, Frame, Recompile, Run, Trace, encoded

        uri = editor.open(path, MODEL)
        params = types.CodeLensParams(types.TextDocumentIdentifier(uri))
        assert not await editor.client.text_document_code_lens_async(params)
        run = Run(
            frames=[Frame(str(path), "Gate.forward", 6), Frame("/else/model.py", "f", 6)],
            breaks=[
                BreakSite(str(path), 8, "Data-dependent branching", events=3),
                BreakSite(str(path), 10, "Builtin print", events=1),
                BreakSite("/else/model.py", 8, "other", events=9),
            ],
            recompiles=[Recompile(0, "0/1"), Recompile(1, "0/1")],
        )
        (path.parent / ".refactor").mkdir()
        (path.parent / ".refactor" / "trace.json").write_bytes(encoded(Trace(runs=[run])))
        (lens,) = await editor.client.text_document_code_lens_async(params)
        assert lens.command.title == "2 break sites, 4 breaks, 1 recompile (recorded)"
        assert lens.range.start.line == 5
        await editor.command("refactor.breaks", *lens.command.arguments)
        assert editor.client.messages[-1].message == "line 8: Data-dependent branching\nline 10: Builtin print"


class TestNotebooks:
    CELLS = ("%matplotlib inline\nimport torch\nfrom torch import nn", MODEL.split("\n\n\n")[1])

    @pytest.fixture
    def notebook(self, editor: Editor, path: Path):
        """The URIs of the cells of an open notebook."""
        uri = path.with_suffix(".ipynb").as_uri()
        cells = [f"{uri.replace('file', 'vscode-notebook-cell')}#{index}" for index in range(len(self.CELLS))]
        texts = [types.TextDocumentItem(cell, "python", 1, text) for cell, text in zip(cells, self.CELLS, strict=True)]
        for item in texts:
            editor.texts[item.uri], editor.versions[item.uri] = item.text, 1
        held = [types.NotebookCell(types.NotebookCellKind.Code, cell) for cell in cells]
        params = types.DidOpenNotebookDocumentParams(types.NotebookDocument(uri, "jupyter-notebook", 1, held), texts)
        editor.client.notebook_document_did_open(params)
        return uri, cells

    async def test_findings_in_cells(self, editor: Editor, notebook):
        _, cells = notebook
        assert await editor.places(cells[0]) == []
        assert await editor.places(cells[1]) == [("TR101", 4, 12), ("TR302", 6, 9)]

    async def test_fixes_stay_in_their_cells(self, editor: Editor, notebook):
        _, cells = notebook
        (action,) = await editor.actions(cells[1], 0, only=["source.fixAll"])
        edit = (await editor.resolve(action)).edit
        after = {
            change.text_document.uri: edited(editor.texts[change.text_document.uri], change.edits)
            for change in edit.document_changes
        }
        assert after[cells[0]] == "import functools\n\n%matplotlib inline\nimport torch\nfrom torch import nn"
        assert after[cells[1]].startswith("def _")
        assert REWRITTEN in after[cells[1]]

    async def test_typing_and_new_cells(self, editor: Editor, notebook):
        uri, cells = notebook
        text = editor.texts[cells[1]]
        at = position(text, 0)
        typed = types.NotebookDocumentCellContentChanges(
            types.VersionedTextDocumentIdentifier(2, cells[1]),
            [types.TextDocumentContentChangePartial(types.Range(at, at), "# 😀\n")],
        )
        new = types.TextDocumentItem(f"{cells[0]}new", "python", 1, "y = torch.ones(1)\n!ls\n")
        structure = types.NotebookDocumentCellChangeStructure(
            types.NotebookCellArrayChange(1, 0, [types.NotebookCell(types.NotebookCellKind.Code, new.uri)]), [new], []
        )
        changes = types.NotebookDocumentCellChanges(structure=structure, text_content=[typed])
        editor.client.notebook_document_did_change(
            types.DidChangeNotebookDocumentParams(
                types.VersionedNotebookDocumentIdentifier(2, uri), types.NotebookDocumentChangeEvent(cells=changes)
            )
        )
        editor.texts[cells[1]], editor.texts[new.uri] = f"# 😀\n{text}", new.text
        assert await editor.places(new.uri) == []
        assert await editor.places(cells[1]) == [("TR101", 5, 12), ("TR302", 7, 9)]

    async def test_closed(self, editor: Editor, notebook):
        uri, cells = notebook
        params = types.DidCloseNotebookDocumentParams(
            types.NotebookDocumentIdentifier(uri), [types.TextDocumentIdentifier(cell) for cell in cells]
        )
        editor.client.notebook_document_did_close(params)
        assert list((await editor.pull(cells[1])).items) == []


class TestProcess:
    async def test_nothing_heavy_is_imported(self, editor: Editor, path: Path):
        uri = editor.open(path, MODEL)
        await editor.actions(uri, MODEL.index("h.sum()"))
        await editor.hover(uri, MODEL.index("h.sum()"))
        loaded = Path(f"/proc/{editor.client._server.pid}/maps")
        if not loaded.exists():
            pytest.skip("this system does not say what a process has loaded")
        assert "libtorch" not in loaded.read_text()

    async def test_no_user_code_runs(self, editor: Editor, path: Path):
        marker = path.with_name("ran")
        uri = editor.open(path, MODEL + f"\nopen({str(marker)!r}, 'w')\n")
        await editor.pull(uri)
        (action,) = await editor.actions(uri, 0, only=["source.fixAll"])
        await editor.resolve(action)
        await editor.hover(uri, MODEL.index("h.sum()"))
        assert not marker.exists()
