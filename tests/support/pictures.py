"""SVG pictures as element trees, for tests that measure them."""

import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
PLACES = {"circle": ("cx", "cy"), "ellipse": ("cx", "cy"), "rect": ("x", "y"), "text": ("x", "y")}


def tree(picture):
    """Return a picture's tree with each element at its visible position.

    Groups draw their elements around 0, 0 and move them. A path gets its position as attribute
    `at`.
    """
    root = ET.fromstring(picture)
    for piece in root.iter(SVG + "g"):
        move = piece.get("transform").removeprefix("translate(").removesuffix(")").split()
        for shape in piece:
            tag = shape.tag.removeprefix(SVG)
            if tag == "path":
                shape.set("at", " ".join(move))
            else:
                for key, by in zip(PLACES[tag], move, strict=True):
                    shape.set(key, f"{float(shape.get(key, 0)) + float(by):g}")
    return root
