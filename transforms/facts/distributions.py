"""What objects of `torch.distributions` give; they compute, and draw, and change nothing."""

from __future__ import annotations

from .values import NOTHING, Tag, Value

DISTRIBUTION = "torch.distributions"
_DRAWN = frozenset({"sample", "rsample", "sample_n"})
_COMPUTED = frozenset({"log_prob", "entropy", "cdf", "icdf", "perplexity"})
_ATTRIBUTES = frozenset(
    {"probs", "logits", "mean", "mode", "variance", "stddev", "loc", "scale", "concentration", "rate"}
)


def makes_distribution(qualified: str) -> bool:
    """True for `torch.distributions.Normal`."""
    return qualified.startswith(f"{DISTRIBUTION}.") and qualified.rpartition(".")[2][:1].isupper()


def made(deps: frozenset[str]) -> Value:
    """The value of a distribution."""
    return Value(Tag.INSTANCE, detail=DISTRIBUTION, deps=deps, roots=NOTHING)


def attribute(name: str, of: Value, place: int) -> Value | None:
    """`dist.probs`: a tensor; None where it is not known."""
    return _tensor(of.deps, place) if of.detail == DISTRIBUTION and name in _ATTRIBUTES else None


def called(name: str, of: Value, deps: frozenset[str], place: int) -> Value | None:
    """`dist.log_prob(x)`: a tensor; None where it is not known."""
    if of.detail != DISTRIBUTION or name not in _DRAWN | _COMPUTED:
        return None
    return _tensor(deps | of.deps | ({"rng"} if name in _DRAWN else set()), place)


def computes(name: str, of: Value) -> bool:
    """True for a method that draws nothing."""
    return of.detail == DISTRIBUTION and name in _COMPUTED


def _tensor(deps: frozenset[str], place: int) -> Value:
    return Value(Tag.TENSOR, dtype=("node", place), shape=("node", place), deps=deps)
