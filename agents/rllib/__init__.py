"""A game for RLlib: an environment and a network that masks illegal actions. Needs `[ray]`.

`boardenvs/INTEGRATIONS.md` shows how RLlib's own `PPOConfig` takes both.
"""
