import torch


class Block(torch.nn.Module):
    def forward(self, x):
        y = x * 2
        if y.sum() > 0:
            y = y + 1
        return y


class Stack(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList(Block() for _ in range(3))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


def main(compiled):
    compiled(Stack())(torch.ones(3))


# sites: 7 GB0170
# graphs: Block.forward 3, Block.forward@7 1
# skipped: Stack.forward
