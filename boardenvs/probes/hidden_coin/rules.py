"""The rules of the hidden coin."""

from boardenvs.core.chance import draw
from boardenvs.core.outcome import end_in_draw, end_ply, end_with_winner
from boardenvs.probes.places import go, place


def deal(s, p):
    s.side = draw(s, 3)


def legal(s, p, mask):
    mask[:] = True


def play(s, p, action):
    here, seat = place(s), s.to_move
    if action != (3 if here == 0 else 0):
        end_with_winner(s, seat if s.side == action - here else 1 - seat)
    elif here == 0:
        go(s, 1, 1)
    else:
        end_in_draw(s)
    end_ply(s, p, action)


def observe(s, p, seat, out):
    out[:] = s.at


def redraw(s, p, seat, stream):
    s.rng = stream
    s.side = draw(s, 3)
