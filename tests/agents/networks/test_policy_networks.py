"""The policies of training, compared with those of sb3-contrib."""

import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from agents.networks import policy_networks as networks
from agents.networks import sharded
from agents.networks.policy_networks import BoardPolicy, PlainPolicy, pooled

ROWS = 300


def policy(kind, shape=(3, 6, 6), **more):
    torch.manual_seed(0)
    space = spaces.Box(0, 1, shape, np.int8)
    network = (
        {"net_arch": [16], "features_extractor_kwargs": {"channels": 8, "blocks": 2}}
        if kind is BoardPolicy
        else {"net_arch": [32, 32]}
    )
    return kind(space, spaces.Discrete(36), lambda _: 1e-3, **network, **more)


@pytest.fixture
def six_shards(monkeypatch):
    """Return the function that makes a policy split its batches into six shards."""

    def split(policy):
        work = networks._multiplications(policy, torch.empty(1, 3, 6, 6))
        monkeypatch.setattr(sharded, "_LEAST", 1)
        monkeypatch.setattr(sharded, "_SHARD", ROWS * work / 6)
        assert len(sharded.shards(torch.empty(ROWS), work)) == 6
        return policy

    return split


@pytest.fixture
def batch():
    rng = np.random.default_rng(0)
    seen = rng.integers(0, 2, (ROWS, 3, 6, 6), np.int8)
    seen[:20] = 0  # equal inputs, with many equal features
    masks = rng.random((ROWS, 36)) < 0.5
    masks[:, 0] = True
    masks[-1] = np.arange(36) == 0
    actions = np.argmax(masks * rng.random(masks.shape), 1)
    return torch.from_numpy(seen), torch.from_numpy(actions), masks


@pytest.mark.parametrize("kind", [BoardPolicy, PlainPolicy])
@pytest.mark.parametrize("masked", [True, False])
def test_evaluate_actions_agrees_with_sb3_contrib(kind, masked, batch, six_shards):
    seen, actions, masks = batch
    if not masked:
        masks = None
    own = six_shards(policy(kind))
    theirs = MaskableActorCriticPolicy
    found, grads = [], []
    for evaluate in (kind.evaluate_actions, theirs.evaluate_actions):
        values, logs, entropy = evaluate(own, seen, actions, masks)
        found.append((values.flatten(), logs, entropy))
        loss = (logs.exp() * values.flatten()).mean() - entropy.mean()
        grads.append(torch.autograd.grad(loss, list(own.parameters())))
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(*grads, rtol=1e-3, atol=1e-6)
    with torch.no_grad():
        for deterministic in (True, False):
            drawn = []
            for forward in (kind.forward, theirs.forward):
                torch.manual_seed(1)
                chosen, values, logs = forward(own, seen, deterministic, masks)
                drawn.append((chosen, values.flatten(), logs))
            torch.testing.assert_close(*drawn, rtol=1e-4, atol=1e-5)
    both = kind.get_distribution, theirs.get_distribution
    entropies = [get(own, seen, masks).entropy().mean() for get in both]
    heads = list(own.mlp_extractor.parameters())[:1]  # first parameter of the policy
    found = [torch.autograd.grad(one, heads)[0] for one in entropies]
    torch.testing.assert_close(*entropies)
    torch.testing.assert_close(*found, rtol=1e-3, atol=1e-7)


@pytest.mark.parametrize(
    ("kind", "more"), [(BoardPolicy, {}), (BoardPolicy, {"in_bfloat16": True}), (PlainPolicy, {})]
)
def test_results_do_not_depend_on_the_number_of_cores(kind, more, batch, monkeypatch, six_shards):
    seen, actions, masks = batch
    own = six_shards(policy(kind, **more))
    found = []
    for cores in (1, 2, 3):
        monkeypatch.setattr(sharded, "cores", lambda cores=cores: cores)
        torch.manual_seed(1)
        with torch.no_grad():
            drawn = own(seen, action_masks=masks)
        judged = own.evaluate_actions(seen, actions, masks)
        grads = torch.autograd.grad(sum(one.sum() for one in judged), list(own.parameters()))
        found.append([*drawn, *judged, *grads])
    assert all(map(torch.equal, found[0], found[1]))
    assert all(map(torch.equal, found[0], found[2]))


def test_bfloat16_is_used_only_in_training_and_is_close_to_float32(batch):
    seen, actions, masks = batch
    found, grads, told = [], [], []
    for bfloat16 in (False, True):
        own = policy(BoardPolicy, in_bfloat16=bfloat16)
        assert all(weights.dtype == torch.float32 for weights in own.parameters())
        judged = own.evaluate_actions(seen, actions, masks)
        assert all(one.dtype == torch.float32 for one in judged)
        loss = judged[1].exp().mean() + judged[0].mean()
        gradients = torch.autograd.grad(loss, list(own.parameters()))
        found.append(judged)
        grads.append(torch.cat([one.flatten() for one in gradients]))
        told.append(own.get_distribution(seen, masks).distribution.probs)
    assert torch.equal(*told)  # as agents use the policy
    assert not torch.equal(found[0][0], found[1][0])
    torch.testing.assert_close(*found, rtol=0.05, atol=0.02)
    assert torch.cosine_similarity(*grads, dim=0) > 0.999


@pytest.mark.parametrize("shape", [(9, 4, 6, 6), (9, 4, 1, 5), (2, 3, 1, 1)])
def test_pooling_gradients_agree_with_torch(shape):
    torch.manual_seed(0)
    x = torch.relu(torch.randn(shape)).round()  # with many equal maxima
    x = x.contiguous(memory_format=torch.channels_last).requires_grad_()
    plain = torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)
    assert torch.equal(pooled(x), plain)
    weights = torch.randn(plain.shape)
    found = [torch.autograd.grad(out, x, weights)[0] for out in (pooled(x), plain)]
    torch.testing.assert_close(*found)
