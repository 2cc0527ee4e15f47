"""One rule per file; a rule is registered by being here."""
