"""Pictures as pixels, and video recorders of Gymnasium and PettingZoo."""

import importlib.util
import io
import subprocess

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.save_video import save_video
from gymnasium.wrappers import HumanRendering, RecordVideo
from gymnasium.wrappers import vector as vector_wrappers
from two_games import on_two_games
from variants import first_variant

import boardenvs
from boardenvs.registration import env_id
from boardenvs.show.gif import gif
from boardenvs.show.pixels import frame_shape, rasterize
from boardenvs.show.svg import PAPER, element, svg, text_picture

Image = pytest.importorskip("PIL.Image", reason="needs the extra [render]")
ImageSequence = pytest.importorskip("PIL.ImageSequence")
pytest.importorskip("resvg_py", reason="needs the extra [render]")

PAPER_RGB = tuple(bytes.fromhex(PAPER[1:]))


def dot(width=100, height=50):
    """Return a picture with a red disc in its centre."""
    disc = element("circle", cx=width / 2, cy=height / 2, r=10, fill="#ff0000")
    return svg(width, height, "a dot", [disc])


# -- From SVG to pixels -----------------------------------------------------------------


def test_a_picture_fills_its_frame():
    frame = rasterize(dot(), (64, 128))
    assert (frame.shape, frame.dtype) == ((64, 128, 3), np.uint8)
    red = np.argwhere((frame[..., 0] > 200) & (frame[..., 1] < 128))
    assert red.mean(0) == pytest.approx([31.5, 63.5])
    assert np.ptp(red, 0) == pytest.approx([25, 25], abs=1)  # 20 of 50 units, 64 pixels high


def test_a_picture_is_centred_in_a_frame_of_other_proportions():
    frame = rasterize(dot(), (128, 128))
    red = np.argwhere((frame[..., 0] > 200) & (frame[..., 1] < 128))
    assert red.mean(0) == pytest.approx([63.5, 63.5])
    assert np.ptp(red, 0) == pytest.approx([25, 25], abs=1)
    assert (frame[:30] == PAPER_RGB).all()
    assert (frame[[0, -1, 0, -1], [0, 0, -1, -1]] == PAPER_RGB).all()  # at rounded corners


@pytest.mark.parametrize(
    ("size", "shape"), [(64, (32, 64)), (300, (144, 304)), (640, (320, 640)), (1200, (608, 1200))]
)
def test_sides_are_multiples_of_16(size, shape):
    assert frame_shape(dot(), size) == shape
    assert frame_shape(dot(50, 100), size) == shape[::-1]


def test_a_very_long_picture_has_a_minimum_height():
    assert frame_shape(dot(10000, 50), 64) == (16, 64)


@pytest.mark.parametrize("size", [63, 4097, 640.0, "640", None, True])
def test_bad_sizes_are_refused(size):
    game = boardenvs.make("game112")
    with pytest.raises(ValueError, match=r"^size "):
        game.rgb_array(game.new(1, 0)[0], size)
    for make in (boardenvs.game112_v0.env, lambda **k: gymnasium.make(env_id("game112"), **k)):
        with pytest.raises(ValueError, match=r"^render_size "):
            make(render_size=size)


def test_a_missing_picture_is_refused():
    with pytest.raises(ValueError, match=r"^picture .*'<svg/>'"):
        frame_shape("<svg/>", 640)


@pytest.mark.parametrize("family", ["sans-serif", "monospace"])
def test_text_uses_the_fonts_of_matplotlib(family):
    words = element("text", "m" * 9, x=8, y=30, font_size=12, font_family=family, fill="#000000")
    frame = rasterize(svg(128, 64, "", [words]), (64, 128))
    columns = np.flatnonzero((frame < 128).all(2).any(0))
    # The advance of an m is 0.974 in DejaVu Sans and 0.602 in DejaVu Sans Mono.
    advance = {"sans-serif": 0.974, "monospace": 0.602}[family]
    assert np.ptp(columns) == pytest.approx(9 * 12 * advance, abs=4)


