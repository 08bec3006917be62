"""A training run, with evaluations, checkpoints and the export of the best policy.

A run has up to four parts, in this order:

1. `imitation`: the policy learns to imitate an agent, if the settings have a table `[clone]`.
2. `ppo`: MaskablePPO on `vec_env`, against other agents and the earlier selves of `selves`.
3. `self_play.learner`: searches guided by the policy play games (`self_play.actors`,
   `self_play.searched_games`, `agents.search.gumbel`), and the policy learns from them through
   `self_play.replay_buffer`, if the settings have a table `[guided]`.
4. `imitation` of the policy itself, if the settings have a table `[values]`: the best policy plays
   all seats, and its values learn the results of these games.

Between updates `evaluation` measures the policy, and the run saves a checkpoint. At the end
`agents.networks.export` writes the best policy as an ONNX network with a card.
"""

from __future__ import annotations

import copy
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from stable_baselines3.common.callbacks import BaseCallback

from agents.agent import Agent
from agents.naming.spec import make
from agents.networks.export import export_policy
from agents.networks.policy_networks import copied
from agents.networks.sizes import Sizes, games_of, games_of_card
from agents.players.sb3 import from_sb3
from agents.report.progress import progress_bar
from agents.training.curve import draw_curve
from agents.training.evaluation import Evaluation, SizesEvaluation, score_texts
from agents.training.imitation import CloningLearner
from agents.training.ppo import PPOLearner
from agents.training.self_play.actors import LocalActors
from agents.training.self_play.learner import GuidedLearner, MakeActors, check_guided
from agents.training.selves import PolicyAgent
from agents.training.settings import Settings, settings_of_run
from agents.training.tensorboard_log import tensorboard_log
from boardenvs.core.checks import counted
from boardenvs.files import write_atomically
from boardenvs.game import Game
from boardenvs.kernels.interpreting import compile_first

__all__ = ["TrainingRun"]

