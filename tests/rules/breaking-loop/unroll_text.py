# flags: --unsafe-fixes
import torch


def text(x, first):
	x = torch.tanh(x)
	# Above the loop.
	for name, dim in (  # the header
		("rows", 0),
		("columns", 1),
	):
		# Above the body.
		x = x + x.sum(dim=dim, keepdim=True)  # behind it

		torch._dynamo.graph_break()
		if first is None or name == "rows":
			# In the arm.
			x = x * 2
		x = x + len([dim for dim in range(3)]) + first[name]
		# Below the body.
	else:
		x = x - 1  # at last
	# Below the loop.
	return torch.relu(x)


class Holder(torch.nn.Module):
	def forward(self, *args):
		return text(*args)


# output
import torch


def text(x, first):
	x = torch.tanh(x)
	# Above the loop.
	# the header
	# Above the body.
	# Below the body.
	dim = 0
	x = x + x.sum(dim=dim, keepdim=True)  # behind it

	torch._dynamo.graph_break()
	if first is None or "rows" == "rows":
		# In the arm.
		x = x * 2
	x = x + len([dim for dim in range(3)]) + first["rows"]
	dim = 1
	x = x + x.sum(dim=dim, keepdim=True)

	torch._dynamo.graph_break()
	if first is None or "columns" == "rows":
		x = x * 2
	x = x + len([dim for dim in range(3)]) + first["columns"]
	x = x - 1  # at last
	# Below the loop.
	return torch.relu(x)


class Holder(torch.nn.Module):
	def forward(self, *args):
		return text(*args)
