// Moves on the board by mouse, touch or keyboard. If an area of the picture belongs to several moves,
// the player chooses one of them.
const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
let lastSpot = null; // centre of the spot that last had the focus

const middleOf = (spot) => {
  const [x, y, width, height] = ["x", "y", "width", "height"].map((key) => +spot.getAttribute(key));
  return [x + width / 2, y + height / 2];
};
const spotsShown = () => [...picture.querySelectorAll(".spot")];
const nearest = (spots, cost) =>
  spots.reduce((best, spot) => (!best || cost(spot) < cost(best) ? spot : best), null);
const farFrom = ([x, y]) => (spot) => Math.hypot(middleOf(spot)[0] - x, middleOf(spot)[1] - y);

function setTabStop(spot) {
  for (const one of spotsShown()) one.setAttribute("tabindex", one === spot ? 0 : -1);
}

// Return the next spot in a direction. Distances across the direction count twice.
function spotBeside(spot, [dx, dy]) {
  const [x, y] = middleOf(spot);
  const ahead = (one) => (middleOf(one)[0] - x) * dx + (middleOf(one)[1] - y) * dy;
  const aside = (one) => Math.abs((middleOf(one)[0] - x) * dy) + Math.abs((middleOf(one)[1] - y) * dx);
  return nearest(spotsShown().filter((one) => ahead(one) > 1), (one) => ahead(one) + 2 * aside(one));
}

function playSpot(actions) {
  if (actions.length === 1) {
    playMove(actions[0].text);
    return;
  }
  choice.replaceChildren(...moveButtons(actions));
  choice.hidden = false;
  markButtons();
  choice.firstChild.focus();
}

function markSpots() {
  const spots = new Map();
  for (const action of episode.turn.legal) {
    if (!action.area) continue;
    const key = action.area.join();
    spots.set(key, [...(spots.get(key) ?? []), action]);
  }
  const drawing = picture.firstElementChild;
  for (const actions of spots.values()) {
    const [x, y, width, height] = actions[0].area;
    const name = actions.map(({ text: move }) => move).join(" or ");
    const spot = svgElement("rect", {
      class: "spot", x, y, width, height, rx: 4, role: "button", tabindex: -1, "aria-label": name });
    spot.append(svgElement("title", {}, name));
    spot.addEventListener("click", () => playSpot(actions));
    drawing.append(spot);
  }
  if (!spots.size) return;
  drawing.setAttribute("role", "group"); // the elements of an image get no focus
  const first = lastSpot ? nearest(spotsShown(), farFrom(lastSpot)) : spotsShown()[0];
  setTabStop(first);
  if (lastSpot && document.activeElement === document.body) first.focus({ preventScroll: true });
}

picture.addEventListener("keydown", (event) => {
  const spot = event.target.closest(".spot");
  if (!spot || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    spot.dispatchEvent(new MouseEvent("click"));
  } else if (event.key in directions) {
    event.preventDefault();
    event.stopPropagation(); // otherwise the arrow keys would change the position
    const beside = spotBeside(spot, directions[event.key]);
    if (beside) {
      setTabStop(beside);
      beside.focus();
    }
  }
});
document.addEventListener("focusin", ({ target }) => {
  const spot = target.closest?.(".spot");
  lastSpot = spot ? middleOf(spot) : null;
});
