"""The redirect file that opens the page, without showing its address to other users."""

import html
import json
import os
import re
import signal
import stat
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="needs the extra [web]")
pytest.importorskip("uvicorn", reason="needs the extra [web]")

ADDRESS = "http://127.0.0.1:8000/to&ken/"


def file_of(url):
    return Path(urllib.request.url2pathname(urllib.parse.urlsplit(url).path))


def refreshed(page):
    """Return the address to which a page redirects at once."""
    found = re.search(r'<meta http-equiv="refresh" content="0; url=([^"]*)">', page)
    return html.unescape(found[1])


def test_the_file_is_private_and_temporary():
    from agents.play.web.redirect_file import redirect_file

    with redirect_file(ADDRESS) as url:
        path = file_of(url)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert refreshed(path.read_text(encoding="utf-8")) == ADDRESS
    assert not path.parent.exists()


BROWSER = """
import json, pathlib, sys, urllib.parse, urllib.request

path = urllib.request.url2pathname(urllib.parse.urlsplit(sys.argv[-1]).path)
told = {"arguments": sys.argv, "page": pathlib.Path(path).read_text(encoding="utf-8")}
pathlib.Path("told").write_text(json.dumps(told), encoding="utf-8")
"""


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="ignores BROWSER")
@pytest.mark.parametrize("ending", ["SIGINT", "SIGTERM"])
def test_the_browser_starts_without_the_token(tmp_path, ending):
    (tmp_path / "browser.py").write_text(BROWSER, encoding="utf-8")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {
        **os.environ,
        "DISPLAY": ":0",
        "BROWSER": f"{sys.executable} {tmp_path / 'browser.py'} %s",
        "TMPDIR": str(temporary),
    }
    # Tests in the background may pass on that SIGINT is ignored.
    start = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from agents.command import main; sys.exit(main(sys.argv[1:]))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", start, "play", "game112", "--web", "--opponent", "random"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        address = running.stdout.readline().split()[-1]
        with urllib.request.urlopen(address, timeout=60) as answer:  # the browser has exited
            assert answer.status == 200
        folders = list(temporary.iterdir())
        running.send_signal(getattr(signal, ending))
        _, err = running.communicate(timeout=60)
    assert len(folders) == 1
    told = json.loads((tmp_path / "told").read_text(encoding="utf-8"))
    token = address.split("/")[-2]
    assert not [word for word in told["arguments"] if token in word]
    assert refreshed(told["page"]) == address
    assert not folders[0].exists()
    status, said = {"SIGINT": (130, "\nboardenvs: stopped\n"), "SIGTERM": (143, "")}[ending]
    assert (running.returncode, err) == (status, said)
