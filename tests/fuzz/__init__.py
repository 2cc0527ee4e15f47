"""Programs made at random, rewritten by every rule and judged."""
