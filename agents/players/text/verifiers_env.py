"""The games as an environment of `verifiers`, to train and evaluate players that read and write.

It needs the extra `[verifiers]`. `verifiers` finds environments by the name of a module that is not
in a package; from Python, importing this module makes the name `boardenvs_games` one.
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

__all__ = ["ChatHarness", "GameTask", "Games", "GamesEnv"]

NAME = "boardenvs_games"
_REPORT = "boardenvs"


class GamesConfig(vf.TasksetConfig):
    """Which games are played: the settings of `Games`."""

    game: str = "pizza_order"
    """A name in `boardenvs.GAMES`."""
    params: dict[str, Any] = Field(default_factory=dict)
    """As `boardenvs.make` takes them."""
    opponent: str = "random"
    """Spec of the agent in every other seat."""
    num_games: int = 1000
    seed: int = 0
    """Of all games; the seats are taken in turn."""
    tries: int = 3
    """How often a move may be answered before the game is forfeited."""
    list_moves: bool = False
    """Whether the legal moves are listed."""


class GameData(vf.TaskData):
    """One game to be played; all that `Dialogue` takes."""

    game: str
    params: dict[str, Any]
    opponent: str
    seat: int
    seed: int
    tries: int
    list_moves: bool


class GameTask(vf.Task[GameData, vf.State, vf.TaskConfig]):
    """One game, worth its result: 1 for a win, -1 for a loss or a forfeit; see the game's page."""

    @vf.reward
    async def result(self, trace: vf.Trace) -> float:
        """The game's result; 0 for one that was broken off."""
        return trace.info.get(_REPORT, {}).get("result", 0.0)

    @vf.metric
    async def course(self, trace: vf.Trace) -> dict[str, float]:
        """How the game went: its plies, wrong answers, and whether it was forfeited."""
        report = trace.info.get(_REPORT, {})
        return {key: float(report.get(key, 0)) for key in ("plies", "wrong", "forfeited")}


class Games(vf.Taskset[GameTask, GamesConfig]):
    """Games from seeds that follow from one."""

    def load(self) -> Iterable[GameTask]:
        """One task for each game.

        Raises:
            ValueError: there is no such game, or a setting is out of range.
        """
        config = self.config
        game = boardenvs.make(config.game, **config.params)
        streams = make_streams(seed_word(config.seed), config.num_games)
        copied = {
            key: getattr(config, key) for key in ("params", "opponent", "tries", "list_moves")
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
    """Who plays: the settings of `GamesEnv`."""

    player: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    """On this machine: nothing that the player writes is run."""


class GamesEnv(vf.Env[GamesEnvConfig]):
    """A conversation for each game: a message for each move of the player's."""

    async def run(self, task: GameTask, agents: vf.Agents) -> None:
        """Play one game. Opponents think in a thread of their own."""
        data = task.data
        dialogue = await asyncio.to_thread(
            lambda: Dialogue(
                boardenvs.make(data.game, **data.params),
                data.opponent,
                data.seat,
                data.seed,
                tries=data.tries,
                list_moves=data.list_moves,
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
    """Asks the model for one answer at a time, in this process: it needs no program beside."""

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
        """One request, of the whole conversation so far."""
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
