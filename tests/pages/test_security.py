"""Each promise in boardenvs/SECURITY.md has tests, here or next to the code."""

import pickle
import re
from pathlib import Path

import pytest

import boardenvs
from boardenvs.episode import Episode

ROOT = Path(__file__).parents[2]
PAGE = Path(boardenvs.__file__).parent / "SECURITY.md"

PROMISES = {
    "Episodes": [
        "tests/pages/test_security.py: test_nothing_is_unpickled",
        "tests/test_episode_files.py: test_foreign_files test_any_bytes test_any_damage",
        "tests/agents/naming/test_user_code.py: test_an_episode_that_names_it",
    ],
    "Positions": [
        "tests/core/test_any_bytes.py: test_every_function_refuses_or_answers",
        "tests/core/test_any_bytes.py: test_agents_refuse_or_choose",
    ],
    "Stores": [
        "tests/pages/test_security.py: test_nothing_is_unpickled",
        "tests/agents/naming/test_user_code.py: test_a_store_that_names_it",
        "tests/agents/arena/storage/test_store_damaged.py: test_damaged_and_foreign_files",
        "tests/agents/arena/storage/test_store_damaged.py:"
        " test_no_escape_sequence_reaches_the_terminal",
    ],
    "Cards and networks": [
        "tests/agents/networks/test_onnx_check.py:"
        " test_weights_in_another_file_wherever_they_stand",
        "tests/agents/networks/test_onnx_check.py:"
        " test_a_loop_that_need_not_end"
        " test_operators_of_others",
        "tests/agents/networks/test_onnx_check.py:"
        " test_functions_of_its_own"
        " test_whatever_the_bytes",
        "tests/agents/players/test_trained.py: test_playing_needs_no_torch_and_unpickles_nothing",
        "tests/agents/naming/test_user_code.py: test_a_card_that_names_it",
    ],
    "Settings of training": [
        "tests/pages/test_security.py: test_settings_that_name_ones_own_agent"
    ],
    "Pages made here": [
        "tests/show/test_episode_page.py:"
        " test_page_needs_nothing_from_outside"
        " test_names_stay_names",
        "tests/agents/arena/test_arena_page.py: test_it_needs_nothing_but_itself",
        "tests/show/test_page_in_browser.py: test_names_are_not_markup",
    ],
    "A run's folder": [
        "tests/agents/training/test_resume.py: test_a_checkpoint_that_would_run_code_is_refused",
        "tests/agents/naming/test_user_code.py: test_a_run_that_names_it",
    ],
    "Other machines": ["tests/agents/play/web/test_serve.py: test_only_on_this_machine"],
    "Other users": [
        "tests/agents/play/web/test_serve.py: test_only_on_this_machine test_a_wrong_token",
        "tests/agents/play/web/test_redirect_file.py: test_the_file",
        "tests/agents/play/web/test_redirect_file.py: test_the_browser_starts_without_the_token",
    ],
    "Other sites": [
        "tests/agents/play/web/test_serve.py: test_a_foreign_host test_a_foreign_origin",
        "tests/agents/play/web/test_serve.py: test_nothing_is_allowed_across_origins test_the_page",
        "tests/agents/play/web/test_in_browser.py: test_a_page_of_another_site",
    ],
    "Agents that a page or a file names": [
        "tests/agents/play/web/test_room.py: test_choices_refused test_names_in_a_file_are_names",
    ],
    "Clients that wait, leave or send anything": [
        "tests/pages/test_security.py: test_the_servers_limits",
        "tests/agents/play/web/test_connection.py: test_half_sent_requests_lock_nobody_out",
        "tests/agents/play/web/test_connection.py: test_a_client_that_leaves",
        "tests/agents/play/web/test_serve.py: test_bad_orders test_a_body_without_end",
        "tests/campaign/test_server.py: test_server",
    ],
    "Its own mistakes": ["tests/campaign/test_server.py: test_planted_faults_are_found"],
}
WARNINGS = {
    "`MODULE:FACTORY`, `text:MODULE:FUNCTION`, `sb3:PATH`, a game `MODULE:CLASS`, `engine:COMMAND`",
    "Pickles and models",
    "Compiled code",
    "Notebooks",
}


def test_each_promise_has_its_tests():
    text = PAGE.read_text(encoding="utf-8")
    assert set(re.findall(r"^- \*\*(.*?)\*\*", text, re.MULTILINE)) == set(PROMISES) | WARNINGS
    for held_by in PROMISES.values():
        for line in held_by:
            path, _, names = line.partition(": ")
            code = (ROOT / path).read_text(encoding="utf-8")
            for name in names.split():
                assert re.search(rf"^def {name}\(", code, re.MULTILINE), line


def test_the_readme_names_it():
    assert "](boardenvs/SECURITY.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_nothing_is_unpickled(tmp_path, monkeypatch, capsys):
    """Loading episodes and stores unpickles nothing."""
    from agents.arena import round_robin
    from agents.command import main

    game = boardenvs.make("game112")
    list(round_robin(game, ["random", "greedy"], 2, 0, store=tmp_path / "games.db"))
    Episode.play(game, ["random", "random"], 0).save(tmp_path / "game.json")

    def refuse(*_, **__):
        raise AssertionError("something is unpickled")

    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    Episode.load(tmp_path / "game.json").save_html(tmp_path / "game.html")
    for more in ([], ["--game", "1.0"]):
        assert main(["watch", "--store", str(tmp_path / "games.db"), *more]) == 0
    assert "unpickled" not in capsys.readouterr().err


def test_settings_that_name_ones_own_agent(tmp_path, monkeypatch, capsys):
    pytest.importorskip("torch", reason="needs the extra [train]")
    from agents.command import main

    (tmp_path / "mine.py").write_text("raise SystemExit('it is run')\n")
    settings = tmp_path / "settings.toml"
    settings.write_text('evaluate_against = ["random", "mine:factory"]\n')
    monkeypatch.chdir(tmp_path)
    assert main(["train", "game112", "--settings", str(settings), "--out", "run"]) == 2
    told = capsys.readouterr().err
    assert "'mine:factory', which runs code of your own" in told
    assert not (tmp_path / "run").exists()


def test_the_servers_limits():
    pytest.importorskip("starlette", reason="needs the extra [web]")
    pytest.importorskip("uvicorn", reason="needs the extra [web]")
    from agents.play.web import app, connection, room

    rows = re.findall(r"^\| ([^|]*) \| ([^|]*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    values = [value for _, value in rows]
    assert values[1:] == [
        f"{app._LARGEST:,} bytes",
        f"{app._LARGEST_FILE:,} bytes",
        f"{room.MOST_ACTIONS:,}",
        f"{connection.PATIENCE:g} s",
        f"{connection.MOST}",
    ]
