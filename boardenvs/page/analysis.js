// What the players thought: a bar for each action that they weighed, its share on the board, and
// a curve of the results that they expected.
const [section, thought, bars, viewpoint, curve, legend] =
  ["analysis", "thought", "bars", "viewpoint", "curve", "legend"]
    .map((id) => document.getElementById(id));
const edges = { left: 30, right: 392, top: 8, bottom: 132 }; // of the curve's frame
const dashes = ["", "5 3", "1.5 3", "8 3 2 3", "2 6"]; // tell the seats' lines apart

const percent = (share) => (share < 0.01 ? "<1%" : `${Math.round(100 * share)}%`);
const signed = (value) => (value > 0 ? "+" : "") + value.toFixed(2);

function thoughtAt(k) {
  return episode.analysis ? episode.analysis[k] : null;
}

function describe({ seat, kind, values, actions, more }, heading) {
  const value = values[seat];
  thought.textContent =
    `${heading}${value === null ? "" : ` (expects ${signed(value)})`}: ${kind}`;
  const rows = actions.map((action) => {
    const row = make("tr", action.chosen ? "chosen" : "");
    const name = make("th", "", action.text);
    name.scope = "row";
    const bar = make("div", "bar");
    bar.style.width = `${100 * action.share}%`;
    const cell = document.createElement("td");
    cell.append(bar);
    row.append(name, cell);
    if (kind === "visits") row.append(make("td", "number", String(action.weight)));
    row.append(make("td", "number", percent(action.share)));
    return row;
  });
  if (more > 0) {
    const row = make("tr", "quiet");
    const cell = make("td", "", `and ${more} more`);
    cell.colSpan = 4;
    row.append(cell);
    rows.push(row);
  }
  bars.replaceChildren(...rows);
}

// The shares of the actions that have a place in the picture, at that place.
function markShares({ actions }) {
  const places = new Map();
  for (const { area, share, chosen } of actions) {
    if (!area) continue;
    const key = area.join();
    const known = places.get(key) ?? { area, share: 0, chosen: false };
    places.set(key, { area, share: known.share + share, chosen: known.chosen || chosen });
  }
  for (const { area: [x, y, width, height], share, chosen } of places.values()) {
    const middle = [x + width / 2, y + height - 10];
    const mark = svgElement("g", { class: "share", "pointer-events": "none" });
    mark.append(
      svgElement("rect", {
        x: middle[0] - 17, y: middle[1] - 8, width: 34, height: 16, rx: 8,
        fill: chosen ? "#1c62c4" : "#4a4a4a", "fill-opacity": 0.8 + share / 5 }),
      svgElement("text", {
        x: middle[0], y: middle[1] + 4.3, "text-anchor": "middle", "font-size": 12,
        "font-weight": "bold", fill: "#ffffff" }, percent(share)));
    picture.firstElementChild.append(mark);
  }
}

const across = (k) =>
  edges.left + (edges.right - edges.left) * (end() ? k / end() : 0.5);
const upward = (value) =>
  (edges.top + edges.bottom) / 2
  - Math.max(-1, Math.min(1, value)) * (edges.bottom - edges.top) / 2;

// The points of what one seat expected for the seat that is looked at.
function expected(seat, looked) {
  return episode.analysis.flatMap((one, k) =>
    one && one.seat === seat && one.values[looked] !== null
      ? [[across(k), upward(one.values[looked])]] : []);
}

function drawCurve() {
  const looked = Number(viewpoint.value);
  const { left, right, top, bottom } = edges;
  const parts = [
    svgElement("rect", { class: "frame", x: left, y: top, width: right - left, height: bottom - top }),
    svgElement("path", { class: "zero", d: `M${left} ${upward(0)}H${right}` }),
    ...[[1, "+1"], [0, "0"], [-1, "\u22121"]].map(([value, label]) =>
      svgElement("text", { x: left - 5, y: upward(value) + 4, "text-anchor": "end" }, label)),
    ...[0, end()].map((k) =>
      svgElement("text", { x: across(k), y: 147, "text-anchor": k ? "end" : "start" },
        k ? `ply ${moves[k - 1].ply}` : "start")),
  ];
  const drawn = [];
  episode.players.forEach((player, seat) => {
    const points = expected(seat, looked);
    if (!points.length) return;
    const line = { points: points.join(" "), "stroke-dasharray": dashes[seat % dashes.length] };
    parts.push(svgElement("polyline", line));
    for (const [cx, cy] of points) {
      parts.push(svgElement("circle", { class: seat % 2 ? "point hollow" : "point", cx, cy, r: 2 }));
    }
    const sample = svgElement("svg", { viewBox: "0 0 36 14", "aria-hidden": "true" });
    sample.append(svgElement("polyline", { ...line, points: "2,7 34,7" }));
    drawn.push(sample, ` as ${player.name} judges `);
  });
  parts.push(svgElement("path", { class: "now", d: `M${across(now)} ${top}V${bottom}` }));
  curve.replaceChildren(...parts);
  legend.replaceChildren(...drawn);
  const name = episode.players[looked].name;
  curve.setAttribute("aria-label", `Result expected for ${name}, from the first position to the last`);
}

function showAnalysis() {
  section.hidden = !episode.analysis;
  if (!episode.analysis) return;
  document.getElementById("judged").hidden = false;
  const one = thoughtAt(now);
  bars.hidden = !one;
  if (one) {
    describe(one, `${episode.players[one.seat].name} before move ${moves[now].ply}`);
    markShares(one);
  } else {
    thought.textContent = now < end() ? `No analysis of move ${moves[now].ply}` : "The end";
  }
  drawCurve();
}

curve.addEventListener("click", (event) => {
  const { left, width } = curve.getBoundingClientRect();
  const x = (event.clientX - left) / width * 400;
  pick(Math.round((x - edges.left) / (edges.right - edges.left) * end()));
});
viewpoint.addEventListener("change", drawCurve);
viewpoint.append(...episode.players.map((player, seat) => new Option(player.name, seat)));
onShow.push(showAnalysis);

