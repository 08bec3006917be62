"""A training run on a cluster: self-play by RLlib's PPO, watched, saved and exported."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ray
from ray.rllib.algorithms.ppo import PPO
from ray.rllib.core import COMPONENT_LEARNER, COMPONENT_RL_MODULE
from ray.rllib.utils.metrics import ENV_RUNNER_RESULTS
from torch.utils.tensorboard import SummaryWriter

from agents.agent import one_line
from agents.progress import progress_bar
from agents.rllib.config import SECONDS_TO_SAMPLE, ppo_config
from agents.rllib.folder import SETTINGS, Progress, SavedRun, write_checkpoint, write_settings
from agents.rllib.line_ups import DECISIONS, LEARNER, earlier
from agents.rllib.settings import ClusterSettings
from agents.sb3 import SB3Agent, from_sb3
from agents.training.evaluation import Yardstick, score_texts
from agents.training.finish import LEFT, leave_agent
from boardenvs.files import remove_leftovers
from boardenvs.game import Game

__all__ = ["ClusterRun"]

_PATIENCE = 3
"""Iterations in a row without a game from any env runner, until the run ends."""


class ClusterRun:
    """One run and its folder.

    The folder holds `settings.json`, `checkpoints/` with the last one, named after the
    learner's decisions until then, `tensorboard/`, and once finished `agent.onnx`, its card
    `agent.json`, and `learning_curve.png`.

    Ray must be connected, see `agents.arena.cluster`, before one is made, and stay so until `stop`.
    """

    def __init__(
        self,
        game: Game,
        settings: ClusterSettings,
        seed: int,
        folder: Path,
        env_runners: int,
        progress: Progress | None = None,
        settings_file: str | None = None,
    ) -> None:
        """Set up; nothing is written yet.

        Args:
            game: what is learned.
            settings: how.
            seed: of everything random.
            folder: where it is kept.
            env_runners: processes that play, of one core each; 0 to play in this one.
            progress: where a run goes on: it plays new games, not those of the beginning
                once more.
            settings_file: where the settings were read from, if not from the game's own file.
        """
        self.game = game
        self.settings_file = settings_file
        self.settings = settings
        self.seed = seed
        self.folder = folder
        self.progress = Progress(0, 0, 0, []) if progress is None else progress
        self.card: dict[str, Any] = {}
        """What `finish` found."""
        self.yardstick = Yardstick(game, settings.training.evaluate_against, seed)
        self._env_runners = env_runners
        seed_now = seed + self.progress.steps
        self.algorithm = PPO(ppo_config(game, settings, seed_now, env_runners))
        with contextlib.suppress(OSError):
            Path(self.algorithm.logdir).rmdir()  # made in the user's home, and never used

    @classmethod
    def resume(cls, saved: SavedRun, env_runners: int) -> ClusterRun:
        """Go on with a run from its last checkpoint.

        Args:
            saved: the run.
            env_runners: as for a fresh run; it need not be as many as before.

        Raises:
            ValueError: RLlib's part of the checkpoint is damaged.
        """
        run = cls(
            saved.game,
            saved.settings,
            saved.seed,
            saved.folder,
            env_runners,
            saved.progress,
            saved.settings_file,
        )
        try:
            run.algorithm.restore_from_path(str(saved.checkpoint))
        except Exception as error:  # noqa: BLE001 a damaged file can break anywhere
            run.stop()
            raise ValueError(f"{saved.checkpoint} is damaged: {one_line(error)}") from None
        return run

    def learn(self, *, progress: bool = True) -> None:
        """Train up to the settings' number of steps; a checkpoint at every evaluation.

        Args:
            progress: whether to show progress on standard error (see `agents.progress`).

        Raises:
            ValueError: again and again no env runner sent any games.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        remove_leftovers(self.folder, (SETTINGS, *LEFT))
        write_settings(self.folder, self.game, self.settings, self.seed, self.settings_file)
        training = self.settings.training
        if self.progress.steps >= training.steps:
            return
        with (
            SummaryWriter(str(self.folder / "tensorboard")) as log,
            progress_bar(
                training.steps,
                initial=self.progress.steps,
                unit="step",
                unit_scale=True,
                desc=f"training {self.game.name}",
                mininterval=0.5,
                shown=progress,
            ) as bar,
        ):
            while self.progress.steps < training.steps:
                last = self.progress.history[-1]["steps"] if self.progress.history else None
                if last is None or self.progress.steps - last >= training.evaluate_every:
                    self._watch(log, bar)
                if self.progress.steps - self.progress.kept_at >= training.remember_every:
                    self.remember()
                self.progress.steps += self._iterate()
                bar.update(min(self.progress.steps, training.steps) - bar.n)
            self._watch(log, bar)

    def _iterate(self) -> int:
        """Let the env runners play, and the learner learn from it; how often it decided there.

        Where no env runner sent its games in time, RLlib has nothing to tell of them: at first
        no results at all, later NaN. They are asked once more.
        """
        for _ in range(_PATIENCE):
            found = self.algorithm.train().get(ENV_RUNNER_RESULTS, {})
            decisions = found.get(DECISIONS, math.nan)
            if not math.isnan(decisions):
                return int(decisions)
        raise ValueError(
            f"training on Ray failed: no env runner sent any games, {_PATIENCE} times in a row, "
            f"with {SECONDS_TO_SAMPLE} seconds for it"
        )

    def _watch(self, log: SummaryWriter, bar: Any) -> None:
        """Measure the learner, tell of it, and save a checkpoint."""
        point = self.evaluate()
        for spec in self.yardstick.rivals:
            log.add_scalar(
                f"evaluation/score_against_{spec}", point[spec]["score"], self.progress.steps
            )
        log.flush()
        bar.set_postfix(score_texts(point))
        self.save_checkpoint()

    def places(self) -> list[str]:
        """The Ray node that each env runner is on, by its id."""
        group = self.algorithm.env_runner_group
        return group.foreach_env_runner(_node, local_env_runner=not group.num_remote_workers())

    def remember(self) -> None:
        """Put the learner as it is now in the place of the oldest of its earlier selves."""
        group = self.algorithm.learner_group
        where = f"{COMPONENT_LEARNER}/{COMPONENT_RL_MODULE}/{LEARNER}"
        weights = group.get_state(components=where)[COMPONENT_LEARNER][COMPONENT_RL_MODULE]
        name = earlier(self.progress.selves % self.settings.selves)
        state = {COMPONENT_RL_MODULE: {name: weights[LEARNER]}}
        group.set_state({COMPONENT_LEARNER: state})
        # RLlib's own `sync_weights` would skip it: the learner's weights have the same number.
        self.algorithm.env_runner_group.foreach_env_runner(lambda one: one.set_state(state))
        self.progress.selves += 1
        self.progress.kept_at = self.progress.steps

    def agent(self) -> SB3Agent:
        """The learner as it is now, as an agent that takes the most probable action."""
        module = self.algorithm.get_module(LEARNER)
        model = SimpleNamespace(
            policy=module.policy,
            observation_space=module.policy.observation_space,
            action_space=module.policy.action_space,
        )
        return from_sb3(model, self.game)

    def evaluate(self) -> dict[str, Any]:
        """Measure the learner, and add that to the history."""
        games = self.settings.training.evaluation_games
        point = self.yardstick.point(self.agent(), games, self.progress.steps)
        self.progress.history.append(point)
        return point

    def save_checkpoint(self) -> None:
        """Write all that `resume` needs; the old checkpoint stays until the new one is whole."""
        write_checkpoint(self.folder, self.progress, self.algorithm.save_to_path)

    def finish(self, command: str, *, seed: int = 0) -> Path:
        """Measure the learner for its card, export it, and draw its learning curve.

        Args:
            command: that repeats the run.
            seed: of the matches.

        Returns:
            The ONNX file.
        """
        self.card = {
            "engine": "ray",
            "steps": self.progress.steps,
            "seed": self.seed,
            "command": command,
            "settings": {**self.settings.to_dict(), "env_runners": self._env_runners},
        }
        told_of = (self.settings.training, self.yardstick, self.progress.history)
        agent = self.agent()
        kept = (self.game, agent.model.policy, agent)
        return leave_agent(self.folder, *kept, self.card, *told_of, seed, ["ray"])

    def stop(self) -> None:
        """Let the cluster's processes go."""
        self.algorithm.stop()


def _node(env_runner: Any) -> str:
    return str(ray.get_runtime_context().get_node_id())
