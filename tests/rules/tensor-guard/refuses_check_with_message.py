# refuses: its message would have to be made in the graph
import torch


def check(cond, text):
    torch._check_tensor_all(cond, lambda: text)


def unsafe_check(cond):
    if torch.compiler.is_compiling():
        torch._check_tensor_all(cond)
