import torch as th


def _where(a):
	return a


@th.compile
def gated(x):
	y = th.tanh(x)
	if y.sum() > 0:
		y = y * 2
	return _where(y)


# output
import torch as th


def _where_2(pred, true_fn, false_fn, operands=()):
	"""`torch.where` over both arms while compiling, a plain branch otherwise."""
	if th.compiler.is_compiling():
		return th.where(pred, true_fn(*operands), false_fn(*operands))
	return true_fn(*operands) if pred else false_fn(*operands)


def _where(a):
	return a


@th.compile
def gated(x):
	y = th.tanh(x)
	y = _where_2(y.sum() > 0, lambda y: y * 2, lambda y: y, (y,))
	return _where(y)
