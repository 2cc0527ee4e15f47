# runs: make_callable make_inputs
import numpy as np
import torch


def smooth(signal, width=3):
    scaled = torch.tanh(signal) * 2
    shifted = scaled - scaled.mean()
    arr = shifted.detach().cpu().numpy()
    rows = [np.convolve(r, np.ones(width) / width, mode="same") for r in arr]
    peaks = arr[arr > arr.mean()]
    return torch.from_numpy(np.stack(rows).astype(np.float32)), float(peaks.std())


def make_callable():
    return smooth


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(2, 8, generator=g),), {"width": w}) for w in (3, 5)]

# output
import numpy as np
import torch


@torch.compiler.disable
def _smooth_on_host(width, arr):
    rows = [np.convolve(r, np.ones(width) / width, mode="same") for r in arr]
    peaks = arr[arr > arr.mean()]
    return torch.from_numpy(np.stack(rows).astype(np.float32)), float(peaks.std())


def _smooth_start(signal):
    scaled = torch.tanh(signal) * 2
    return scaled - scaled.mean()


# Dynamo can not hold what this function does on the host: it runs in Python, and its parts are compiled.
@torch._dynamo.decorators.skip
def smooth(signal, width=3):
    shifted = _smooth_start(signal)
    arr = shifted.detach().cpu().numpy()
    return _smooth_on_host(width, arr)


def make_callable():
    return smooth


def make_inputs():
    g = torch.Generator().manual_seed(0)
    return [((torch.randn(2, 8, generator=g),), {"width": w}) for w in (3, 5)]
