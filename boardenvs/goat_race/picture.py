from boardenvs.picture import svg


def board_picture(tops, **k):
    return svg(1, 1, "x", [])