def test_bold_text_is_bold():
    dark = []
    for weight in ("normal", "bold"):
        text = element("text", "WWW", x=8, y=30, font_weight=weight, fill="#000000")
        dark.append((rasterize(svg(128, 64, "", [text]), (64, 128)) < 128).sum())
    assert dark[1] > 1.3 * dark[0]


@pytest.mark.parametrize("missing", ["resvg_py", "PIL", "matplotlib"])
def test_the_error_of_a_missing_extra_is_one_line(monkeypatch, missing):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == missing else find(name)
    )
    env = gymnasium.make(env_id("game112"), render_mode="rgb_array")  # created without the extra
    env.reset(seed=0)
    with pytest.raises(ValueError, match=rf"extra \[render\].*{missing}") as caught:
        env.render()
    assert "\n" not in str(caught.value)


# -- Games ------------------------------------------------------------------------------


def played(game, seed=1, most=40):
    """Return the start of a random game as an episode."""
    episode = boardenvs.Episode.play(game, ["random"] * game.num_players, seed)
    return boardenvs.Episode(game, episode.states()[0], episode.actions[:most])


def test_all_frames_of_a_game_have_one_size(game, random_positions):
    states = random_positions(game, 3, seed=4)
    sizes = {game.picture(state).partition(" role=")[0] for state in states}
    assert len(sizes) == 1
    frame = game.rgb_array(states[-1], 300)
    assert frame.shape[2:] == (3,)
    assert max(frame.shape) == 304
    assert np.unique(frame.reshape(-1, 3), axis=0).shape[0] > 10


@pytest.mark.parametrize(
    ("name", "params"),
    [("pizza_order", {"max_pizzas": 9}), ("goat_race", first_variant("goat_race"))],
)
def test_sizes_depend_only_on_parameters(name, params, random_positions):
    game = boardenvs.make(name, **params)
    states = random_positions(game, 4, seed=4)[::7]
    assert len({game.picture(state).partition(" role=")[0] for state in states}) == 1


class Diary(type(boardenvs.make("game112"))):
    """The 112 game with a text picture that grows during the game, as in user-defined games."""

    __module__ = "boardenvs.game112"  # module of its rules

    def picture(self, state):
        return text_picture("a line of it\n" * (1 + int(state["ply"])), "diary")


def test_a_growing_picture_is_scaled_into_the_first_frame():
    game = Diary()
    states = played(game).states()
    frames = [game.rgb_array(state, 128) for state in states]
    assert len({frame.shape for frame in frames}) == 1
    assert all((frame[:, 0] == PAPER_RGB).all() for frame in frames)
    # More lines make smaller letters, so that all lines fit.
    widths = [np.ptp(np.flatnonzero((frame < 128).all(2).any(0))) for frame in frames]
    assert widths[0] > 1.5 * widths[-1]


def test_a_picture_shows_itself_in_a_notebook(game):
    formatters = pytest.importorskip("IPython.core.formatters", reason="needs IPython")
    picture = game.picture(game.new(1, 0)[0])
    shown, _ = formatters.DisplayFormatter().format(picture)
    assert shown["image/svg+xml"] == picture
    assert picture._repr_svg_() == picture
    assert type(picture._repr_svg_()) is str


# -- Environments and recorders ----------------------------------------------------------


@pytest.fixture
def env(name):
    """Yield the Gymnasium environment with small frames."""
    env = gymnasium.make(env_id(name), render_mode="rgb_array", render_size=160)
    yield env
    env.close()


def step_legally(env, rng, info):
    """Play a random legal action; return whether the game is over, and the new info."""
    action = rng.choice(np.flatnonzero(info["action_mask"]))
    _, _, terminated, truncated, info = env.step(action)
    return terminated or truncated, info


def test_frames_of_environments_agree_with_the_game(name, env):
    game = boardenvs.make(name)
    _, info = env.reset(seed=3)
    step_legally(env, np.random.default_rng(0), info)
    frame = env.render()
    np.testing.assert_array_equal(frame, game.rgb_array(env.unwrapped.position, 160))
    aec = getattr(boardenvs, f"{name}_v0").env(render_mode="rgb_array", render_size=160)
    aec.reset(
        options={"state": env.unwrapped.position}
        if not env.unwrapped.position["terminated"]
        else None
    )
    np.testing.assert_array_equal(aec.render(), game.rgb_array(aec.position, 160))


