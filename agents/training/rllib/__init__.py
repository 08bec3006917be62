"""An RLlib environment, and a module that masks illegal actions; requires the extra `[ray]`.

`boardenvs/INTEGRATIONS.md` has an example of both with RLlib's `PPOConfig`.
"""
