# flags: --unsafe-fixes
def is_tracing():
    return True


def check(cond, message):
    import torch

    if is_tracing():
        if isinstance(cond, torch.Tensor):
            torch._check_tensor_all(cond)
        return
    if not cond:
        raise ValueError(message)

# output
def is_tracing():
    return True


def check(cond, message):
    import torch

    if is_tracing():
        if isinstance(cond, torch.Tensor):
            if torch.compiler.is_compiling() and cond.dtype == torch.bool:
                torch._assert_async(cond.all(), 'Expected cond to be True, but got False. (Could this error message be improved? If so, please report an enhancement request to PyTorch.)')
            else:
                torch._check_tensor_all(cond)
        return
    if not cond:
        raise ValueError(message)