def test_gymnasium_checks_the_pixels(env):
    check_env(env.unwrapped)


def test_the_default_size_is_that_of_the_game(name):
    env = gymnasium.make(env_id(name), render_mode="rgb_array")
    env.reset(seed=0)
    game = boardenvs.make(name)
    assert env.render().shape == game.rgb_array(game.new(1, 0)[0]).shape
    assert max(env.render().shape) == 640


def frames_of(path, shape):
    """Return the frames in a video file, shape (N, *shape)."""
    ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="needs moviepy").get_ffmpeg_exe()
    command = [ffmpeg, "-loglevel", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    video = subprocess.run(command, capture_output=True, check=True)
    return np.frombuffer(video.stdout, np.uint8).reshape(-1, *shape)


@on_two_games
def test_record_video_works_with_single_environments(name, env, tmp_path):
    pytest.importorskip("moviepy", reason="RecordVideo needs moviepy")
    recorder = RecordVideo(env, str(tmp_path / "videos"), disable_logger=True)
    _, info = recorder.reset(seed=1)
    shown, over = [env.render()], False
    rng = np.random.default_rng(0)
    while not over and len(shown) < 12:
        over, info = step_legally(recorder, rng, info)
        shown.append(env.render())
    recorder.close()
    (video,) = tmp_path.glob("videos/*.mp4")
    frames = frames_of(video, shown[0].shape)
    assert len(frames) == len(shown)
    # Videos are lossy, but each frame is closest to its own position.
    apart = np.abs(frames[:, None].astype(int) - np.array(shown)).mean((2, 3, 4))
    assert apart.argmin(1).tolist() == list(range(len(shown)))
    assert apart.diagonal().max() < 12


def test_record_video_works_with_vectors(tmp_path):
    pytest.importorskip("moviepy", reason="RecordVideo needs moviepy")
    envs = gymnasium.make_vec(
        env_id("game112"),
        num_envs=4,
        vectorization_mode="vector_entry_point",
        render_mode="rgb_array",
        render_size=160,
        autoreset_mode="NextStep",  # otherwise the recorder warns about missing final frames
    )
    envs.reset(seed=1)
    frames = envs.render()
    assert isinstance(frames, tuple)
    game = boardenvs.make("game112")
    for frame, state in zip(frames, envs.unwrapped.positions, strict=True):
        np.testing.assert_array_equal(frame, game.rgb_array(state, 160))
    recorder = vector_wrappers.RecordVideo(
        envs,
        str(tmp_path / "videos"),
        video_length=5,
        step_trigger=lambda step: step == 0,
        disable_logger=True,
    )
    recorder.reset(seed=1)
    for _ in range(6):
        recorder.step(envs.unwrapped.action_masks().argmax(1))
    recorder.close()
    (video,) = tmp_path.glob("videos/*.mp4")
    height, width, _ = frames[0].shape
    # Gymnasium arranges four games in two rows.
    recorded = frames_of(video, (2 * height, 2 * width, 3))
    assert len(recorded) == 6  # the start and five steps
    assert np.abs(recorded[0, :height, :width].astype(int) - frames[0]).mean() < 12


def test_save_video_works(tmp_path):
    pytest.importorskip("moviepy", reason="save_video needs moviepy")
    env = gymnasium.make(env_id("game112"), render_mode="rgb_array_list", render_size=160)
    _, info = env.reset(seed=1)
    rng, over, steps = np.random.default_rng(0), False, 0
    while not over:
        over, info = step_legally(env, rng, info)
        steps += 1
    frames = env.render()
    assert len(frames) == steps + 1
    folder = tmp_path / "videos"
    save_video(frames, str(folder), fps=env.metadata["render_fps"])
    (video,) = folder.glob("*.mp4")
    assert len(frames_of(video, frames[0].shape)) == len(frames)


def test_human_mode_shows_the_frames(monkeypatch, env):
    pygame = pytest.importorskip("pygame", reason="HumanRendering needs pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    window = HumanRendering(env)
    # A new dictionary leaves the metadata of the class unchanged.
    window.metadata = window.metadata | {"render_fps": 1000}
    window.reset(seed=1)
    # The first axis in pygame is the width.
    shown = np.moveaxis(pygame.surfarray.array3d(window.window), 0, 1)
    np.testing.assert_array_equal(shown, env.render())
    window.close()


# -- Animations --------------------------------------------------------------------------


def test_an_episode_is_saved_as_gif(game, tmp_path):
    episode = played(game, most=6)
    path = tmp_path / "game.gif"
    episode.save_gif(path, size=160, seconds=0.5)
    states = episode.states()
    # Viewers that show only one frame show the final position, not an empty board.
    frames = [game.rgb_array(state, 160).astype(int) for state in (states[-1], *states)]
    with Image.open(path) as image:
        shown = [
            (f.info["duration"], np.array(f.convert("RGB"))) for f in ImageSequence.Iterator(image)
        ]
        assert image.info["loop"] == 0
    assert [stay for stay, _ in shown] == [500] * (len(frames) - 1) + [1500]
    for (_, pixels), frame in zip(shown, frames, strict=True):
        assert pixels.shape == frame.shape
        apart = np.abs(pixels - frame)
        assert (apart == 0).all(2).mean() > 0.95  # areas are exact, without dithering
        assert apart.max() < 100  # edges use a similar colour
    assert [p.name for p in tmp_path.iterdir()] == ["game.gif"]


def test_the_same_game_is_the_same_gif(tmp_path):
    game = boardenvs.make("game112")
    for name in ("a.gif", "b.gif"):
        played(game).save_gif(tmp_path / name, size=64)
    assert (tmp_path / "a.gif").read_bytes() == (tmp_path / "b.gif").read_bytes()


def test_more_than_256_colours_are_reduced():
    rng = np.random.default_rng(0)
    frame = np.zeros((64, 64, 3), np.uint8)
    frame[:32] = rng.integers(100, 256, (32, 64, 3))
    frame[32:] = 7, 8, 9
    with Image.open(io.BytesIO(gif(2, [frame, frame[::-1]].__getitem__, 1.0))) as image:
        first = np.array(image.convert("RGB")).astype(int)
        image.seek(1)
        second = np.array(image.convert("RGB")).astype(int)
    np.testing.assert_array_equal(first[::-1], second)
    assert (first[32:] == (7, 8, 9)).all()
    apart = ((first[:32].reshape(-1, 1, 3) - frame[:32].reshape(1, -1, 3).astype(int)) ** 2).sum(2)
    assert apart.min(1).max() == 0  # colours of the picture, not mixed


@pytest.mark.parametrize("seconds", [0, 0.01, 61, -1, float("nan"), "1", None, True])
def test_bad_durations_are_refused(tmp_path, seconds):
    episode = played(boardenvs.make("game112"))
    with pytest.raises(ValueError, match=r"^seconds "):
        episode.save_gif(tmp_path / "x.gif", seconds=seconds)
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_gif_is_refused(tmp_path):
    with pytest.raises(OSError, match=r"x\.gif"):
        played(boardenvs.make("game112")).save_gif(tmp_path / "no" / "x.gif", size=64)


def test_a_long_game_keeps_its_colours_to_the_end():
    # There are more frames than the palette is chosen from. Red appears only at the end.
    frames = np.full((40, 64, 64, 3), 250, np.uint8)
    for k, frame in enumerate(frames):
        frame[:32, k : k + 8] = k, 2 * k, 0
    frames[-1, 40:48] = 200, 0, 0
    with Image.open(io.BytesIO(gif(40, lambda k: frames[k], 0.1))) as image:
        shown = [np.array(frame.convert("RGB")) for frame in ImageSequence.Iterator(image)]
    assert len(shown) == 40
    apart = np.abs(np.array(shown, int) - frames)
    assert apart[[0, -1]].max() == 0
    assert apart.max() <= 4  # the closest frame that the palette was chosen from
