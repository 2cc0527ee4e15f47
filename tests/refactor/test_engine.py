"""The fixpoint, the policy, and finding the guilty fix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from refactor.engine import Options, Rewrite, Standing, inspect, rewrite
from refactor.errors import UserError
from refactor.passes import Trail
from refactor.transforms.model import Edit, Span
from refactor.transforms.source import Source
from refactor.verify.verdict import Arm, Counts, Request, Site, Verdict


def made(result: Rewrite) -> list[tuple[str, int, Standing]]:
    return [(item.finding.code, item.line, standing) for item, standing in result.fixes]


def reasons(result: Rewrite) -> list[tuple[str, str]]:
    return [(item.finding.code, item.reason) for item in result.left]


class Bench:
    """A judge that answers by what the new text holds, and keeps count of what it was asked."""

    def __init__(self, answer: Callable[[Request], Verdict]) -> None:
        self._answer = answer
        self.asked: list[Request] = []

    def __call__(self, request: Request) -> Verdict:
        self.asked.append(request)
        return self._answer(request)


def counts(text: str, *names: str) -> Counts:
    """As many break sites as lines that call one of the names."""
    sites = [
        Site("f.py", number, "call")
        for number, line in enumerate(text.splitlines(), 1)
        if any(f"{name}(" in line for name in names)
    ]
    return Counts(graphs=len(sites) + 1, break_sites=tuple(sites), break_events=len(sites), captured_ratio=1.0)


def verified(request: Request, *names: str) -> Verdict:
    names = names or ("bad", "worse", "risky", "guess")
    return Verdict("VERIFIED", before=counts(request.old, *names), after=counts(request.new, *names))


class TestPasses:
    def test_a_text_without_findings_is_the_same_object(self, smith, everything):
        text = "x = 1\n"
        result = rewrite(text, "f.py", everything, smith)
        assert result.new is text
        assert not result.changed
        assert result.fixes == ()

    def test_all_disjoint_fixes_are_made(self, smith, everything):
        result = rewrite("bad(1)\nbad(2)\n", "f.py", everything, smith)
        assert result.new == "good(1)\ngood(2)\n"
        assert made(result) == [("TR101", 1, Standing.NOT_RUN), ("TR101", 2, Standing.NOT_RUN)]

    def test_of_two_that_overlap_the_outer_is_first_and_the_inner_waits(self, smith, everything):
        result = rewrite("bad(bad(1))\n", "f.py", everything, smith)
        assert result.new == "good(good(1))\n"
        assert len(result.fixes) == 2

    def test_what_a_fix_makes_is_fixed_in_the_next_pass_and_stems_from_the_same_line(self, smith, everything):
        result = rewrite("x = 1\nworse(x)\n", "f.py", everything, smith)
        assert result.new == "x = 1\ngood(x)\n"
        assert made(result) == [("TR102", 2, Standing.NOT_RUN), ("TR101", 2, Standing.NOT_RUN)]

    def test_twice_is_once(self, smith, everything):
        once = rewrite("worse(bad(stuck(1)))\n", "f.py", everything, smith)
        assert rewrite(once.new, "f.py", everything, smith).new is once.new

    def test_a_rewrite_that_does_not_settle_leaves_the_text(self, smith, everything):
        result = rewrite("bad(1)\nflip(2)\n", "f.py", everything, smith)
        assert result.new == "bad(1)\nflip(2)\n"
        assert "does not settle in 10 passes" in result.notes[0]
        assert [code for code, _ in reasons(result)] == ["TR101", "TR301"]

    def test_a_rewrite_that_is_no_python_leaves_the_text(self, smith, everything):
        result = rewrite("broken(1)\n", "f.py", everything, smith)
        assert result.new == "broken(1)\n"
        assert "TR302 is not valid Python" in result.notes[0]

    def test_refusals_and_advice_stay_with_their_reason(self, smith, everything):
        result = rewrite("stuck(1)\nadvice(2)\n", "f.py", everything, smith)
        assert reasons(result) == [
            ("TR201", "nothing fits"),
            ("TR105", "advice only: there is nothing to rewrite in this file"),
        ]
        assert result.left[0].remedy == "write it by hand"

    def test_only_selected_rules_count(self, smith, everything):
        options = replace(everything, select=frozenset({"TR102"}), complete=False)
        assert rewrite("worse(1)\nbad(2)\n", "f.py", options, smith).new == "bad(1)\nbad(2)\n"

    def test_a_suppressed_site_is_left_without_a_word(self, smith, everything):
        result = rewrite("bad(1)  # refactor: ignore[TR101]\nbad(2)\n", "f.py", everything, smith)
        assert result.new == "bad(1)  # refactor: ignore[TR101]\ngood(2)\n"
        assert result.left == ()

    @pytest.mark.parametrize(
        "text",
        ["bad(\n    1,\n)\r\n", "\ufeffbad(1)\n", "# é\nx = 'é'; bad('é')", "if x:\r\n\tbad(1)\r\n", "bad(1)\x0c\n"],
    )
    def test_every_character_outside_of_an_edit_stays(self, smith, everything, text):
        assert rewrite(text, "f.py", everything, smith).new == text.replace("bad", "good")

    def test_a_syntax_error_is_one_line_with_its_place(self, smith, everything):
        with pytest.raises(UserError) as caught:
            rewrite("x = 1\ny = = 2\n", "f.py", everything, smith)
        assert str(caught.value).startswith("f.py:2: not valid Python 3.")

    def test_nesting_beyond_the_parser_is_a_user_error(self, smith, everything):
        with pytest.raises(UserError, match=r"^f\.py"):
            rewrite("(" * 5000 + ")" * 5000, "f.py", everything, smith)

    def test_nesting_beyond_the_rules_is_a_user_error(self, smith, everything):
        class Deep(type(smith)):
            def find(self, source, select, settings):
                return self.find(source, select, settings)

        with pytest.raises(UserError, match=r"^f\.py: nested too deeply to be analysed$"):
            inspect("x = 1\n", "f.py", everything, Deep())

    def test_a_bug_of_a_rule_is_raised_and_names_the_file(self, smith, everything):
        class Wrong(type(smith)):
            def find(self, source, select, settings):
                raise KeyError("no")

        with pytest.raises(KeyError) as caught:
            rewrite("x = 1\n", "f.py", everything, Wrong())
        assert any("f.py" in note for note in getattr(caught.value, "__notes__", ["f.py"]))

    def test_inspect_finds_what_needs_leave_too(self, smith, everything):
        _, found = inspect("risky(1)\nguess(2)\n", "f.py", everything, smith)
        assert [finding.code for finding in found] == ["TR103", "TR104"]


class TestTrail:
    def test_places_around_and_inside_an_edit(self):
        old = "aa (bb) cc"
        trail = Trail(Source(old.replace(" ", "+")))
        trail.add(old, [Edit(Span(3, 7), "[[bb]]")])
        assert trail.back(Span(0, 2)) == (0, True)
        assert trail.back(Span(10, 12)) == (8, True)
        assert trail.back(Span(5, 7)) == (4, True)
        assert trail.back(Span(3, 5)) == (3, False)

    def test_code_that_stands_twice_in_the_replaced_range_is_found_by_its_surroundings(self):
        trail = Trail(Source("f(b,b)"))
        trail.add("f(b,b)", [Edit(Span(0, 6), "g(b, b)")])
        assert trail.back(Span(2, 3)) == (2, True)
        assert trail.back(Span(5, 6)) == (4, True)
        assert trail.back(Span(0, 1)) == (0, False)

    def test_code_that_was_doubled_is_not_exact_where_nothing_tells_the_halves_apart(self):
        trail = Trail(Source("b;b"))
        trail.add("b;b", [Edit(Span(0, 3), "[b]")])
        assert trail.back(Span(1, 2)) == (0, False)

    def test_an_insertion_moves_what_follows(self):
        trail = Trail(Source("ab"))
        trail.add("ab", [Edit(Span(1, 1), "XX")])
        trail.add("aXXb", [Edit(Span(0, 0), "YY")])
        assert trail.back(Span(5, 6)) == (1, True)
        assert trail.back(Span(2, 3)) == (0, True)


class TestPolicy:
    @pytest.mark.parametrize(
        ("mode", "unsafe", "expected"),
        [
            ("auto", False, "good()\nrisky()\nguess()\n"),
            ("auto", True, "good()\nchanged()\nguessed()\n"),
            ("off", False, "good()\nrisky()\nguess()\n"),
            ("off", True, "good()\nchanged()\nguessed()\n"),
            ("require", False, "bad()\nrisky()\nguess()\n"),
            ("require", True, "bad()\nrisky()\nguess()\n"),
        ],
    )
    def test_where_nothing_can_be_called(self, smith, everything, mode, unsafe, expected):
        options = replace(everything, verify=mode, unsafe_fixes=unsafe)
        judge = Bench(verified)
        assert rewrite("bad()\nrisky()\nguess()\n", "f.py", options, smith, judge).new == expected
        assert judge.asked == []

    def test_off_never_runs_anything(self, smith, everything):
        judge = Bench(verified)
        result = rewrite("bad()\n", "f.py", replace(everything, verify="off", factory="f"), smith, judge)
        assert (result.new, judge.asked) == ("good()\n", [])

    @pytest.mark.parametrize("mode", ["auto", "require"])
    def test_verified_fixes_need_no_leave(self, smith, everything, mode):
        options = replace(everything, verify=mode, factory="f")
        result = rewrite("bad()\nrisky()\nguess()\n", "f.py", options, smith, Bench(verified))
        assert result.new == "good()\nchanged()\nguessed()\n"
        assert {standing for _, standing in result.fixes} == {Standing.VERIFIED}

    @pytest.mark.parametrize(
        ("mode", "unsafe", "expected"),
        [
            ("auto", False, "good()\nrisky()\n"),
            ("auto", True, "good()\nchanged()\n"),
            ("require", False, "bad()\nrisky()\n"),
            ("require", True, "bad()\nrisky()\n"),
        ],
    )
    def test_what_a_run_could_not_prove(self, smith, everything, mode, unsafe, expected):
        def unproved(request: Request) -> Verdict:
            return replace(verified(request), status="UNVERIFIED", reasons=("it differs from itself",))

        options = replace(everything, verify=mode, factory="f", unsafe_fixes=unsafe)
        result = rewrite("bad()\nrisky()\n", "f.py", options, smith, Bench(unproved))
        assert result.new == expected
        assert all(standing is Standing.UNVERIFIED for _, standing in result.fixes)
        assert all("it differs from itself" in reason for _, reason in reasons(result))

    def test_an_original_that_cannot_be_run_is_an_error(self, smith, everything):
        judge = Bench(lambda request: Verdict("UNVERIFIED", ("importing it raises ValueError: no",)))
        with pytest.raises(UserError, match=r"^f\.py: cannot be run: importing it raises ValueError: no$"):
            rewrite("bad()\n", "f.py", replace(everything, factory="f"), smith, judge)

    def test_nothing_is_run_where_nothing_would_change(self, smith, everything):
        judge = Bench(verified)
        rewrite("stuck()\n", "f.py", replace(everything, factory="f"), smith, judge)
        assert judge.asked == []


class TestTrials:
    @pytest.fixture
    def options(self, everything: Options) -> Options:
        return replace(everything, factory="f")

    @pytest.mark.parametrize("wrong", range(7))
    def test_the_guilty_fix_is_dropped_and_the_rest_kept(self, smith, options, wrong):
        def answer(request: Request) -> Verdict:
            if f"good({wrong})" in request.new:
                return Verdict("REFUTED", ("the result differs",), counterexample="f(1)\n")
            return verified(request)

        text = "".join(f"bad({n})\n" for n in range(7))
        judge = Bench(answer)
        result = rewrite(text, "f.py", options, smith, judge)
        assert result.new == text.replace("bad", "good").replace(f"good({wrong})", f"bad({wrong})")
        (left,) = result.left
        assert (left.finding.line, left.dropped) == (wrong + 1, True)
        assert left.reason == "refuted when run: the result differs"
        assert left.remedy == "f(1)\n"
        assert len(judge.asked) <= 5

    def test_two_guilty_ones_are_both_found(self, smith, options):
        def answer(request: Request) -> Verdict:
            wrong = any(f"good({n})" in request.new for n in (1, 4))
            return Verdict("REFUTED", ("no",)) if wrong else verified(request)

        text = "".join(f"bad({n})\n" for n in range(6))
        result = rewrite(text, "f.py", options, smith, Bench(answer))
        assert result.new == "good(0)\nbad(1)\ngood(2)\ngood(3)\nbad(4)\ngood(5)\n"

    def test_equal_sites_are_told_apart(self, smith, options):
        def answer(request: Request) -> Verdict:
            return Verdict("REFUTED", ("no",)) if request.new.splitlines()[1] == "good()" else verified(request)

        result = rewrite("bad()\nbad()\nbad()\n", "f.py", options, smith, Bench(answer))
        assert result.new == "good()\nbad()\ngood()\n"

    def test_two_that_are_wrong_only_together_lose_the_later_one(self, smith, options):
        def answer(request: Request) -> Verdict:
            wrong = "good(0)" in request.new and "good(2)" in request.new
            return Verdict("REFUTED", ("no",)) if wrong else verified(request)

        result = rewrite("bad(0)\nbad(1)\nbad(2)\n", "f.py", options, smith, Bench(answer))
        assert result.new == "good(0)\ngood(1)\nbad(2)\n"

    def test_a_refuted_later_pass_keeps_the_earlier_one(self, smith, options):
        def answer(request: Request) -> Verdict:
            return Verdict("REFUTED", ("no",)) if "good" in request.new else verified(request, "worse")

        result = rewrite("worse()\n", "f.py", options, smith, Bench(answer))
        assert result.new == "bad()\n"

    def test_when_all_are_guilty_the_original_stays(self, smith, options):
        judge = Bench(lambda request: Verdict("REFUTED", ("no",)))
        result = rewrite("bad(0)\nbad(1)\n", "f.py", options, smith, judge)
        assert not result.changed
        assert [left.dropped for left in result.left] == [True, True]

    def test_a_fix_that_gains_nothing_is_dropped(self, smith, options):
        judge = Bench(lambda request: verified(request, "worse"))
        result = rewrite("worse(0)\nrisky(1)\n", "f.py", options, smith, judge)
        assert result.new == "good(0)\nrisky(1)\n"
        assert reasons(result) == [
            ("TR103", "gains nothing when run: as many breaks, graphs and recompiles without it")
        ]

    def test_a_rewrite_that_gains_nothing_is_dropped_whole(self, smith, options):
        result = rewrite("bad(0)\nbad(1)\n", "f.py", options, smith, Bench(lambda request: verified(request, "other")))
        assert not result.changed
        assert all("gains nothing when run" in reason for _, reason in reasons(result))

    def test_a_fix_that_makes_a_figure_worse_is_found_among_those_that_gain(self, smith, options):
        def answer(request: Request) -> Verdict:
            verdict = verified(request, "bad")
            assert verdict.after is not None
            return replace(verdict, after=replace(verdict.after, skipped_frames="good(1)" in request.new))

        result = rewrite("bad(0)\nbad(1)\nbad(2)\n", "f.py", options, smith, Bench(answer))
        assert result.new == "good(0)\nbad(1)\ngood(2)\n"
        assert reasons(result)[0][1].startswith("makes a figure worse when run")

    def test_the_same_text_is_judged_once(self, smith, options):
        judge = Bench(verified)
        rewrite("bad(0)\nbad(1)\n", "f.py", options, smith, judge)
        assert len({request.new for request in judge.asked}) == len(judge.asked)

    def test_the_request_carries_the_options(self, smith, everything):
        judge = Bench(verified)
        options = replace(everything, factory="f", inputs="g", path="d/f.py", seed=3, examples=4, timeout=5.0, memory=6)
        rewrite("bad()\n", "f.py", options, smith, judge)
        (request,) = judge.asked
        assert (request.old, request.new, request.path) == ("bad()\n", "good()\n", "d/f.py")
        assert (request.factory, request.inputs, request.seed, request.examples) == ("f", "g", 3, 4)
        assert (request.timeout_s, request.memory_mb, request.backends) == (5.0, 6, ("eager",))


class TestConditions:
    """`when(a)` is a rewritten condition `a`; the judge says how often it went each way."""

    @staticmethod
    def judge(*unreached: str) -> Bench:
        def answer(request: Request) -> Verdict:
            arms = []
            for line, column, _, end_column in request.conditions:
                name = request.old.splitlines()[line - 1][column:end_column]
                arms.append(Arm(line, column, 1, 0 if name in unreached else 1))
            status = "VERIFIED" if all(arm.exercised for arm in arms) else "UNVERIFIED"
            return replace(
                verified(request, "bad", "risky", "when"), status=status, arms=tuple(arms), reasons=("arms",)
            )

        return Bench(answer)

    def test_their_places_are_those_of_the_original(self, smith, everything):
        judge = self.judge()
        rewrite("x = 1\nworse(when(a))\n  \nwhen(b)\n", "f.py", replace(everything, factory="f"), smith, judge)
        assert judge.asked[0].conditions == ((4, 5, 4, 6), (2, 11, 2, 12))

    def test_a_fix_with_an_arm_not_reached_stays_unproved_and_the_others_are_proved(self, smith, everything):
        options = replace(everything, factory="f")
        result = rewrite("when(a)\nwhen(b)\nrisky()\n", "f.py", options, smith, self.judge("b"))
        assert result.new == "chosen(a)\nchosen(b)\nchanged()\n"
        assert made(result) == [
            ("TR401", 1, Standing.VERIFIED),
            ("TR401", 2, Standing.UNVERIFIED),
            ("TR103", 3, Standing.VERIFIED),
        ]

    def test_require_drops_it(self, smith, everything):
        options = replace(everything, factory="f", verify="require")
        result = rewrite("when(a)\nwhen(b)\n", "f.py", options, smith, self.judge("b"))
        assert result.new == "chosen(a)\nwhen(b)\n"
        assert reasons(result) == [("TR401", "not verified: arms")]
        assert result.verdict is not None
        assert result.verdict.status == "VERIFIED"


class TestFoundCalls:
    """Without a factory the judge looks for calls itself, where the file holds anything to call."""

    TEXT = "def f():\n    bad()\n    risky()\n"

    def test_what_is_verified_is_written(self, smith, everything):
        judge = Bench(verified)
        result = rewrite(self.TEXT, "f.py", everything, smith, judge)
        assert result.new == "def f():\n    good()\n    changed()\n"
        assert {request.factory for request in judge.asked} == {None}
        assert {standing for _, standing in result.fixes} == {Standing.VERIFIED}

    def test_off_never_runs_anything(self, smith, everything):
        judge = Bench(verified)
        rewrite(self.TEXT, "f.py", replace(everything, verify="off"), smith, judge)
        assert judge.asked == []

    def test_what_cannot_be_run_rests_on_static_facts_and_it_is_said(self, smith, everything):
        judge = Bench(lambda request: Verdict("UNVERIFIED", ("no call of f was found",)))
        result = rewrite(self.TEXT, "f.py", everything, smith, judge)
        assert result.new == "def f():\n    good()\n    risky()\n"
        assert [standing for _, standing in result.fixes] == [Standing.NOT_RUN]
        assert result.notes == ("cannot be run: no call of f was found",)
        assert len(judge.asked) == 1

    def test_a_refuted_fix_does_not_come_back_where_a_later_trial_cannot_be_run(self, smith, everything):
        answers = iter((Verdict("REFUTED", ("it differs",)),))
        judge = Bench(lambda request: next(answers, Verdict("UNVERIFIED", ("it hangs",))))
        with pytest.raises(UserError, match=r"^f\.py: cannot be run: it hangs$"):
            rewrite("def f():\n    bad(1)\n    bad(2)\n", "f.py", everything, smith, judge)

    def test_all_trials_of_a_file_share_one_time_limit(self, smith, everything):
        judge = Bench(verified)
        rewrite(self.TEXT, "f.py", replace(everything, timeout=20.0), smith, judge)
        limits = [request.timeout_s for request in judge.asked]
        assert limits == sorted(limits, reverse=True)
        assert limits[0] <= 20.0

    def test_no_trial_is_begun_where_the_time_is_over(self, smith, everything):
        judge = Bench(verified)
        result = rewrite(self.TEXT, "f.py", replace(everything, timeout=1.0), smith, judge)
        assert judge.asked == []
        assert result.notes == ("cannot be run: the time limit of 1 s is over",)


GATE = (
    "import torch\n\n\ndef gate(x):\n    if x.sum() > 0:\n        x = x * 2\n"
    "    else:\n        x = x - 1\n    return x\n"
)


class TestTakingOver:
    """A site that one rule leaves to another is its own where the other is not in force or was denied it."""

    def test_every_rule_in_force(self):
        result = rewrite(GATE, "f.py", Options(frozenset({"TR101", "TR102"}), verify="off"))
        assert made(result) == [("TR102", 5, Standing.NOT_RUN)]

    def test_the_other_rule_is_not_selected(self):
        result = rewrite(GATE, "f.py", Options(frozenset({"TR101"}), complete=False, verify="off"))
        assert made(result) == [("TR101", 5, Standing.NOT_RUN)]

    def test_the_other_rule_gains_nothing(self):
        def answer(request: Request) -> Verdict:
            before = Counts(graphs=2, break_sites=(Site("f.py", 5, "branch"),), captured_ratio=1.0)
            after = before if "def _gate" in request.new else Counts(graphs=1, captured_ratio=1.0)
            return Verdict("VERIFIED", before=before, after=after, arms=(Arm(5, 7, 1, 1),))

        options = Options(frozenset({"TR101", "TR102"}), factory="make", inputs="calls")
        result = rewrite(GATE, "f.py", options, judge=answer)
        assert made(result) == [("TR101", 5, Standing.VERIFIED)]
        assert reasons(result) == []
