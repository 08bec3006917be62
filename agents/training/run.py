"""A training run: MaskablePPO against a mix of opponents, watched, saved and exported."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from tqdm.auto import tqdm

import boardenvs
from agents.arena import Scores, play_match
from agents.making import make
from agents.sb3 import from_sb3
from agents.training.curve import draw_curve
from agents.training.export import export_policy
from agents.training.opponents import EarlierSelves, LatestSelf
from agents.training.settings import Settings
from agents.training.vec_env import SB3VecEnv
from boardenvs.files import write_atomically
from boardenvs.game import Game
from boardenvs.vector import SeatVectorEnv

__all__ = ["FIXED_OPPONENTS", "TrainingRun"]

FIXED_OPPONENTS = ("random", "greedy")
"""What the learner is measured against, one kind in all other seats."""

ALONE = "alone"
"""The name of the evaluation in a game for one."""

_EVALUATION_SEED = 1  # the same games at every evaluation, so that the curve is smooth


class TrainingRun:
    """One run and its folder.

    The folder holds `settings.json`, `checkpoint.pt`, `tensorboard/`, and once finished
    `agent.onnx`, its card `agent.json`, and `learning_curve.png`.
    """

    def __init__(self, game: Game, settings: Settings, seed: int, folder: Path) -> None:
        """Set up a fresh run; nothing is written yet.

        Args:
            game: what is learned.
            settings: how.
            seed: of everything random.
            folder: where it is kept.
        """
        self.game = game
        self.settings = settings
        self.seed = seed
        self.folder = folder
        self.history: list[dict[str, Any]] = []
        self.card: dict[str, Any] = {}
        """What `finish` found."""
        latest = LatestSelf(game)
        self.earlier = EarlierSelves(game, settings.selves, seed)
        made = {spec: make(spec, game, seed) for spec in FIXED_OPPONENTS}
        opponents: list[Any] = ["random", made["greedy"], latest, self.earlier]
        others = game.num_players - 1
        self.rivals: dict[str, list[Any]] = (
            {spec: [agent] * others for spec, agent in made.items()} if others else {ALONE: []}
        )
        """Who sits in the other seats at each evaluation."""
        quarter = max(1, settings.num_envs // len(opponents))
        self._env = SB3VecEnv(
            [SeatVectorEnv(quarter, game, opponent=opponent) for opponent in opponents], seed
        )
        slowest = settings.learning_rate / 10
        self.model = MaskablePPO(
            "MlpPolicy",
            self._env,
            n_steps=settings.rollout,
            batch_size=min(settings.batch_size, self._env.num_envs * settings.rollout),
            n_epochs=settings.epochs,
            learning_rate=lambda left: slowest + left * (settings.learning_rate - slowest),
            gamma=settings.gamma,
            gae_lambda=settings.gae_lambda,
            ent_coef=settings.entropy,
            policy_kwargs={"net_arch": list(settings.hidden), "activation_fn": torch.nn.ReLU},
            seed=seed,
            device="cpu",
        )
        latest.attach(self.model)
        self.earlier.attach(self.model)

    @classmethod
    def resume(cls, folder: Path, steps: int | None = None) -> TrainingRun:
        """Go on with the run of a folder, from its last checkpoint.

        Args:
            folder: of the run.
            steps: a new total, if it is to end elsewhere.

        Raises:
            ValueError: the folder holds no run that can go on.
        """
        try:
            data = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
            checkpoint = torch.load(folder / "checkpoint.pt", weights_only=True)
            game = boardenvs.make(data["game"], **data["params"])
            changes = {} if steps is None else {"steps": steps}
            fields = {**data["settings"], **changes}
            fields["hidden"] = tuple(fields["hidden"])
            run = cls(game, Settings(**fields), data["seed"], folder)
            run.model.policy.load_state_dict(checkpoint["policy"])
            run.model.policy.optimizer.load_state_dict(checkpoint["optimizer"])
            run.model.num_timesteps = checkpoint["steps"]
            run.model._n_updates = checkpoint["updates"]  # noqa: SLF001 no public name
            run.earlier.selves = checkpoint["selves"]
            run.earlier.draws.bit_generator.state = json.loads(checkpoint["draws"])
            run.history = json.loads(checkpoint["history"])
            torch.set_rng_state(checkpoint["torch_rng"])
        except Exception as error:  # noqa: BLE001 a damaged file can break anywhere
            reason = " ".join(str(error).split())[:200] or type(error).__name__
            raise ValueError(f"{folder} holds no run that can go on: {reason}") from None
        # New games, not those of the beginning once more.
        run._env.seed(data["seed"] + run.model.num_timesteps)
        return run

    def learn(self, *, progress: bool = True) -> None:
        """Train up to the settings' number of steps; a checkpoint at every evaluation.

        An interruption leaves a checkpoint too, and goes on upwards.

        Args:
            progress: whether to show a bar on standard error.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        logger = configure(str(self.folder / "tensorboard"), ["tensorboard"])
        self.model.set_logger(logger)
        self._save_settings()
        left = self.settings.steps - self.model.num_timesteps
        if left <= 0:
            return
        with tqdm(
            total=self.settings.steps,
            initial=self.model.num_timesteps,
            unit="step",
            unit_scale=True,
            desc=f"training {self.game.name}",
            mininterval=0.5,
            disable=not progress,
        ) as bar:
            threads = torch.get_num_threads()
            # So small a network gains little from a second thread, and where other
            # programs keep the cores busy, threads that wait for each other lose tenfold.
            torch.set_num_threads(1)
            try:
                self.model.learn(left, callback=_Watcher(self, bar), reset_num_timesteps=False)
            finally:
                torch.set_num_threads(threads)
                self.save_checkpoint()
        self.evaluate()
        self.save_checkpoint()
        logger.close()

    def agent(self) -> Any:
        """The learner as it is now, as an agent that takes the most probable action."""
        return from_sb3(self.model, self.game)

    def scores(self, games: int, seed: int) -> dict[str, Scores]:
        """Matches of the learner against each fixed opponent, or of the learner alone."""
        agent = self.agent()
        return {
            spec: play_match(self.game, [agent, *others], games, seed)
            for spec, others in self.rivals.items()
        }

    def evaluate(self) -> dict[str, Any]:
        """Measure the learner, and add that to the history."""
        point: dict[str, Any] = {"steps": self.model.num_timesteps}
        for spec, scores in self.scores(self.settings.evaluation_games, _EVALUATION_SEED).items():
            low, high = scores.interval(0)
            point[spec] = {"score": scores[0], "low": low, "high": high, "games": scores.games}
            self.model.logger.record(f"evaluation/score_against_{spec}", scores[0])
        self.model.logger.dump(self.model.num_timesteps)
        self.history.append(point)
        return point

    def save_checkpoint(self) -> None:
        """Write all that `resume` needs; the old checkpoint stays until the new one is whole."""
        data = io.BytesIO()
        torch.save(
            {
                "policy": self.model.policy.state_dict(),
                "optimizer": self.model.policy.optimizer.state_dict(),
                "steps": self.model.num_timesteps,
                "updates": self.model._n_updates,  # noqa: SLF001 no public name
                "selves": self.earlier.selves,
                "draws": json.dumps(self.earlier.draws.bit_generator.state),
                "history": json.dumps(self.history),
                "torch_rng": torch.get_rng_state(),
            },
            data,
        )
        write_atomically(self.folder / "checkpoint.pt", data.getvalue())

    def finish(self, command: str, *, seed: int = 0) -> Path:
        """Measure the learner for its card, export it, and draw its learning curve.

        Args:
            command: that repeats the run.
            seed: of the matches.

        Returns:
            The ONNX file.
        """
        path = self.folder / "agent.onnx"
        scores = self.scores(self.settings.final_games, seed)
        self.card = {
            "steps": self.model.num_timesteps,
            "seed": self.seed,
            "command": command,
            "settings": self.settings.to_dict(),
            "scores": [_score_entry(spec, found, seed) for spec, found in scores.items()],
        }
        export_policy(self.model.policy, self.game, path, self.card)
        title = f"{self.game.name}: {self.settings.evaluation_games} games an evaluation"
        curve = draw_curve(title, self.history, list(self.rivals))
        write_atomically(self.folder / "learning_curve.png", curve)
        return path

    def _save_settings(self) -> None:
        data = {
            "game": self.game.name,
            "params": self.game.params,
            "seed": self.seed,
            "settings": self.settings.to_dict(),
        }
        write_atomically(
            self.folder / "settings.json", (json.dumps(data, indent=2) + "\n").encode()
        )


