"""Probe games: tiny games, each of which isolates one mistake of a learner.

Importing this package registers the games. `agents.check_learner` runs a learner on them.
"""

from __future__ import annotations

from boardenvs.probes.changing_masks import ProbeChangingMasks
from boardenvs.probes.corridor import ProbeCorridor
from boardenvs.probes.dice import ProbeDice
from boardenvs.probes.hidden_coin import ProbeHiddenCoin
from boardenvs.probes.moves_twice import ProbeMovesTwice
from boardenvs.probes.next_game import ProbeNextGame
from boardenvs.probes.one_legal_action import ProbeOneLegalAction
from boardenvs.probes.one_ply import ProbeOnePly
from boardenvs.probes.places import Probe
from boardenvs.probes.ply_limit import ProbePlyLimit
from boardenvs.probes.reply import ProbeReply
from boardenvs.probes.reply_swapped import ProbeReplySwapped
from boardenvs.probes.second_ends import ProbeSecondEnds
from boardenvs.probes.third_wins import ProbeThirdWins
from boardenvs.probes.unseen_actions import ProbeUnseenActions
from boardenvs.registration import register

__all__ = ["PROBES", "Probe"]

PROBES: dict[str, type[Probe]] = {
    probe.name: register(probe)
    for probe in (
        ProbeOnePly,
        ProbeSecondEnds,
        ProbeOneLegalAction,
        ProbeChangingMasks,
        ProbeUnseenActions,
        ProbeReply,
        ProbeReplySwapped,
        ProbeMovesTwice,
        ProbeThirdWins,
        ProbeDice,
        ProbeHiddenCoin,
        ProbeNextGame,
        ProbePlyLimit,
        ProbeCorridor,
    )
}
"""Class of each probe game, by the game's name, the simplest first."""
