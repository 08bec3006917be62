"""A training run, with evaluations, checkpoints and the export of the best policy.

A run is a loop over its parts, in this order:

1. `imitation`: the policy learns to imitate an agent, if the settings have a table `[clone]`.
2. `ppo`: MaskablePPO on `vec_env`, against other agents and the earlier selves of `selves`.
3. `self_play.learner`: searches guided by the policy play games (`self_play.actors`,
   `self_play.searched_games`, `agents.search.gumbel`), and the policy learns from them, if the
   settings have a table `[guided]`.
4. `values`: the best policy plays all seats, and its values learn the results of these games, if
   the settings have a table `[values]`.

`fitting` has the gradient step of all parts except MaskablePPO, which has its own. Between updates
`evaluation` measures the policy, and the run saves a checkpoint. At the end
`agents.networks.export` writes the best policy as an ONNX network with a card.
"""

from __future__ import annotations

import copy
import io
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from agents.naming.spec import Spec, specs_of
from agents.networks.export import export_policy
from agents.networks.sharded import one_torch_thread
from agents.networks.sizes import (
    Games,
    common_params,
    described,
    games_of,
    games_of_card,
    shares_of,
    size_parameter,
)
from agents.players.sb3 import from_sb3
from agents.report.progress import progress_bar
from agents.training.evaluation import draw_curve, evaluation_of, score_texts
from agents.training.imitation import Imitation
from agents.training.part import Part, global_streams, set_global_streams
from agents.training.ppo import make_ppo
from agents.training.self_play.actors import LocalActors
from agents.training.self_play.learner import MakeActors, SelfPlay
from agents.training.selves import PolicyAgent
from agents.training.settings import Settings
from agents.training.settings_files import settings_of_run
from agents.training.tensorboard_log import tensorboard_log
from agents.training.values import Values
from boardenvs.core.checks import counted
from boardenvs.files import write_atomically
from boardenvs.game import Game
from boardenvs.kernels.interpreting import compile_first

__all__ = ["TrainingRun"]

_SETTINGS, _CHECKPOINT = "settings.json", "checkpoint.pt"
_NETWORK, _CURVE = "agent.onnx", "learning_curve.png"

_SAVE_EVERY = 60.0
"""Seconds between two checkpoints without an evaluation."""
_SAVE_SHARE = 0.03
"""Maximum share of the time that these checkpoints take."""


