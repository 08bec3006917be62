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
        "tests/test_episode_files.py:"
        " test_files_of_other_kinds_are_refused"
        " test_arbitrary_bytes_are_loaded_or_refused"
        " test_damaged_files_are_loaded_or_refused",
        "tests/agents/naming/test_user_code.py: test_an_episode_with_user_code_runs_none",
    ],
    "Positions": [
        "tests/core/test_any_bytes.py: test_every_function_returns_or_raises_a_value_error",
        "tests/core/test_any_bytes.py: test_agents_choose_or_raise_a_value_error",
    ],
    "Stores": [
        "tests/pages/test_security.py: test_nothing_is_unpickled",
        "tests/agents/naming/test_user_code.py: test_a_store_with_user_code_runs_none",
        "tests/agents/arena/storage/test_store_damaged.py:"
        " test_damaged_and_foreign_files_are_refused",
        "tests/agents/arena/storage/test_store_damaged.py:"
        " test_no_escape_sequence_reaches_the_terminal",
    ],
    "Cards and networks": [
        "tests/agents/networks/test_onnx_check.py:"
        " test_weights_in_another_file_are_refused_in_any_part",
        "tests/agents/networks/test_onnx_check.py:"
        " test_loops_are_refused"
        " test_operators_of_other_domains_are_refused",
        "tests/agents/networks/test_onnx_check.py:"
        " test_own_functions_are_refused"
        " test_arbitrary_bytes_raise_only_value_errors",
        "tests/agents/players/test_trained.py: test_playing_needs_no_torch_and_unpickles_nothing",
        "tests/agents/naming/test_user_code.py: test_a_card_with_user_code_runs_none",
    ],
    "Settings of training": [
        "tests/pages/test_security.py: test_settings_with_a_user_agent_run_no_code"
    ],
    "Pages made here": [
        "tests/show/test_episode_page.py: test_the_page_loads_no_other_file test_names_are_escaped",
        "tests/agents/arena/test_arena_page.py: test_the_page_loads_no_other_file",
        "tests/show/test_page_in_browser.py: test_names_are_not_markup",
    ],
    "A run's folder": [
        "tests/agents/training/test_resume.py: test_a_checkpoint_that_would_run_code_is_refused",
        "tests/agents/naming/test_user_code.py: test_a_run_with_user_code_requires_allow",
    ],
    "Other machines": [
        "tests/agents/play/web/test_serve.py: test_the_server_listens_only_on_this_machine",
        "tests/agents/command/test_serve_command.py: test_only_other_addresses_get_a_warning",
    ],
    "Other users": [
        "tests/agents/play/web/test_serve.py:"
        " test_the_server_listens_only_on_this_machine"
        " test_a_wrong_token_is_refused",
        "tests/agents/play/web/test_redirect_file.py: test_the_file_is_private_and_temporary",
        "tests/agents/play/web/test_redirect_file.py: test_the_browser_starts_without_the_token",
    ],
    "Other sites": [
        "tests/agents/play/web/test_serve.py:"
        " test_a_foreign_host_is_refused"
        " test_a_foreign_origin_is_refused",
        "tests/agents/play/web/test_serve.py:"
        " test_no_request_is_allowed_across_origins"
        " test_the_page_is_served",
        "tests/agents/play/web/test_in_browser.py: test_a_page_of_another_site_cannot_read_or_move",
        "tests/agents/play/test_openenv_server.py: test_pages_of_other_sites_cannot_connect",
    ],
    "Agents that a client names": [
        "tests/agents/play/test_openenv_server.py: test_user_code_plays_only_if_it_is_allowed",
    ],
    "Agents that a page or a file names": [
        "tests/agents/play/web/test_room.py:"
        " test_invalid_choices_are_refused"
        " test_names_in_a_file_run_no_code",
    ],
    "Clients that wait, leave or send anything": [
        "tests/pages/test_security.py: test_the_page_lists_the_limits_of_the_server",
        "tests/agents/play/web/test_connection.py:"
        " test_unfinished_requests_do_not_block_other_clients",
        "tests/agents/play/web/test_connection.py: test_a_client_that_disconnects_causes_no_error",
        "tests/agents/play/web/test_serve.py:"
        " test_bad_orders_are_refused"
        " test_an_endless_body_is_refused",
        "tests/campaign/test_server.py: test_the_server_survives_random_requests",
        "tests/agents/play/test_openenv_server.py:"
        " test_sessions_are_limited_and_a_vanished_client_ends_its_own"
        " test_a_long_message_ends_only_its_session",
    ],
    "Its own mistakes": ["tests/campaign/test_server.py: test_the_attack_finds_planted_faults"],
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


def test_the_readme_links_to_the_page():
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


def test_settings_with_a_user_agent_run_no_code(tmp_path, monkeypatch, capsys):
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


def test_the_page_lists_the_limits_of_the_server():
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
