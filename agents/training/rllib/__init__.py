"""An RLlib environment, and a network that masks illegal actions. Needs the extra `[ray]`.

`boardenvs/INTEGRATIONS.md` has an example of both with RLlib's own `PPOConfig`.
"""
