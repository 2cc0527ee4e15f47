import torch


@torch.compiler.disable
def bright_mean(image: torch.Tensor, threshold: float = 0.5):
    picked = image[image > threshold]
    if picked.numel() == 0:
        return image.new_zeros(())
    return picked.mean()


def longest(words: list, keep: list):
    picked = [w for w, k in zip(words, keep) if k]
    if len(picked) == 0:
        return None
    return max(picked)
