"""The page on TRL: `GRPOTrainer` trains a tiny model with its environment."""

import json
import random
import re
from pathlib import Path

import pytest

import agents.players.text
from agents.naming import user_code

pytest.importorskip("trl", reason="needs TRL")

import torch
import trl
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

pytestmark = pytest.mark.filterwarnings("ignore")
PAGE = Path(agents.players.text.__file__).with_name("TRL.md").read_text(encoding="utf-8")
ENVIRONMENT, ROWS, TRAINER, SELF_PLAY = re.findall(
    r"^```py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
)
ENVIRONMENT = ENVIRONMENT.replace("gekitai", "game112")  # whose games are short
GROUP = 4


@pytest.fixture(scope="module")
def tokenizer():
    """Return a tokenizer of bytes with the chat template of Qwen3."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    raw = Tokenizer(models.BPE({one: number for number, one in enumerate(alphabet)}, []))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    raw.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    raw.add_special_tokens([AddedToken(one, special=True) for one in special])
    made = PreTrainedTokenizerFast(
        tokenizer_object=raw, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    template = Path(trl.__file__).with_name("chat_templates") / "qwen3.jinja"
    made.chat_template = template.read_text(encoding="utf-8")
    return made


@pytest.fixture
def model(tokenizer):
    """Return a tiny model that writes random legal moves, some nonsense, and stops early."""
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=8,
        max_position_embeddings=32768,
    )
    numbers = random.Random(1)

    class Scripted(Qwen3ForCausalLM):
        def generate(self, input_ids, **_):
            said = []
            for text in tokenizer.batch_decode(input_ids):
                kind = numbers.random()
                if kind < 0.1 or "The game is over." in text:
                    words = "I stop."
                else:
                    taken = re.findall(r"""(?:played |"answer": ")(\d)""", text)
                    free = [one for one in "123456789" if one not in taken]
                    move = "nonsense" if kind < 0.2 else f"{numbers.choice(free)} 1"
                    call = {"name": "move", "arguments": {"answer": move}}
                    words = f"<tool_call>\n{json.dumps(call)}\n</tool_call>"
                said.append(tokenizer(f"{words}<|im_end|>")["input_ids"])
            longest = max(map(len, said))
            padded = [one + [tokenizer.pad_token_id] * (longest - len(one)) for one in said]
            return torch.cat([input_ids, torch.tensor(padded)], 1)

    torch.manual_seed(0)
    return Scripted(config)


def trained(model, tokenizer, tmp_path, names):
    """Run the page's trainer for two steps; return it, and what each game began and ended with."""
    played = []
    game = names["Game"]

    class Recorded(game):
        def reset(self, **row):
            message = super().reset(**row)
            self._begun = (row["seed"], row["seat"], message)
            return message

        def get_reward(self):
            reward = super().get_reward()
            played.append((*self._begun, reward, self._dialogue.over))
            return reward

    names["Game"] = Recorded
    names.update(model=model, tokenizer=tokenizer)
    block = TRAINER.replace('model="Qwen/Qwen3-0.6B"', "model=model, processing_class=tokenizer")
    block = block.replace(
        "GRPOConfig(num_generations=8, ",
        f"GRPOConfig(num_generations={GROUP}, per_device_train_batch_size={2 * GROUP}, max_steps=2,"
        f"use_cpu=True, bf16=False, report_to='none', logging_steps=1, learning_rate=0.01, "
        f"save_strategy='no', output_dir={str(tmp_path)!r}, ",
    )
    assert block.count("use_cpu") == block.count("processing_class") == 1
    before = [one.clone() for one in model.parameters()]
    exec(block, names)
    assert any(
        not torch.equal(one, other) for one, other in zip(before, model.parameters(), strict=True)
    )
    return names["trainer"], played


def groups(played):
    return [played[k : k + GROUP] for k in range(0, len(played), GROUP)]


def test_the_trainer_of_the_page_learns(model, tokenizer, tmp_path):
    names = {}
    exec(ENVIRONMENT + ROWS, names)
    trainer, played = trained(model, tokenizer, tmp_path, names)
    assert len(played) == 4 * GROUP
    for group in groups(played):
        assert len({(seed, seat, message) for seed, seat, message, *_ in group}) == 1
    rewards = [reward for *_, reward, _ in played]
    assert len(set(rewards)) > 1
    assert {reward for *_, reward, over in played if not over} == {-1}
    logged = [one for one in trainer.state.log_history if "reward" in one]
    assert [one["reward"] for one in logged] == pytest.approx(
        [sum(rewards[k : k + 2 * GROUP]) / (2 * GROUP) for k in (0, 2 * GROUP)]
    )
    assert all(one["tools/call_frequency"] > 1 for one in logged)
    assert all(one["tools/failure_frequency"] == 0 for one in logged)


def test_the_model_plays_the_other_seat(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(user_code, "_allowed", set())
    Path("my_model.py").write_text(
        "asked = []\ndef ask(prompt):\n    asked.append(prompt)\n    return 'Move: 5 1'\n",
        encoding="utf-8",
    )
    names = {}
    exec(ENVIRONMENT + ROWS + SELF_PLAY, names)
    game = names["Game"]()
    row = names["ROWS"][1]
    assert (row["seed"], row["seat"]) == (0, 1)
    assert "Player 1 played 5 1." in game.reset(**row)
    import my_model

    assert my_model.asked[0].startswith("You play game112 as Player 1.")


def test_only_move_is_a_tool():
    names = {}
    exec(ENVIRONMENT, names)
    public = {name for name in dir(names["Game"]) if not name.startswith("_")}
    assert public == {"reset", "move", "get_reward"}
    game = names["Game"]()
    assert game.reset(seed=1, seat=0, opponent="random", prompt=[]).startswith("You play game112")
    assert game.get_reward() == -1
    for _ in range(3):
        told = game.move("nowhere")
    assert told == game.move("5 1") == "The game is over."
    assert game.get_reward() == -1
