"""A landing craft's policy: choose a steering head by the risk ahead, and report to the flight panel on the way.

Compiled as it stands, one call is cut at every place where Python asks a tensor for its value.
"""

import torch
from torch import nn

panel = {}


def report(gauge, reading):
    """Put a reading on the flight panel, which keeps the last 32 of each gauge."""
    readings = panel.setdefault(gauge, [])
    readings.append(round(reading.item(), 3))
    del readings[:-32]


class Pilot(nn.Module):
    def __init__(self, sensors=6, width=24, thrusters=3, caution=0.5):
        super().__init__()
        self.caution = caution
        self.encoder = nn.Sequential(nn.Linear(sensors, width), nn.SiLU())
        self.risk = nn.Linear(width, 1)
        self.brake = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, thrusters))
        self.glide = nn.Linear(width, thrusters)
        self.critic = nn.Linear(width, 1)

    def forward(self, readings):
        state = self.encoder(readings)
        risk = torch.sigmoid(self.risk(state)).mean()
        report("risk", risk)
        # Above the threshold the slower, deeper head takes over.
        if risk > self.caution:
            thrust = self.brake(state)
        else:
            thrust = self.glide(state)
        value = self.critic(state).squeeze(-1)
        if not torch.isfinite(value).all():
            raise ValueError(f"the critic diverged on a batch of {readings.shape[0]}")
        print(f"risk {risk:.2f}")
        return thrust.softmax(-1), value


def make_callable():
    """The policy with fixed weights: what is verified, and what is compiled."""
    torch.manual_seed(10)
    panel.clear()
    return Pilot()


def make_inputs():
    """The calls to make, in order: calm, then dangerous, then calm again."""
    generator = torch.Generator().manual_seed(10)
    return [((torch.randn(4, 6, generator=generator) * strain,), {}) for strain in (0.5, 4.0, 0.25)]
