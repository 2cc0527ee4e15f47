from __future__ import annotations

import ast
from typing import Any

from refactor.verify.arms import Arms
from refactor.verify.verdict import Arm


def run(text: str, spans: list[tuple[int, int, int, int]], calls: list[Any]) -> tuple[list[Any], tuple[Arm, ...]]:
    arms = Arms(text, spans)
    instrumented = arms.instrumented()
    assert instrumented is not None
    tree, names = instrumented
    exec(compile(tree, "model.py", "exec"), names)
    return [names["f"](value) for value in calls], arms.results()


def test_both_ways_are_counted() -> None:
    text = "def f(x):\n    if x > 1:\n        return 'more'\n    return 'less'\n"
    assert run(text, [(2, 7, 2, 12)], [0, 2, 3]) == (["less", "more", "more"], (Arm(2, 7, 2, 1),))


def test_nested_conditions_and_operands() -> None:
    text = "def f(x):\n    return 1 if x > 1 and x < 5 else 2\n"
    spans = [(2, 16, 2, 31), (2, 26, 2, 31)]
    assert run(text, spans, [0, 3, 7]) == ([2, 1, 2], (Arm(2, 16, 1, 2), Arm(2, 26, 1, 1)))


def test_the_value_of_an_operand_is_kept() -> None:
    assert run("def f(x):\n    return x or 7\n", [(2, 11, 2, 12)], [0, 3]) == ([7, 3], (Arm(2, 11, 1, 1),))


def test_columns_are_characters() -> None:
    text = "def f(x):\n    é = 'ü'; return 1 if x else 2\n"
    assert run(text, [(2, 25, 2, 26)], [0]) == ([2], (Arm(2, 25, 0, 1),))


def test_comprehension_and_while() -> None:
    text = "def f(x):\n    while x:\n        x = x - 1\n    return [i for i in range(3) if i]\n"
    spans = [(2, 10, 2, 11), (4, 35, 4, 36)]
    assert run(text, spans, [2]) == ([[1, 2]], (Arm(2, 10, 2, 1), Arm(4, 35, 2, 1)))


def test_truth_is_asked_once() -> None:
    asked = []

    class Loud:
        def __bool__(self) -> bool:
            asked.append(1)
            return True

    run("def f(x):\n    if x:\n        return 1\n", [(2, 7, 2, 8)], [Loud()])
    assert asked == [1]


def test_a_condition_that_is_not_there_is_never_reached() -> None:
    assert run("def f(x):\n    return x\n", [(9, 0, 9, 1)], [1])[1] == (Arm(9, 0, 0, 0),)


def test_nothing_to_count() -> None:
    assert Arms("x = 1\n", []).instrumented() is None


def test_lines_stay_where_they_are() -> None:
    instrumented = Arms("def f(x):\n    if x:\n        return 1\n", [(2, 7, 2, 8)]).instrumented()
    assert instrumented is not None
    assert [node.lineno for node in ast.walk(instrumented[0]) if isinstance(node, ast.Return)] == [3]
