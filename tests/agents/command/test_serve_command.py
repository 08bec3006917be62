"""`boardenvs serve`."""

import importlib.util
import re
import signal
import subprocess
import sys

import pytest

from agents.naming import user_code

HAS_OPENENV = importlib.util.find_spec("openenv") is not None


@pytest.mark.skipif(HAS_OPENENV, reason="[openenv] is installed")
def test_the_error_without_the_extra_names_the_command_that_installs_it(fails):
    fails(r"pip install 'boardenvs\[openenv\]': openenv is not installed", "serve", "game112")


def test_invalid_arguments_give_one_line(fails, monkeypatch):
    monkeypatch.setattr(user_code, "_allowed", set())
    for said, *arguments in (
        ("--port must be a whole number from 0 to 65535, got 70000", "--port", 70000),
        ("--max-sessions must be a whole number of at least 1, got 0", "--max-sessions", 0),
        ("--max-message must be a whole number of at least 1, got -1", "--max-message", -1),
        ("spec must be an agent of your own", "--allow", "greedy"),
    ):
        fails(re.escape(said), "serve", "game112", *arguments)


def test_settings_are_checked_before_the_server_starts(fails):
    pytest.importorskip("openenv", reason="needs the extra [openenv]")
    for said, *arguments in (
        ("seat must be a whole number from 0 to 1, got 2", "--seat", 2),
        ("seat must be a whole number from 0 to 1, got 'both'", "--seat", "both"),
        ("tries must be a whole number of at least 1, got 0", "--tries", 0),
        ("seed must be a whole number of at least 0, got -1", "--seed", -1),
        ("'text:a:b' is an agent of your own", "--opponent", "text:a:b"),
    ):
        fails(re.escape(said), "serve", "game112", *arguments)


def test_only_other_addresses_get_a_warning(command, monkeypatch):
    pytest.importorskip("openenv", reason="needs the extra [openenv]")
    calls = []
    monkeypatch.setattr(
        "agents.play.openenv_server.serve",
        lambda game, *place, **settings: calls.append((game.name, *place, settings)),
    )
    default = dict.fromkeys(("list_moves", "strict"), False)
    default |= {"opponent": "random", "seat": 0, "tries": 3, "seed": None}
    limits = {"max_sessions": 64, "max_message": 65536}
    for host in ("127.0.0.1", "::1", "localhost"):
        assert command("serve", "game112", "--host", host) == (0, "", "")
        assert calls.pop() == ("game112", host, 8000, {**limits, **default})
    status, out, err = command("serve", "game112", "--host", "0.0.0.0", "--seat", "all")
    assert (status, out) == (0, "")
    assert err == (
        "boardenvs: warning: every client that reaches 0.0.0.0 can play, without a password\n"
    )
    assert calls.pop()[-1]["seat"] == "all"


def test_interrupts_end_the_server_and_its_sessions():
    pytest.importorskip("openenv", reason="needs the extra [openenv]")
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    with subprocess.Popen(
        [sys.executable, "-m", "agents.command", "serve", "game112", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            address = re.search(r"at http://(.*)\n", server.stdout.readline())[1]
            assert server.stdout.readline() == "Ctrl-C ends it.\n"
            with connect(f"ws://{address}/ws") as client:
                client.send('{"type": "reset"}')
                client.recv(20)
                server.send_signal(signal.SIGINT)
                with pytest.raises(ConnectionClosed):
                    client.recv(20)
            out, err = server.communicate(timeout=20)
        finally:
            server.kill()
    assert (server.returncode, out) == (130, "")
    assert err == "\nboardenvs: stopped\n"
