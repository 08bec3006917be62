"""A `verifiers` environment of the games, to train and evaluate text players.

It requires the extra `[verifiers]`. `verifiers` finds environments by the name of a top-level
module. Importing this module registers itself as `boardenvs_games`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable
from typing import Any

import openai
import verifiers.v1 as vf
from pydantic import Field
from verifiers.v1.dialects.chat import message_to_wire

import boardenvs
from agents.players.text.dialogue import Dialogue
from boardenvs.core.chance import make_streams, seed_word

__all__ = ["ChatHarness", "GameTask", "GameTaskset", "GamesEnv"]

NAME = "boardenvs_games"
_REPORT = "boardenvs"


class GamesConfig(vf.TasksetConfig):
    """Settings of `GameTaskset`."""

    game: str = "pizza_order"
    """Name of a game in `boardenvs.GAMES`."""
    params: dict[str, Any] = Field(default_factory=dict)
    """Parameters for `boardenvs.make`."""
    opponent: str = "random"
    """Spec of the agent in every other seat."""
    num_games: int = 1000
    seed: int = 0
    """Seed of all games."""
    tries: int = 3
    """Maximum number of answers for one move; then the player forfeits."""
    list_moves: bool = False
    """Whether messages list the legal moves."""
    strict: bool = False
    """Whether the move must stand after `Move:` on the same line; see `agents.from_text`."""


class GameData(vf.TaskData):
    """Arguments of the `Dialogue` of one game."""

    game: str
    params: dict[str, Any]
    opponent: str
    seat: int
    seed: int
    tries: int
    list_moves: bool
    strict: bool


class GameTask(vf.Task[GameData, vf.State, vf.TaskConfig]):
    """A task of one game. Its reward is the return, or -1 for a forfeit; see the game's page."""

    @vf.reward
    async def result(self, trace: vf.Trace) -> float:
        """Return the result of the game, 0 for an unfinished one."""
        return trace.info.get(_REPORT, {}).get("result", 0.0)

    @vf.metric
    async def course(self, trace: vf.Trace) -> dict[str, float]:
        """Return the number of plies and wrong answers, and whether the player forfeited."""
        report = trace.info.get(_REPORT, {})
        return {key: float(report.get(key, 0)) for key in ("plies", "wrong", "forfeited")}


class GameTaskset(vf.Taskset[GameTask, GamesConfig]):
    """A task set of games, whose players take the seats in turn."""

    def load(self) -> Iterable[GameTask]:
        """Return one task for each game.

        Raises:
            ValueError: the game is unknown, or a setting is out of range.
        """
        config = self.config
        game = boardenvs.make(config.game, **config.params)
        streams = make_streams(seed_word(config.seed), config.num_games)
        copied = {
            key: getattr(config, key)
            for key in ("params", "opponent", "tries", "list_moves", "strict")
        }
        for number, stream in enumerate(streams.tolist()):
            yield GameTask(
                GameData(
                    name=f"{config.game}-{number}",
                    game=config.game,
                    seat=number % game.num_players,
                    seed=stream >> 33,
                    **copied,
                ),
                config.task,
            )


class GamesEnvConfig(vf.EnvConfig):
    """Settings of `GamesEnv`."""

    player: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    """The text player. It runs on this machine, because its answers are never executed."""


class GamesEnv(vf.Env[GamesEnvConfig]):
    """An environment of conversations, one for each game, with a message for each move."""

    async def run(self, task: GameTask, agents: vf.Agents) -> None:
        """Play one game, with the opponents in another thread."""
        data = task.data
        dialogue = await asyncio.to_thread(
            lambda: Dialogue(
                boardenvs.make(data.game, **data.params),
                data.opponent,
                data.seat,
                data.seed,
                tries=data.tries,
                list_moves=data.list_moves,
                strict=data.strict,
            )
        )
        async with agents.player.interaction(task) as player:
            while not dialogue.over:
                said = await player.turn(dialogue.message)
                if said.terminated:
                    break
                await asyncio.to_thread(dialogue.answer, said.last_reply)
            player.trace.info[_REPORT] = {
                "result": dialogue.result,
                "plies": dialogue.plies,
                "wrong": dialogue.wrong,
                "forfeited": dialogue.forfeited,
            }


class ChatHarness(vf.Harness[vf.HarnessConfig]):
    """A harness that requests one answer at a time in this process, without another program."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Send one request with the whole conversation so far."""
        system, prompt = self.resolve_prompt(data)
        said = [{"role": "system", "content": system}] if system else []
        if isinstance(prompt, str):
            said.append({"role": "user", "content": prompt})
        else:
            said += [message_to_wire(message) for message in prompt or []]
        async with openai.AsyncOpenAI(base_url=endpoint, api_key=secret, max_retries=0) as client:
            await client.chat.completions.create(model=ctx.model, messages=said)
        return vf.ProgramResult(0, "", "")


sys.modules.setdefault(NAME, sys.modules[__name__])
