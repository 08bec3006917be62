"""The optimiser of self-play: orthogonal steps of hidden matrices, AdamW for the rest."""

import copy

import pytest

torch = pytest.importorskip("torch")

from agents.networks.muon import MuonAdamW  # noqa: E402

RATE = 1e-3


class Policy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.features = torch.nn.Module()
        self.features.stem = torch.nn.Conv2d(3, 16, 3)
        self.features.block = torch.nn.Conv2d(16, 12, 3)
        self.tall = torch.nn.Linear(8, 32)
        self.value = torch.nn.Linear(32, 1)


@pytest.fixture
def policy():
    torch.manual_seed(0)
    return Policy()


def make_muon(policy, weight_decay, muon=True):
    found = MuonAdamW(policy, muon=muon, weight_decay=weight_decay)
    found.lr = RATE
    return found


def set_gradients(policy, seed, scale=1.0):
    generator = torch.Generator().manual_seed(seed)
    for one in policy.parameters():
        one.grad = scale * torch.randn(one.shape, generator=generator)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("name", ["features.block.weight", "tall.weight"])
def test_a_step_of_a_hidden_matrix_is_the_same_in_all_directions(policy, name, scale):
    before = copy.deepcopy(policy)
    optimizer = make_muon(policy, weight_decay=0.0)
    set_gradients(policy, 1, scale)
    gradient = policy.get_parameter(name).grad.flatten(1)
    optimizer.step()
    step = (before.get_parameter(name) - policy.get_parameter(name)).detach().flatten(1)
    sizes = torch.linalg.svdvals(step)
    assert sizes.max() < 2 * sizes.min()
    # The nearest matrix with orthogonal rows or columns has the same singular vectors.
    left, _, right = torch.linalg.svd(gradient, full_matrices=False)
    nearest = left @ right
    cosine = (step * nearest).sum() / step.norm() / nearest.norm()
    assert cosine > 0.98


@pytest.mark.parametrize(
    ("muon", "hidden"), [(True, {"features.block.weight", "tall.weight"}), (False, set())]
)
def test_all_other_parameters_are_learned_by_adamw(policy, muon, hidden):
    other = copy.deepcopy(policy)
    optimizers = (
        make_muon(policy, weight_decay=0.1, muon=muon),
        torch.optim.AdamW(other.parameters(), RATE, weight_decay=0.1),
    )
    for seed in range(3):
        for one, optimizer in zip((policy, other), optimizers, strict=True):
            set_gradients(one, seed)
            optimizer.step()
    equal = {
        name
        for name, one in policy.named_parameters()
        if torch.allclose(one, other.get_parameter(name), rtol=1e-5, atol=1e-8)
    }
    assert equal == dict(policy.named_parameters()).keys() - hidden


def test_weights_decay_without_a_gradient_direction(policy):
    weight = policy.tall.weight
    before = weight.detach().clone()
    optimizer = make_muon(policy, weight_decay=0.1)
    for one in policy.parameters():
        one.grad = torch.zeros_like(one)
    optimizer.step()
    torch.testing.assert_close(weight, before * (1 - 0.1 * RATE))


def test_a_restored_optimizer_continues_with_the_same_steps(policy):
    optimizer = make_muon(policy, weight_decay=0.1)
    for seed in range(3):
        set_gradients(policy, seed)
        optimizer.step()
    other = copy.deepcopy(policy)
    restored = make_muon(other, weight_decay=0.1)
    restored.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    for one, steps in ((policy, optimizer), (other, restored)):
        set_gradients(one, 9)
        steps.step()
    for name, one in policy.named_parameters():
        assert torch.equal(one, other.get_parameter(name)), name
