import torch

import functools


def logged(function):
    @functools.wraps(function)
    def wrapper(*args):
        result = function(*args)
        print("", end="")
        return result

    return wrapper


@logged
def f(x):
    return x + 1


def main(compiled):
    compiled(f)(torch.ones(3))


# sites: 10 GB0059
# graphs: logged.<locals>.wrapper 1
# empty: logged.<locals>.wrapper@10
