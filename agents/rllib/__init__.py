"""Training by self-play on a Ray cluster: PPO of RLlib. Needs `[ray]`.

`env` is a game as RLlib sees it, `compiling` what an env runner does before its first game,
`module` the players' networks, `line_ups` who plays whom, `settings` the values of a run and
`config` what RLlib is told of them, `folder` what a run keeps, `run` the run itself, `start` what
`boardenvs train --engine ray` does.
"""