def _score_entry(spec: str, scores: Scores, seed: int) -> dict[str, Any]:
    low, high = scores.interval(0)
    return {
        "against": spec,
        "games": scores.games,
        "seed": seed,
        "wins": scores.wins[0],
        "draws": scores.draws[0],
        "losses": scores.losses[0],
        "score": round(scores[0], 4),
        "interval": [round(low, 4), round(high, 4)],
    }


class _Watcher(BaseCallback):
    """Between updates: new opponents, evaluations, checkpoints; at every step: the bar."""

    def __init__(self, run: TrainingRun, bar: Any) -> None:
        super().__init__()
        self._run = run
        self._bar = bar
        self._remembered = run.model.num_timesteps

    def _on_rollout_start(self) -> None:
        run, done = self._run, self.num_timesteps
        last = run.history[-1]["steps"] if run.history else None
        if last is None or done - last >= run.settings.evaluate_every:
            self._show(run.evaluate())
            run.save_checkpoint()
        if done - self._remembered >= run.settings.remember_every:
            run.earlier.remember()
            self._remembered = done
        run.earlier.draw()

    def _show(self, point: dict[str, Any]) -> None:
        self._bar.set_postfix(
            {s if s == ALONE else f"vs {s}": f"{point[s]['score']:.2f}" for s in self._run.rivals}
        )

    def _on_step(self) -> bool:
        self._bar.update(self.num_timesteps - self._bar.n)
        return True
