import torch


class Scale(torch.nn.Module):
    def forward(self, x):
        try:
            from einops import rearrange
        except ImportError:
            return x.flatten(1)
        return rearrange(x, "a b c -> a (b c)")

# output
import sys

import torch


@torch.compiler.assume_constant_result
def _can_import(module, *names):
    """The names if the import works, else None; asked while tracing, as Dynamo can not trace one that fails."""
    try:
        __import__(module, fromlist=names)
        return names if all(hasattr(sys.modules[module], name) for name in names) else None
    except ImportError:
        return None


class Scale(torch.nn.Module):
    def forward(self, x):
        try:
            if torch.compiler.is_compiling() and _can_import("einops", "rearrange") is None:
                raise ImportError
            from einops import rearrange
        except ImportError:
            return x.flatten(1)
        return rearrange(x, "a b c -> a (b c)")