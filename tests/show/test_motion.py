"""Animations on the page: pieces are pushed, placed, turned over and taken away."""

import re

import numpy as np
import pytest

import boardenvs
from boardenvs import Episode
from boardenvs.show.svg import centre

# Press a key and return kind, permanence and places of everything that starts to move.
PRESSED = """(key) => {
  const pressed = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  document.body.dispatchEvent(pressed);
  return picture.getAnimations({ subtree: true }).map(({ effect }) => [
    effect.target.dataset.kind, !effect.target.hasAttribute("aria-hidden"),
    ...effect.getKeyframes().map(({ transform }) => transform ?? "")]);
}"""


def places(frames):
    """Return the positions in the frames of a motion."""
    return [
        tuple(float(number) for number in re.findall(r"-?[\d.]+", frame)[:2]) for frame in frames
    ]


@pytest.fixture
def replay(tab, tmp_path):
    """Return the function that opens a page of some moves, after the first `after` moves."""

    def opened(game, moves, after):
        states = game.new(1, 0)
        start, actions = states.copy(), []
        for move in moves:
            actions.append(
                move if isinstance(move, int) else game.action_from_text(move, states[0])
            )
            game.play(states, actions[-1:])
        path = tmp_path / "episode.html"
        Episode(game, start, actions).save_html(path)
        tab.goto(path.as_uri())
        for _ in range(after):
            tab.keyboard.press("ArrowRight")
        tab.evaluate("picture.getAnimations({ subtree: true }).forEach((one) => one.finish())")
        return tab

    return opened


def test_a_pushed_piece_and_the_placed_piece_are_animated(replay):
    tab = replay(boardenvs.make("gekitai"), ["c3", "d4"], 1)
    moved = tab.evaluate(PRESSED, "ArrowRight")
    pushed = [places(frames) for kind, _, *frames in moved if kind == "X"]
    assert [(centre(2, 2)), (centre(1, 1))] in pushed
    placed = [places(frames) for kind, _, *frames in moved if kind == "O"]
    assert [frames[-1] for frames in placed] == [centre(3, 3)]
    assert placed[0][0][1] > centre(5, 0)[1]  # from below the board
    # Stepping back reverses the motion.
    tab.evaluate("picture.getAnimations({ subtree: true }).forEach((one) => one.finish())")
    back = tab.evaluate(PRESSED, "ArrowLeft")
    assert [centre(1, 1), centre(2, 2)] in [
        places(frames) for kind, _, *frames in back if kind == "X"
    ]


def test_a_piece_pushed_off_the_board_goes_back_to_the_hand(replay):
    tab = replay(boardenvs.make("gekitai"), ["a1", "b2"], 1)
    moved = tab.evaluate(PRESSED, "ArrowRight")
    [gone] = [places(frames) for kind, _, *frames in moved if kind == "X"]
    assert gone[0] == centre(0, 0)
    assert gone[1][1] > centre(5, 0)[1]


def test_only_changed_pieces_are_animated(replay):
    tab = replay(boardenvs.make("gomoku", board_size=9), ["4 E", "4 F", "3 C"], 2)
    moved = tab.evaluate(PRESSED, "ArrowRight")
    assert {kind for kind, *_ in moved} <= {"black", "turn"}
    assert [places(frames[-1:]) for kind, _, *frames in moved if kind == "black"] == [
        [centre(3, 2)]
    ]


def test_a_tile_is_turned_over_in_place(replay):
    game = boardenvs.make("dominoes175")
    states = game.new(1, 0)
    tab = replay(game, [int(np.flatnonzero(game.legal(states)[0])[3])], 0)
    moved = tab.evaluate(PRESSED, "ArrowRight")
    turned = [frames for kind, _, *frames in moved if re.fullmatch(r"\d-\d", kind)]
    assert len(turned) == 1
    first, last = places([turned[0][0], turned[0][-1]])
    assert first != last
    assert "scale(0, 1)" in turned[0][0]  # edge-on
    assert not any(kind == "back" for kind, stays, *_ in moved if not stays)


def test_a_goat_moves_from_cell_to_cell(replay):
    game = boardenvs.make("goat_race")
    rng = np.random.default_rng(0)
    states, actions, told = game.new(1, 0), [], []
    while not told or told[-1] < 4:
        actions.append(int(rng.choice(np.flatnonzero(game.legal(states)[0]))))
        told.append(len(game.action_to_text(actions[-1], states[0])))
        game.play(states, actions[-1:])
    tab = replay(game, actions, len(actions) - 1)
    begin, end = re.findall(r"[A-I]\d", tab.locator("#moves li").last.inner_text())[:2]
    begin, end = (centre(int(one[1]) - 1, ord(one[0]) - ord("A")) for one in (begin, end))
    moved = tab.evaluate(PRESSED, "ArrowRight")
    walks = [places(frames) for kind, _, *frames in moved if kind in "WBROG"]
    assert any(
        frames[0][0] == begin[0] and frames[-1][0] == end[0] and frames[0] != frames[-1]
        for frames in walks
    )


def test_moved_pieces_end_at_their_places(replay):
    tab = replay(boardenvs.make("gekitai"), ["c3", "d4"], 1)
    tab.keyboard.press("ArrowRight")
    tab.wait_for_function("picture.getAnimations({ subtree: true }).length === 0")
    drawn = tab.evaluate("picture.innerHTML")
    tab.keyboard.press("End")
    tab.keyboard.press("Home")
    tab.keyboard.press("End")
    tab.wait_for_function("picture.getAnimations({ subtree: true }).length === 0")
    assert tab.evaluate("picture.innerHTML") == drawn


def test_reduced_motion_disables_animations(replay, tab):
    tab.emulate_media(reduced_motion="reduce")
    replay(boardenvs.make("gekitai"), ["c3", "d4"], 1)
    assert tab.evaluate(PRESSED, "ArrowRight") == []


def test_a_jump_to_another_position_is_not_animated(replay):
    tab = replay(boardenvs.make("gekitai"), ["c3", "d4", "a1"], 0)
    assert tab.evaluate(PRESSED, "End") == []
