"""Progress: a bar in a terminal, ten lines in a log."""

import io

import pytest

from agents.report.progress import progress_bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown(monkeypatch, stream, **options):
    """Return the output of 1,000 steps of work on a stream."""
    monkeypatch.setattr("sys.stderr", stream)
    with progress_bar(1000, unit="step", **options) as bar:
        for step in range(bar.n, 1000):
            bar.update()
            if step % 30 == 0:
                bar.set_postfix({"greedy": "0.50"})
    return stream and stream.getvalue()


def test_a_log_gets_a_line_every_tenth(monkeypatch):
    lines = shown(monkeypatch, io.StringIO(), desc="training").splitlines()
    assert [line.partition(" (")[0] for line in lines] == [
        f"training: {percent}%" for percent in range(10, 101, 10)
    ]
    assert all("greedy=0.50" in line for line in lines)


def test_a_log_continues_from_earlier_work(monkeypatch):
    lines = shown(monkeypatch, io.StringIO(), initial=750).splitlines()
    assert [line.partition(" (")[0] for line in lines] == ["80%", "90%", "100%"]


def test_a_terminal_gets_a_bar(monkeypatch):
    assert "\r" in shown(monkeypatch, Terminal(), desc="training")


@pytest.mark.parametrize("stream", [None, io.StringIO(), Terminal()])
def test_no_progress_is_printed_if_disabled(monkeypatch, stream):
    """Nothing is printed if unwanted or without standard error."""
    assert not shown(monkeypatch, stream, shown=stream is None)
