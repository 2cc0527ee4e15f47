import torch


def f(x, tag):
    return x + len(tag)


def main(compiled):
    g = compiled(f)
    for number in range(12):
        g(torch.ones(3), "t" * number)


# sites:
# graphs: f 1, f 1, f 1, f 1, f 1, f 1, f 1, f 1
# limited: f
# recompiles: f: tag '', f: tag 't', f: tag 'tt', f: tag 'ttt', f: tag 'tttt', f: tag 'ttttt', f: tag 'tttttt', f: tag 'ttttttt'
