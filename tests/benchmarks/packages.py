"""Breaks that packages of others lose through the tool alone, their outputs being equal.

    python tests/benchmarks/packages.py [--site SITE_PACKAGES]

The packages are those of the index, installed as they are, such as by

    pip install mixture-of-experts st-moe-pytorch nflows monai diffusers linear-operator

in SITE_PACKAGES (that of the running interpreter by default); those that are missing are left out and said. Of each, a
copy of the whole package is rewritten by `refactor apply --verify off`, and one call of it is run in a process of its
own from each of both, with the same seeds: eagerly, for the outputs, and under Dynamo, for its breaks. The table says
break sites, graphs, skipped frames, whether the compiled call raised, and whether outputs are equal to the last bit.
Exit status 1 where any are not, or where fewer than four packages lose breaks.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

WANTED = 4
# Each makes `call` and `inputs`, a list of tuples of arguments.
PROGRAMS = {
    "mixture_of_experts": """
from mixture_of_experts import MoE
model = MoE(dim=16, num_experts=4).eval()
call, inputs = model, [(torch.randn(2, 8, 16),), (torch.randn(2, 12, 16),)]
""",
    "st_moe_pytorch": """
from st_moe_pytorch import MoE
model = MoE(dim=16, num_experts=4).eval()
call, inputs = model, [(torch.randn(2, 8, 16),), (torch.randn(2, 12, 16),)]
""",
    "monai": """
from monai.losses import DiceLoss
call, inputs = DiceLoss(sigmoid=True), [(torch.randn(2, 1, 4, 4), torch.rand(2, 1, 4, 4).round())]
""",
    "nflows": """
from nflows.transforms.splines import rational_quadratic_spline as spline
w = [torch.randn(2, 3, 5) for _ in range(2)]
call, inputs = spline, [(torch.rand(2, 3), *w, torch.randn(2, 3, 6))]
""",
    "crf": """
from crf import CRF
mask = torch.tensor([[1, 1], [1, 1], [1, 0]]).bool()
call = CRF(4)  # its parameters are memory as it was found
for parameter in call.parameters():
    torch.nn.init.uniform_(parameter)
inputs = [(torch.randn(3, 2, 4), torch.randint(4, (3, 2)), mask)]
""",
    "normflows": """
from normflows.flows import ActNorm
call = ActNorm(4)
call(torch.randn(8, 4))
inputs = [(torch.randn(8, 4),), (torch.randn(6, 4),)]
""",
    "pytorch_msssim": """
from pytorch_msssim import ssim
call, inputs = ssim, [(torch.rand(2, 3, 8, 16), torch.rand(2, 3, 8, 16))]
""",
    "e3nn": """
from e3nn.o3 import matrix_to_angles, rand_matrix
call, inputs = matrix_to_angles, [(rand_matrix(2),), (rand_matrix(3),)]
""",
    "pytorch_metric_learning": """
from pytorch_metric_learning.losses import ContrastiveLoss
call, inputs = ContrastiveLoss(), [(torch.randn(8, 4), torch.arange(8) % 3)]
""",
    "torchdiffeq": """
from torchdiffeq import odeint
call = lambda y, t: odeint(lambda t, y: -y * t, y, t, method="rk4")
inputs = [(torch.randn(3), torch.linspace(0, 1, 4))]
""",
    "diffusers": """
from diffusers.utils.torch_utils import randn_tensor
call = lambda x: x + randn_tensor(x.shape, generator=None, device=x.device)
inputs = [(torch.zeros(n, 4),) for n in (2, 3, 5)]
""",
    "gpytorch": """
from gpytorch.functions import logdet
call, inputs = logdet, [(torch.eye(3) * n,) for n in (1.0, 2.0)]
""",
    "x_transformers": """
from x_transformers.x_transformers import calc_z_loss
attns = [torch.randn(2, 4, 6, 6) for _ in range(2)]
call = calc_z_loss
inputs = [(attns, torch.arange(6)[None] < torch.tensor([[n], [6]])) for n in (3, 4, 5)]
""",
    "vector_quantize_pytorch": """
