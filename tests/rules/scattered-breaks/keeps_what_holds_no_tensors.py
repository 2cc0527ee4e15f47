import random

import numpy as np
import torch


def seed_all(seed):
    torch.manual_seed(seed)
    np.random.seed(seed)
    random.seed(seed)


def told(errors: dict):
    return "\n".join("{}: {:.3e} at {}".format(k, float(v.max()), int(v.argmax())) for k, v in errors.items())


def count(net):
    total = 0
    for parameter in net.parameters():
        total += parameter.numel()
    print("network", net)
    print("parameters: %d" % total)
