# runs: make_solver make_inputs
import torch


def solve(a, b, rounds: int):
    x = torch.zeros_like(b)
    for _ in range(rounds):
        residual = b - a @ x
        if residual.abs().max() < 1e-3:
            return x
        x = x + 0.5 * residual
        if x.isnan().any():
            break
    return x * 2


def make_solver():
    return solve


def make_inputs():
    a = torch.eye(3) + 0.1
    b = torch.linspace(-1, 1, 3)
    return [((a, b, 20), {}), ((a, b, 3), {}), ((a * float("nan"), b, 3), {})]


# output
import torch


def _solve_step(b, a, x):
    return b - a @ x


def _solve_test(residual):
    return residual.abs().max() < 1e-3


def _solve_step_2(x, residual):
    return x + 0.5 * residual


# A break in a loop would have Dynamo skip this function: it runs in Python, and its parts are compiled.
@torch._dynamo.decorators.skip
def solve(a, b, rounds: int):
    x = torch.zeros_like(b)
    for _ in range(rounds):
        residual = _solve_step(b, a, x)
        if _solve_test(residual):
            return x
        x = _solve_step_2(x, residual)
        if x.isnan().any():
            break
    return x * 2


def make_solver():
    return solve


def make_inputs():
    a = torch.eye(3) + 0.1
    b = torch.linspace(-1, 1, 3)
    return [((a, b, 20), {}), ((a, b, 3), {}), ((a * float("nan"), b, 3), {})]
