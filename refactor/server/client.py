"""What the editor said that it can do."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types


@dataclass(frozen=True)
class Client:
    """The abilities that matter here; without one, the plainer way is taken."""

    capabilities: types.ClientCapabilities

    @property
    def pulls(self) -> bool:
        """It asks for diagnostics by itself, so that none need to be sent."""
        document = self.capabilities.text_document
        return document is not None and document.diagnostic is not None

    @property
    def relates(self) -> bool:
        """It shows further places with a diagnostic."""
        document = self.capabilities.text_document
        pushed = document and document.publish_diagnostics
        pulled = document and document.diagnostic
        return bool((pushed and pushed.related_information) or (pulled and pulled.related_information))

    @property
    def resolves(self) -> bool:
        """It asks for the edit of a code action once it is chosen."""
        action = self.capabilities.text_document and self.capabilities.text_document.code_action
        support = action and action.resolve_support
        return bool(action and action.data_support and support and "edit" in support.properties)

    @property
    def versions(self) -> bool:
        """It takes edits of a version of a document."""
        edit = self.capabilities.workspace and self.capabilities.workspace.workspace_edit
        return bool(edit and edit.document_changes)

    @property
    def annotates(self) -> bool:
        """It can ask before it carries out an edit."""
        edit = self.capabilities.workspace and self.capabilities.workspace.workspace_edit
        return bool(self.versions and edit and edit.change_annotation_support)

    @property
    def shows_documents(self) -> bool:
        """It can be told to open a document."""
        shown = self.capabilities.window and self.capabilities.window.show_document
        return bool(shown and shown.support)

    @property
    def shows_progress(self) -> bool:
        """It takes progress that the server began."""
        return bool(self.capabilities.window and self.capabilities.window.work_done_progress)

    @property
    def watches(self) -> bool:
        """It can be told which files to watch."""
        watched = self.capabilities.workspace and self.capabilities.workspace.did_change_watched_files
        return bool(watched and watched.dynamic_registration)

    @property
    def refreshes_diagnostics(self) -> bool:
        """It can be told to ask for diagnostics again."""
        held = self.capabilities.workspace and self.capabilities.workspace.diagnostics
        return bool(held and held.refresh_support)

    @property
    def refreshes_lenses(self) -> bool:
        """It can be told to ask for code lenses again."""
        held = self.capabilities.workspace and self.capabilities.workspace.code_lens
        return bool(held and held.refresh_support)