class TrainingRun:
    """A training run with its folder.

    The folder contains `settings.json`, `checkpoint.pt` and `tensorboard/`. A finished run adds
    `agent.onnx`, its card `agent.json`, and `learning_curve.png`.

    Example:
        >>> import boardenvs, pathlib
        >>> from agents.training import Settings, TrainingRun
        >>> game = boardenvs.make("game112", board_size=3)
        >>> run = TrainingRun(game, Settings(hidden=(8,)), seed=0, folder=pathlib.Path("run"))
        >>> run.model.num_timesteps
        0
    """

    def __init__(
        self,
        game: Game | Games,
        settings: Settings,
        seed: int,
        folder: Path,
        device: str = "cpu",
        settings_file: str | None = None,
        actors: MakeActors = LocalActors,
        precision: str | None = None,
    ) -> None:
        """Create a new run, without writing files.

        Args:
            game: the game to learn, or a tuple of the game on several board sizes.
            settings: settings of the run.
            seed: seed of all randomness.
            folder: folder of the run.
            device: PyTorch device of the network, such as `cuda`.
            settings_file: file of the settings, if not the game's own file.
            actors: function that makes the actors for search-guided games.
            precision: `float32` or `bfloat16`, see `Settings`; `None` for that of the settings.
                A resumed run keeps its precision on every processor.

        Raises:
            ValueError: an opponent cannot be made for the game, a setting does not fit one or
                several sizes, or a later part of the run cannot start.
        """
        self.games = games_of(game)
        """The game on each board size."""
        if len(self.games) > 1:
            _check_sizes(self.games, settings)
        elif settings.shares:
            raise ValueError(f"shares requires several board sizes, got {described(self.games)}")
        self.settings = settings
        self.seed = seed
        self.folder = folder
        self.settings_file = settings_file
        self.history: list[dict[str, Any]] = []
        self.best: dict[str, Any] = {}
        """Best checkpoint so far: `steps`, the mean `score`, and the weights `policy`."""
        self.card: dict[str, Any] = {}
        """Card of the exported agent, set by `finish`."""
        self.evaluation = evaluation_of(
            self.games, self._opponents(settings.evaluate_against), seed
        )
        self.ppo = make_ppo(self.games[0], settings, seed, device, precision)
        """The part MaskablePPO, whose model holds the policy of all parts."""
        self.parts: dict[str, Part] = {part.name: part for part in self._make_parts(actors)}
        """The parts by their names, in their order."""
        self._part = next(iter(self.parts))  # name of the part under way
        self._save_at = time.monotonic() + _SAVE_EVERY

    def _opponents(self, texts: Sequence[str]) -> list[list[Spec]]:
        """Return the opponents on each size that settings name; none in a game for one player."""
        named = texts if self.games[0].num_players > 1 else ()
        return [specs_of(named, game) for game in self.games]

    def _make_parts(self, actors: MakeActors) -> Iterator[Part]:
        games, settings, seed, policy = self.games, self.settings, self.seed, self.model.policy
        shares = shares_of(games, settings.shares)
        if settings.clone:
            yield Imitation(games, shares, policy, settings.clone, seed)
        yield self.ppo
        if settings.guided:
            opponents = self._opponents(settings.guided_opponents)
            yield SelfPlay(games, shares, policy, settings.guided, seed, opponents, actors)
        if settings.values:
            yield Values(games, shares, policy, settings.values, seed)

    @property
    def model(self) -> Any:
        """The MaskablePPO model, which holds the learner's policy."""
        return self.ppo.model

    @property
    def steps(self) -> int:
        """Steps so far: positions imitated, MaskablePPO decisions, and positions searched."""
        return sum(part.steps for part in self.parts.values())

    @compile_first()
    def learn(self, *, progress: bool = True) -> None:
        """Train until the settings' number of steps, or until the score stops improving.

        Each evaluation saves a checkpoint, and so does the first update after a minute. An
        interrupted run continues from the last checkpoint.

        Args:
            progress: whether to show progress on standard error (see `agents.report.progress`).

        Raises:
            OSError: a file cannot be written; the error names the file.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with tensorboard_log(self.folder / "tensorboard") as logger:
            self.model.set_logger(logger)
            self._save_settings()
            # agents/networks/sharded.py distributes work over the cores.
            with self._progress_bar(progress) as bar, one_torch_thread():
                for part in list(self.parts.values())[list(self.parts).index(self._part) :]:
                    self._learn_part(part, bar)
            if not self.history or self.history[-1]["steps"] < self.steps:
                point = self.evaluate()
                if self.settings.values:
                    self._keep(point)
                self.save_checkpoint()

    def _learn_part(self, part: Part, bar: Any) -> None:
        """Run a part to its end, with evaluations and checkpoints."""
        self._part = part.name
        if part.name == Values.name and not part.steps and self.best:
            if self.history[-1]["steps"] < self.steps:
                self.evaluate()  # the steps since the last evaluation may have the best policy
            self.model.policy.load_state_dict(self.best["policy"])
        while part.steps < part.total:
            self._checkpoint_if_due(bar)
            if part.ends_early and self.stale:
                break
            for key, value in part.advance().items():
                self.model.logger.record_mean(f"{part.name}/{key}", value)
            # A bar beyond its total would hide the total.
            bar.update(min(self.steps, bar.total) - bar.n)

    def _progress_bar(self, progress: bool) -> Any:
        total = self.settings.total_steps
        return progress_bar(
            total,
            initial=self.steps,
            unit="step",
            unit_scale=True,
            desc=f"training {self.games[0].name}",
            mininterval=0.5,
            shown=progress and self.steps < total,
        )

    def _checkpoint_if_due(self, bar: Any) -> None:
        """Evaluate and save a checkpoint, if `evaluate_every` steps or a minute have passed."""
        last = self.history[-1]["steps"] if self.history else None
        if last is None or self.steps - last >= self.settings.evaluate_every:
            point = self.evaluate()
            self.save_checkpoint()
            bar.set_postfix(score_texts(point))
        elif time.monotonic() >= self._save_at:
            self.save_checkpoint()

    @property
    def stale(self) -> bool:
        """Whether the last `patience` evaluations had no new best score."""
        means = [self.evaluation.mean(point) for point in self.history]
        return bool(means) and means[::-1].index(max(means)) >= self.settings.patience

    def agent(self) -> Any:
        """Return the current learner as an agent that takes the most probable action.

        For several sizes, the result is a tuple of agents, one for each size.
        """
        if len(self.games) > 1:
            return tuple(PolicyAgent(game, self.model.policy) for game in self.games)
        return from_sb3(self.model, self.games[0])

    def evaluate(self) -> dict[str, Any]:
        """Evaluate the learner, extend the history, and keep the weights if they are the best.

        The best weights are the latest whose interval overlaps that of the highest mean score,
        because the highest score may be chance, and the learning rate falls towards the end.
        """
        point = self.evaluation.point(self.agent(), self.settings.evaluation_games, self.steps)
        for spec in self.evaluation.rivals:
            self.model.logger.record(f"evaluation/score_against_{spec}", point[spec]["score"])
            for size, found in point.get("sizes", {}).items():
                name = f"evaluation/score_against_{spec}_on_{size}"
                self.model.logger.record(name, found[spec]["score"])
        self.model.logger.dump(self.steps)
        self.history.append(point)
        highest = max(self.history, key=self.evaluation.mean)
        if self.evaluation.overlap(point, highest):
            self._keep(point)
        return point

    def _keep(self, point: dict[str, Any]) -> None:
        """Keep the current weights as the best ones."""
        weights = copy.deepcopy(self.model.policy.state_dict())
        score = self.evaluation.mean(point)
        self.best = {"steps": self.steps, "score": score, "policy": weights}

    def save_checkpoint(self) -> None:
        """Write the checkpoint for `resume`; it replaces the last one atomically.

        It contains all that the rest of the run depends on. So a resumed run is the same run.
        """
        began = time.monotonic()
        data = io.BytesIO()
        torch.save(
            {
                "part": self._part,
                "steps": {name: part.steps for name, part in self.parts.items()},
                "state": self.parts[self._part].state(),
                "streams": global_streams(),
                "history": json.dumps(self.history),
                "best": self.best,
            },
            data,
        )
        write_atomically(self.folder / _CHECKPOINT, data.getvalue())
        now = time.monotonic()
        self._save_at = now + max(_SAVE_EVERY, (now - began) / _SAVE_SHARE)

    def _load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Restore the run from the data of `save_checkpoint`."""
        self._part = checkpoint["part"]
        for name, steps in checkpoint["steps"].items():
            if steps or name == self._part:  # finished parts only count
                self.parts[name].steps = steps
        self.parts[self._part].load_state(checkpoint["state"])
        self.history = json.loads(checkpoint["history"])
        self.best = checkpoint["best"]
        set_global_streams(checkpoint["streams"])

    @classmethod
    def resume(
        cls,
        folder: Path,
        steps: int | None = None,
        device: str = "cpu",
        actors: MakeActors = LocalActors,
    ) -> TrainingRun:
        """Load the run of a folder from its last checkpoint.

        Args:
            folder: folder of the run.
            steps: new total of steps; `None` for that of the settings.
            device: PyTorch device of the network.
            actors: as for a new run; may differ from the run's actors so far.

        Raises:
            ValueError: the folder has no run that can be resumed, or the run uses a user's agent
                that `agents.allow` has not allowed.
        """
        damaged = _SETTINGS
        try:
            data = json.loads((folder / _SETTINGS).read_text(encoding="utf-8"))
            games = games_of_card(data)
            settings = settings_of_run(data["settings"], games[0], _SETTINGS)
            damaged = _CHECKPOINT
            checkpoint = torch.load(folder / _CHECKPOINT, weights_only=True, map_location="cpu")
            damaged = ""
            if steps is not None:
                settings = settings.ending_at(steps)
            damaged = _SETTINGS
            file, precision = data["settings_file"], data["precision"]
            run = cls(games, settings, data["seed"], folder, device, file, actors, precision)
            damaged = _CHECKPOINT
            run._load_checkpoint(checkpoint)
        except Exception as error:  # noqa: BLE001 a damaged file can break anywhere
            reason = " ".join(str(error).split())[:400] or type(error).__name__
            if damaged not in reason:
                reason = f"{damaged}: {reason}"
            raise ValueError(f"{folder} has no run that can be resumed: {reason}") from None
        return run

    def finish(self, command: str) -> Path:
        """Evaluate the best checkpoint for its card, export it, and draw the learning curve.

        Args:
            command: command that repeats the run, for the card.

        Returns:
            The path of the ONNX file.
        """
        latest = copy.deepcopy(self.model.policy.state_dict())
        self.model.policy.load_state_dict(self.best["policy"])
        self.card = {
            "steps": self.best["steps"],
            "seed": self.seed,
            "command": command,
            "precision": self.ppo.precision,
            "settings": self.settings.to_dict(),
        }
        settings, evaluation = self.settings, self.evaluation
        self.card["scores"] = evaluation.entries(self.agent(), settings.final_games, seed=0)
        path = self.folder / _NETWORK
        export_policy(self.model.policy, self.games, path, self.card)
        title = (
            f"{described(self.games)}: {counted(settings.evaluation_games, 'game')} an evaluation"
        )
        curve = draw_curve(title, self.history, list(evaluation.rivals), self.best["steps"])
        write_atomically(self.folder / _CURVE, curve)
        self.model.policy.load_state_dict(latest)
        return path

    def _save_settings(self) -> None:
        games, sizes = self.games, {}
        if len(games) > 1:
            parameter = size_parameter(games)
            sizes = {"sizes": {parameter: [game.params[parameter] for game in games]}}
        data = {
            "game": games[0].name,
            "params": common_params(games),
            **sizes,
            "seed": self.seed,
            "settings_file": self.settings_file,
            "precision": self.ppo.precision,
            "settings": self.settings.to_dict(),
        }
        write_atomically(self.folder / _SETTINGS, (json.dumps(data, indent=2) + "\n").encode())


def _check_sizes(games: Games, settings: Settings) -> None:
    """Raise `ValueError` if the settings do not support boards of several sizes."""
    if settings.network != "convolutional":
        raise ValueError(
            f'network must be "convolutional" for several board sizes, got {settings.network!r} '
            f"for {described(games)}"
        )
    if settings.ppo_steps:
        raise ValueError(
            f"ppo_steps must be 0 for several board sizes, got {settings.ppo_steps} for "
            f"{described(games)}: use clone or guided"
        )
