"""TorchRL's wrappers of PettingZoo and Gymnasium; illegal actions raise."""

from __future__ import annotations

import gymnasium
import pytest

import boardenvs
from boardenvs.registration import env_id

torch = pytest.importorskip("torch")
pytest.importorskip("torchrl")

from torchrl.envs.libs.gym import GymWrapper  # noqa: E402
from torchrl.envs.libs.pettingzoo import PettingZooWrapper  # noqa: E402
from torchrl.envs.transforms import ActionMask, TransformedEnv  # noqa: E402
from torchrl.envs.utils import check_env_specs  # noqa: E402

# TorchRL warns about every version of PettingZoo except one from 2024.
pytestmark = pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested:UserWarning")


def environment(name):
    env = getattr(boardenvs, f"{name}_v0").env(illegal="raise")
    return PettingZooWrapper(env, use_mask=True, seed=0)


def test_specs_agree_with_the_environment(name):
    # The check plays three plies. With this seed, no game ends earlier.
    torch.manual_seed(2)
    check_env_specs(environment(name), seed=None)


def test_a_masked_rollout_is_legal(name):
    torch.manual_seed(0)
    env = environment(name)
    seats = list(env.group_map)
    assert seats == [f"player_{seat}" for seat in range(len(seats))]
    plies = env.rollout(400, break_when_any_done=False)
    acting = torch.stack([plies[seat, "mask"][:, 0] for seat in seats])
    assert (acting.sum(0) == 1).all()  # one seat per ply
    for seat in seats:
        mine = plies[seat, "mask"][:, 0]
        masks = plies[seat, "action_mask"][mine, 0]
        chosen = plies[seat, "action"][mine]
        assert masks.gather(1, chosen).all()
        assert plies[seat, "action_mask"][~mine].all()  # ones off turn, so `mask` comes first
        assert not masks.all()
    ended = plies["next", "done"][:, 0]
    assert ended.any()
    # Only masks after the end are zeros, so policies never get such a mask.
    assert all(plies[seat, "action_mask"].any(-1).all() for seat in seats)
    zeros = [~plies["next", seat, "action_mask"].any(-1)[:, 0] for seat in seats]
    assert (sum(zeros) == ended).all()
    results = torch.stack([plies["next", seat, "reward"].flatten()[ended] for seat in seats])
    if len(seats) > 1:
        assert results.any()
        assert results.sum(0).abs().max() < 1e-6


def test_infos_of_gymnasium_become_tensors_and_mask_actions(name):
    torch.manual_seed(0)
    made = gymnasium.make(env_id(name))
    env = GymWrapper(made).auto_register_info_dict()
    check_env_specs(env, seed=0)
    plies = TransformedEnv(env, ActionMask()).rollout(60, break_when_any_done=False)
    for key, value in made.reset(seed=0)[1].items():
        kept = plies["next", key]
        assert kept.shape == (60, *value.shape)
        assert kept.dtype == torch.as_tensor(value).dtype
    assert (plies["action_mask"] * plies["action"]).sum(1).eq(1).all()
    zeros = ~plies["next", "action_mask"].bool().any(1)
    assert (zeros == plies["next", "done"][:, 0]).all()