from vector_quantize_pytorch import VectorQuantize
call = VectorQuantize(dim=8, codebook_size=16, learnable_codebook=True, ema_update=False).train()
inputs = [(torch.randn(2, 6, 8), None, torch.arange(6)[None] < torch.tensor([[n], [6]])) for n in (3, 4, 5)]
""",
    "linear_operator": """
from linear_operator.operators import DenseLinearOperator
def call(x):
    return DenseLinearOperator(x).representation()[0] @ x
inputs = [(torch.randn(4, 4),)]
""",
}
HEAD = "import json, sys, torch\ntorch.manual_seed(0)\n"
TAIL = """
from refactor.verify.dynamo import Meter

def leaves(value):
    flat = torch.utils._pytree.tree_leaves(value)
    return [x.detach().clone() if isinstance(x, torch.Tensor) else x for x in flat]

def runs(f):
    found = []
    for i, given in enumerate(inputs):
        torch.manual_seed(i)
        found.append(leaves(f(*given)))
    return found

torch.save(runs(call), sys.argv[1])
meter, raised = Meter(), ""
with meter.listening():
    try:
        runs(torch.compile(call, backend=meter.backend))
    except Exception as error:
        raised = type(error).__name__
counts = meter.counts()
print(json.dumps([len(counts.break_sites), counts.graphs, counts.skipped_frames, raised]))
"""


def ran(package: str, first: Path, site: Path, out: Path) -> list[Any]:
    """Break sites, graphs, skipped frames and the exception of one call, with the package taken from `first`."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(first), str(site)]), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "ignore", "-c", HEAD + PROGRAMS[package] + TAIL, str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        raise RuntimeError(f"{package}: {done.stderr.strip().splitlines()[-1]}")
    counted: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return counted


def equal(old: Path, new: Path) -> bool:
    """True where both files hold the same tensors, to the last bit."""
    import torch

    def same(a: Any, b: Any) -> bool:
        if isinstance(a, torch.Tensor):
            return a.dtype == b.dtype and a.shape == b.shape and torch.equal(torch.nan_to_num(a), torch.nan_to_num(b))
        return bool(a == b)

    before, after = torch.load(old, weights_only=False), torch.load(new, weights_only=False)
    pairs = [(a, b) for x, y in zip(before, after, strict=True) for a, b in zip(x, y, strict=True)]
    return all(same(a, b) for a, b in pairs)


def compared(package: str, site: Path, folder: Path) -> tuple[list[Any], list[Any], bool]:
    """The figures before and after, and whether the outputs are equal."""
    copy = folder / package / package
    shutil.copytree(site / package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    flags = ["--verify", "off", "--isolated", "--no-respect-gitignore", "--output-format", "concise"]
    subprocess.run([sys.executable, "-m", "refactor", "apply", str(copy), *flags], capture_output=True, check=False)
    old, new = folder / f"{package}_old.pt", folder / f"{package}_new.pt"
    before, after = ran(package, site, site, old), ran(package, copy.parent, site, new)
    return before, after, equal(old, new)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--site", type=Path, default=Path(sysconfig.get_paths()["purelib"]))
    parser.add_argument("packages", nargs="*", default=list(PROGRAMS))
    given = parser.parse_args()
    better = unequal = 0
    print(f"{'package':20} {'breaks':>9} {'graphs':>9} {'skipped':>9}  raised when compiled, outputs")
    with tempfile.TemporaryDirectory() as folder:
        for package in given.packages:
            if not (given.site / package).is_dir():
                print(f"{package:20} is not installed in {given.site}")
                continue
            try:
                before, after, same = compared(package, given.site, Path(folder))
            except RuntimeError as error:
                print(f"{package:20} does not run: {error}")
                continue
            better += after[0] < before[0] or bool(before[3] and not after[3])
            unequal += not same
            figures = " ".join(f"{f'{a} -> {b}':>9}" for a, b in zip(before[:3], after[:3], strict=True))
            raised = f"{before[3] or 'no'} -> {after[3] or 'no'}"
            print(f"{package:20} {figures}  {raised}, {'equal' if same else 'NOT EQUAL'}", flush=True)
    print(f"packages that lose breaks or errors: {better} (aim: {WANTED})")
    return 1 if unequal or better < WANTED else 0


if __name__ == "__main__":
    sys.exit(main())
