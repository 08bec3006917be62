"""Players and data of single games, in one folder for each game.

All other modules of `agents` work with any game. The folder of a game of `boardenvs` lies here and
has the game's name. The folder of a user's game defined in a package P is P.players. A folder may
hold:

- agents, declared by a table `AGENTS` in its `__init__.py`, in the format of
  `agents.naming.tables`; they replace general agents of the same name;
- other constants in its `__init__.py`: `ANALYSTS` (see `agents.analysis.analyst`), `OPPONENTS` and
  `PARAMETERS` (see `agents.play.choices`), and `PUCT`, arguments of `agents.search.puct.PuctAgent`
  that differ from the defaults;
- modules with fixed names, such as `decisive`;
- `training.toml`, the settings of training;
- openings, `*.openings.json`, and a reader of lists of openings; see `agents.arena.named_openings`;
- trained networks, `*.onnx`, with their cards, and their int8 versions, `*.int8.onnx`.

The folders of a game follow from the bases of its class (`boardenvs.Game.packages`). Each item
above comes from the nearest folder that has it. A subclass with unchanged rules uses the folders of
its base; a subclass with its own rules does not. `agents.naming.game_folders` finds the folders.
"""
