"""How long an editor waits: the server's whole answer after each edit, beside `ast.parse` of the same text.

    python tests/benchmarks/server_latency.py FILE… [--edits 20]

The server is the real one, over standard input and output. Each line: the file, its lines, the median and the longest
time from an edit to the diagnostics (ms), the server's processor time for one (ms), and that as a multiple of
`ast.parse`. `--lines` makes up a model file of that many lines where no file is given.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import os
import statistics
import sys
import time
from pathlib import Path

from lsprotocol import types
from pytest_lsp import client_capabilities
from pytest_lsp.client import make_test_lsp_client

BLOCK = """\
class Block{n}(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x, mask=None):
        h = self.norm(x)
        if mask is not None:
            h = h.masked_fill(mask, 0.0)
        h = self.down(torch.relu(self.up(h)))
        if h.abs().max() > 100:
            h = h / 2
        return x + h
"""


def model(lines: int) -> str:
    """A file of models, with one break in each."""
    parts = ["import torch\nfrom torch import nn\n"]
    while sum(part.count("\n") + 2 for part in parts) < lines:
        parts.append(BLOCK.format(n=len(parts)))
    return "\n\n".join(parts)


def busy_s(process: int) -> float:
    """The processor time of a process, where the system tells it."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measure(name: str, text: str, edits: int) -> str:
    """One row."""
    client = make_test_lsp_client()
    client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda params: None)
    await client.start_io(sys.executable, "-m", "refactor", "server")
    await client.initialize_session(
        types.InitializeParams(capabilities=client_capabilities("visual-studio-code"), root_uri="file:///")
    )
    document = types.TextDocumentIdentifier("file:///model.py")
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(document.uri, "python", 1, text))
    )
    pull = types.DocumentDiagnosticParams(document)
    await client.text_document_diagnostic_async(pull)
    end = types.Position(text.count("\n"), 0)
    waits = []
    before = busy_s(client._server.pid)
    for number in range(edits):
        change = types.TextDocumentContentChangePartial(types.Range(end, end), f"x{number} = 1\n")
        versioned = types.VersionedTextDocumentIdentifier(number + 2, document.uri)
        started = time.perf_counter()
        client.text_document_did_change(types.DidChangeTextDocumentParams(versioned, [change]))
        await client.text_document_diagnostic_async(pull)
        waits.append(time.perf_counter() - started)
    busy = (busy_s(client._server.pid) - before) / edits
    await client.shutdown_session()
    await client.stop()
    started = time.process_time()
    for _ in range(edits):
        ast.parse(text)
    parse = (time.process_time() - started) / edits
    median, longest = statistics.median(waits) * 1e3, max(waits) * 1e3
    row = f"{text.count(chr(10))} lines, median {median:.0f} ms, longest {longest:.0f} ms, "
    return f"{name}: {row}processor {busy * 1e3:.0f} ms = {busy / parse:.1f} x ast.parse"


def main() -> None:
    """Print the rows."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("files", nargs="*", type=Path)
    arguments.add_argument("--lines", type=int, default=1500)
    arguments.add_argument("--edits", type=int, default=20)
    given = arguments.parse_args()
    texts = [(file.name, file.read_text("utf-8")) for file in given.files] or [("made up", model(given.lines))]
    for name, text in texts:
        print(asyncio.run(measure(name, text, given.edits)), flush=True)


if __name__ == "__main__":
    main()
