import torch


def summary(x):
    x = torch.tanh(x)
    top = x.max().tolist()
    return {"top": top}, x * 2
