"""A made-up explanation of any size, for pages and reports."""

from __future__ import annotations

from refactor.explained import Cause, Cure, Cut, Explanation, Program
from refactor.report.reasons import link, plain
from refactor.verify.ledger import Ledger, Spread, ledger_of
from refactor.verify.trace import BreakSite, Call, Entry, Frame, Graph, Guard, Recompile, Run, Step

PATH = "model.py"
REASON = "Data-dependent branching"


def program(key: str, lines: int, sites: int, calls: int) -> Program:
    """A function cut `sites` times at equal distances; every third call fails a guard of its first frame."""
    every = lines // (sites + 1)
    text = "".join(f"h = torch.relu(h) + {number}\n" for number in range(1, lines + 1))
    cuts = [every * number for number in range(1, sites + 1)]
    starts = [1, *cuts]
    frames = [
        Frame(path=PATH, name="Model.forward", line=1, parent=number - 1, resumes_at=0 if not number else start)
        for number, start in enumerate(starts)
    ]
    entries = [
        Entry(frame=number, compile_id=f"{number}/0", graph=number, calls=calls, seconds=0.05)
        for number in range(len(frames))
    ]
    graphs = [
        Graph(frame=number, entry=number, ops=every, lines=[(PATH, line) for line in range(start + 1, start + every)])
        for number, start in enumerate(starts)
    ]
    breaks = [
        BreakSite(
            path=PATH,
            line=line,
            reason=REASON,
            registry="GB0170",
            events=1,
            frames=[number],
            compile_ids=[f"{number}/0"],
        )
        for number, line in enumerate(cuts)
    ]
    recompiles, routes = [], []
    for call in range(calls):
        steps = [Step(how="hit" if call else "compiled", frame=number, entry=number) for number in range(len(frames))]
        if call and key == "before" and call % 3 == 0:
            guard = Guard(
                compile_id="0/0",
                text="self.step == 0  # line",
                source="self.step",
                expected="0",
                actual=str(call),
                path=PATH,
                line=2,
            )
            steps[0] = Step(how="recompiled", frame=0, entry=len(entries), recompile=len(recompiles))
            recompiles.append(
                Recompile(
                    frame=0,
                    compile_id=f"0/{len(recompiles) + 1}",
                    entry=len(entries),
                    failed=[guard],
                    call=call,
                    seconds=0.3,
                )
            )
            entries.append(Entry(frame=0, compile_id=recompiles[-1].compile_id, graph=0, calls=1, seconds=0.3))
            if breaks:
                breaks[0].compile_ids.append(recompiles[-1].compile_id)
        routes.append(Call(steps=steps))
    run = Run(
        torch="2.13.0",
        frames=frames,
        entries=entries,
        graphs=graphs,
        breaks=breaks,
        recompiles=recompiles,
        calls=routes,
    )
    counted = ledger_of(run)
    middle = 100.0 + 40.0 * sites
    ledger = Ledger(
        calls=counted.calls,
        failed_calls=counted.failed_calls,
        rebuilds=counted.rebuilds,
        rebuild_s=counted.rebuild_s,
        cold_s=counted.cold_s,
        guard_us=10.0 + 2 * sites,
        run_us=Spread(low=0.9 * middle, middle=middle, high=1.2 * middle, samples=300),
    )
    cure = Cure("TR101", "tensor-branch", True, "select with torch.where, verified, safe")
    refused = Cure("TR101", "tensor-branch", False, "the arms return values of different kinds")
    return Program(
        key=key,
        run=run,
        ledger=ledger,
        cuts=tuple(
            Cut(
                number,
                PATH,
                line,
                plain(REASON),
                REASON,
                "GB0170",
                link("GB0170"),
                calls,
                calls,
                1,
                40.0,
                0.05,
                (),
                refused if number % 3 == 2 else cure,
            )
            for number, line in enumerate(cuts)
        ),
        skipped=(),
        causes=tuple(
            Cause(
                PATH,
                2,
                "Model.forward",
                "self.step was 0 when it was compiled, and is 3",
                len(recompiles),
                0.3 * len(recompiles),
                recompiles[0].failed[0],
                cure,
            )
            for _ in recompiles[:1]
        ),
        texts={PATH: text},
    )


def explanation(lines: int = 60, sites: int = 3, calls: int = 12, rewritten: bool = True) -> Explanation:
    """An explanation; its rewrite has no cut."""
    return Explanation(
        target=PATH,
        before=program("before", lines, sites, calls),
        after=program("after", lines, 0, calls) if rewritten else None,
        backend="eager",
        called=f"Model.forward, {calls} calls",
        eager_us=Spread(low=90.0, middle=110.0, high=130.0, samples=300),
        gain=Spread(low=1.9, middle=2.2, high=2.4, samples=30) if rewritten else None,
        verdict="VERIFIED, breaks 3 -> 0",
    )
