"""The folder that is put before a traced process's own modules; only `sitecustomize` is ever imported from it."""
