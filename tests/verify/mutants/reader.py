import logging
import warnings

import torch

log = logging.getLogger("reader")


def read(x):
    log.info("mean %.3f", x.mean())
    if x.max() > 3:
        log.warning("large value %s", round(x.max().item(), 3))
        warnings.warn("clamped", RuntimeWarning)
        x = x.clamp(max=3)
    print("done", tuple(x.shape))
    return x


def make_callable():
    log.setLevel(logging.INFO)
    return read


def make_inputs():
    x = torch.tensor([1.0, 2.0])
    return [((x,), {}), ((x * 4,), {})]


# wrong: order of print and record
def read(x):
    print("done", tuple(x.shape))
    log.info("mean %.3f", x.mean())
    if x.max() > 3:
        log.warning("large value %s", round(x.max().item(), 3))
        warnings.warn("clamped", RuntimeWarning)
        x = x.clamp(max=3)
    return x


# wrong: level of the record
def read(x):
    log.info("mean %.3f", x.mean())
    if x.max() > 3:
        log.error("large value %s", round(x.max().item(), 3))
        warnings.warn("clamped", RuntimeWarning)
        x = x.clamp(max=3)
    print("done", tuple(x.shape))
    return x


# wrong: category of the warning
def read(x):
    log.info("mean %.3f", x.mean())
    if x.max() > 3:
        log.warning("large value %s", round(x.max().item(), 3))
        warnings.warn("clamped", UserWarning)
        x = x.clamp(max=3)
    print("done", tuple(x.shape))
    return x


# wrong: text of the print
def read(x):
    log.info("mean %.3f", x.mean())
    if x.max() > 3:
        log.warning("large value %s", round(x.max().item(), 3))
        warnings.warn("clamped", RuntimeWarning)
        x = x.clamp(max=3)
    print("done", x.shape)
    return x


# wrong: value of the record from after the clamp
def read(x):
    log.info("mean %.3f", x.mean())
    if x.max() > 3:
        x = x.clamp(max=3)
        log.warning("large value %s", round(x.max().item(), 3))
        warnings.warn("clamped", RuntimeWarning)
    print("done", tuple(x.shape))
    return x


# right: computed once
def read(x):
    log.info("mean %.3f", x.mean())
    peak = x.max()
    if peak > 3:
        log.warning("large value %s", round(peak.item(), 3))
        warnings.warn("clamped", RuntimeWarning)
        x = x.clamp(max=3)
    print("done", tuple(x.shape))
    return x


# right: another way to print
def read(x):
    log.info("mean %.3f", x.mean())
    if x.max() > 3:
        log.warning("large value %s", round(float(x.max()), 3))
        warnings.warn("clamped", category=RuntimeWarning)
        x = torch.clamp(x, max=3)
    print(f"done {tuple(x.shape)}")
    return x


# right: the large case in a function
def _clamped(x):
    log.warning("large value %s", round(x.max().item(), 3))
    warnings.warn("clamped", RuntimeWarning)
    return x.clamp(max=3)


def read(x):
    log.info("mean %.3f", x.mean())
    if x.max() > 3:
        x = _clamped(x)
    print("done", tuple(x.shape))
    return x