_SETTINGS, _CHECKPOINT = "settings.json", "checkpoint.pt"
_NETWORK, _CURVE = "agent.onnx", "learning_curve.png"


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
        game: Game | Sizes,
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
            game: the game to learn, on one board size or several.
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
        if isinstance(game, Sizes):
            _check_sizes(game, settings)
            game = replace(game, given_shares=settings.shares)
        elif settings.shares:
            raise ValueError(f"shares requires several board sizes, got {game!r}")
        self.game = game
        self.settings = settings
        self.seed = seed
        self.folder = folder
        self.settings_file = settings_file
        self._actors = actors
        self.history: list[dict[str, Any]] = []
        self.best: dict[str, Any] = {}
        """Best checkpoint so far: `steps`, the mean `score`, and the weights `policy`."""
        self.card: dict[str, Any] = {}
        """Card of the exported agent, set by `finish`."""
        self.clone: CloningLearner | None = None
        """Imitation of another agent; `None` if the settings have none."""
        self.guided: GuidedLearner | None = None
        """Search-guided self-play; `None` before its start."""
        self.values: CloningLearner | None = None
        """Imitation of the best policy, which fits its values; `None` before its start."""
        rivals = settings.evaluate_against
        self.evaluation = (
            SizesEvaluation(game, rivals, seed)
            if isinstance(game, Sizes)
            else Evaluation(game, rivals, seed)
        )
        self.ppo = PPOLearner(games_of(game)[0], settings, seed, device, precision)
        if settings.clone:
            teachers = []
            for one in games_of(game):
                teacher = make(settings.clone.agent, one, seed)
                if not isinstance(teacher, Agent):
                    raise ValueError(
                        f"clone.agent must be of the class Agent, got {settings.clone.agent!r}"
                    )
                teachers.append(teacher)
            self.clone = CloningLearner(game, self.model.policy, settings.clone, teachers, seed)
        if settings.guided:
            check_guided(game, self.model.policy, settings.guided, seed, rivals)

    @property
    def model(self) -> Any:
        """The MaskablePPO model, which holds the learner's policy."""
        return self.ppo.model

    @property
    def steps(self) -> int:
        """Steps so far: positions imitated, MaskablePPO decisions, and positions searched."""
        parts = (self.clone, self.guided, self.values)
        return int(self.model.num_timesteps) + sum(part.steps for part in parts if part)

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
            game = games_of_card(data)
            settings = settings_of_run(data["settings"], game, _SETTINGS)
            damaged = _CHECKPOINT
            checkpoint = torch.load(folder / _CHECKPOINT, weights_only=True, map_location="cpu")
            damaged = ""
            if steps is not None:
                settings = settings.ending_at(steps)
            damaged = _SETTINGS
            run = cls(
                game,
                settings,
                data["seed"],
                folder,
                device,
                data["settings_file"],
                actors,
                data["precision"],
            )
            damaged = _CHECKPOINT
            run.ppo.load_state(checkpoint["ppo"], run.seed)
            if run.clone:
                run.clone.steps = checkpoint["cloned"]
            if checkpoint["guided"] is not None:
                run.guided = run._guided_learner()
                run.guided.load_state(checkpoint["guided"])
            run.history = json.loads(checkpoint["history"])
            run.best = checkpoint["best"]
            if checkpoint["values"]:
                run.values = run._values_learner()
                run.values.steps = checkpoint["values"]
            torch.set_rng_state(checkpoint["torch_rng"])
        except Exception as error:  # noqa: BLE001 a damaged file can break anywhere
            reason = " ".join(str(error).split())[:400] or type(error).__name__
            if damaged not in reason:
                reason = f"{damaged}: {reason}"
            raise ValueError(f"{folder} has no run that can be resumed: {reason}") from None
        return run

    @compile_first()
    def learn(self, *, progress: bool = True) -> None:
        """Train until the settings' number of steps, or until the score stops improving.

        Each evaluation saves a checkpoint. An interruption also saves one, and is raised again.

        Args:
            progress: whether to show progress on standard error (see `agents.report.progress`).

        Raises:
            OSError: a file cannot be written; the error names the file.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with tensorboard_log(self.folder / "tensorboard") as logger:
            self.model.set_logger(logger)
            self._save_settings()
            if not self._is_complete:
                self._learn(progress=progress)

    def _learn(self, *, progress: bool) -> None:
        with progress_bar(
            self.settings.total_steps,
            initial=self.steps,
            unit="step",
            unit_scale=True,
            desc=f"training {self.game.name}",
            mininterval=0.5,
            shown=progress,
        ) as bar:
            threads = torch.get_num_threads()
            # agents/networks/sharded.py distributes work over the cores.
            torch.set_num_threads(1)
            try:
                if not self.stale and self.values is None:
                    self._learn_policy(bar)
                if self.settings.values:
                    if self.values is None:
                        if self.best:
                            self.model.policy.load_state_dict(self.best["policy"])
                        self.values = self._values_learner()
                    while self.values.steps < self.settings.values.steps:
                        self._advance(self.values, "values", bar)
                    self._keep(self.evaluate())
            finally:
                torch.set_num_threads(threads)
                self.save_checkpoint()
        if self.history[-1]["steps"] < self.steps and not self.stale:
            self.evaluate()
            self.save_checkpoint()

    def _learn_policy(self, bar: Any) -> None:
        """Run all parts but the fit of the values."""
        if self.clone and self.clone.steps < self.clone.settings.steps:
            self._learn_from(self.clone, "clone", self.clone.settings.steps, bar)
            self.ppo.earlier.remember()
        left = self.settings.ppo_steps - self.model.num_timesteps
        if left > 0 and self.guided is None:
            self.model.learn(left, callback=_Watcher(self, bar), reset_num_timesteps=False)
        if self.settings.guided:
            self.guided = self.guided or self._guided_learner()
            self._learn_from(self.guided, "guided", self.settings.guided.steps, bar)

    @property
    def _is_complete(self) -> bool:
        """Whether all parts have finished their steps, or the score has stopped improving."""
        settings, guided = self.settings, self.guided
        if settings.values and (self.values is None or self.values.steps < settings.values.steps):
            return False
        return self.stale or (
            (self.clone is None or self.clone.steps >= self.clone.settings.steps)
            and self.model.num_timesteps >= settings.ppo_steps
            and (
                settings.guided is None
                or (guided is not None and guided.steps >= settings.guided.steps)
            )
        )

    def _guided_learner(self) -> GuidedLearner:
        assert self.settings.guided is not None
        policy, opponents = self.model.policy, self.settings.guided_opponents
        guided, seed = self.settings.guided, self.seed
        return GuidedLearner(self.game, policy, guided, seed, opponents, self._actors)

    def _values_learner(self) -> CloningLearner:
        """Return the fit of the values of the current policy."""
        assert self.settings.values is not None
        policy = self.model.policy
        teacher = copied(policy)
        players = [PolicyAgent(game, teacher) for game in games_of(self.game)]
        return CloningLearner(self.game, policy, self.settings.values, players, self.seed)

    def _learn_from(self, part: Any, name: str, steps: int, bar: Any) -> None:
        """Run a part other than MaskablePPO to its end, or until the score stops improving."""
        while part.steps < steps and not self.stale:
            self._advance(part, name, bar)

    def _advance(self, part: Any, name: str, bar: Any) -> None:
        self.checkpoint_if_due(bar)
        for key, value in part.advance().items():
            self.model.logger.record_mean(f"{name}/{key}", value)
        self.show_steps(bar)

    def show_steps(self, bar: Any) -> None:
        """Update the bar, at most to its total, because a bar beyond it hides the total."""
        bar.update(min(self.steps, bar.total) - bar.n)

    def checkpoint_if_due(self, bar: Any) -> None:
        """Evaluate and save a checkpoint, if `evaluate_every` steps have passed."""
        last = self.history[-1]["steps"] if self.history else None
        if last is None or self.steps - last >= self.settings.evaluate_every:
            point = self.evaluate()
            self.save_checkpoint()
            bar.set_postfix(score_texts(point))

    @property
    def stale(self) -> bool:
        """Whether the last `patience` evaluations had no new best score."""
        means = [self.evaluation.mean(point) for point in self.history]
        return bool(means) and means[::-1].index(max(means)) >= self.settings.patience

    def agent(self) -> Any:
        """Return the current learner as an agent that takes the most probable action.

        For several sizes, the result is a tuple of agents, one for each size.
        """
        if isinstance(self.game, Sizes):
            return tuple(PolicyAgent(game, self.model.policy) for game in self.game.games)
        return from_sb3(self.model, self.game)

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
        """Write the checkpoint for `resume`; it replaces the last one atomically."""
        data = io.BytesIO()
        torch.save(
            {
                "ppo": self.ppo.state(),
                "cloned": self.clone.steps if self.clone else 0,
                "guided": None if self.guided is None else self.guided.state(),
                "values": self.values.steps if self.values else 0,
                "history": json.dumps(self.history),
                "best": self.best,
                "torch_rng": torch.get_rng_state(),
            },
            data,
        )
        write_atomically(self.folder / _CHECKPOINT, data.getvalue())

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
        export_policy(self.model.policy, self.game, path, self.card)
        title = f"{self.game!r}: {counted(settings.evaluation_games, 'game')} an evaluation"
        curve = draw_curve(title, self.history, list(evaluation.rivals), self.best["steps"])
        write_atomically(self.folder / _CURVE, curve)
        self.model.policy.load_state_dict(latest)
        return path

    def _save_settings(self) -> None:
        game = self.game
        sizes = {"sizes": {game.parameter: list(game.values)}} if isinstance(game, Sizes) else {}
        data = {
            "game": self.game.name,
            "params": self.game.params,
            **sizes,
            "seed": self.seed,
            "settings_file": self.settings_file,
            "precision": self.ppo.precision,
            "settings": self.settings.to_dict(),
        }
        write_atomically(self.folder / _SETTINGS, (json.dumps(data, indent=2) + "\n").encode())


def _check_sizes(sizes: Sizes, settings: Settings) -> None:
    """Raise `ValueError` if the settings do not support boards of several sizes."""
    if settings.network != "convolutional":
        raise ValueError(
            f'network must be "convolutional" for several board sizes, got {settings.network!r} '
            f"for {sizes!r}"
        )
    if settings.ppo_steps:
        raise ValueError(
            f"ppo_steps must be 0 for several board sizes, got {settings.ppo_steps} for {sizes!r}: "
            f"use clone or guided"
        )


class _Watcher(BaseCallback):
    """A callback that updates a run between updates of MaskablePPO and at each step."""

    def __init__(self, run: TrainingRun, bar: Any) -> None:
        super().__init__()
        self._run = run
        self._bar = bar
        self._remembered = run.model.num_timesteps

    def _on_rollout_start(self) -> None:
        run, done = self._run, self.num_timesteps
        run.checkpoint_if_due(self._bar)
        if done - self._remembered >= run.settings.remember_every:
            run.ppo.earlier.remember()
            self._remembered = done
        run.ppo.earlier.draw()

    def _on_step(self) -> bool:
        self._run.show_steps(self._bar)
        return not self._run.stale
