// Draws a position, and animates its pieces from the picture before. The animation only depends on
// the two pictures.
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
const duration = 260; // milliseconds

const piecesOf = (drawing) => [...drawing.querySelectorAll(".piece")].map((drawn) => {
  const [x, y] = drawn.getAttribute("transform").match(/-?[\d.]+(e-?\d+)?/g).map(Number);
  return { drawn, x, y, kind: drawn.dataset.kind, was: drawn.dataset.was };
});

// Remove and return pairs of an old and a new piece, the nearest pairs first.
function pair(were, are, fits) {
  const found = [];
  const pairs = were.flatMap((one) => are.filter((other) => fits(one, other)).map((other) =>
    ({ one, other, far: Math.hypot(one.x - other.x, one.y - other.y) })));
  for (const { one, other, far } of pairs.sort((a, b) => a.far - b.far)) {
    if (!were.includes(one) || !are.includes(other)) continue;
    were.splice(were.indexOf(one), 1);
    are.splice(are.indexOf(other), 1);
    if (far > 0) found.push([one, other]);
  }
  return found;
}

const moved = ({ drawn }, frames) =>
  drawn.animate(frames, { duration, easing: "ease-out", composite: "replace" });
const at = ({ x, y }, size = 1, wide = size) => `translate(${x}px, ${y}px) scale(${wide}, ${size})`;

function animate(before, drawing) {
  const [were, are] = [piecesOf(before), piecesOf(drawing)];
  pair(were, are, (one, other) => one.kind === other.kind && one.x === other.x && one.y === other.y);
  for (const [from, to] of pair(were, are, (one, other) => one.kind === other.kind)) {
    moved(to, [{ transform: at(from) }, { transform: at(to) }]);
  }
  // Pieces that were face down turn over as they move.
  for (const [from, to] of pair(were, are, (one, other) => one.kind === other.was)) {
    moved(to, [
      { transform: at(from, 1, 0) }, { transform: at(to, 1.1, 1.1), offset: 0.7 }, { transform: at(to) }]);
  }
  for (const one of are) {
    moved(one, [{ transform: at(one, 0.3), opacity: 0 }, { transform: at(one) }]);
  }
  // Removed pieces fade out.
  for (const one of were) {
    drawing.append(one.drawn);
    one.drawn.setAttribute("aria-hidden", "true");
    one.drawn.style.pointerEvents = "none"; // clicks are for the elements below
    moved(one, [{ opacity: 1 }, { opacity: 0 }]).finished
      .catch(() => {}).then(() => one.drawn.remove());
  }
}

// Draw a position. `gently` animates the change from the current position.
function draw(code, gently) {
  const before = picture.firstElementChild;
  if (before && before.drawnFrom === code) return; // callers remove their own marks
  picture.innerHTML = code;
  const drawing = picture.firstElementChild;
  drawing.drawnFrom = code;
  const { width, height } = drawing.viewBox.baseVal;
  picture.style.setProperty("--ratio", width / height);
  if (before && gently && !reducedMotion.matches) animate(before, drawing);
}
