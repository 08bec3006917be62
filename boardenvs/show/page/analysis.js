// The players' analysis: a bar and a share on the board for each action, the expected result beside
// the board, and the curve of expected results.
const [section, thought, bars, expectedLine, answers, viewpoint, curve, legend, balance] =
  ["analysis", "thought", "bars", "line", "tries", "viewpoint", "curve", "legend", "balance"]
    .map((id) => document.getElementById(id));
const edges = { left: 30, right: 392, top: 8, bottom: 132 }; // frame of the curve
const dashes = ["", "5 3", "1.5 3", "8 3 2 3", "2 6"]; // lines of the seats

const kindWords = { visits: "how often it tried each move", probabilities: "how likely it plays each move" };

const percent = (share) => (share < 0.01 ? "<1%" : `${Math.round(100 * share)}%`);
const signed = (value) => (value > 0 ? "+" : "") + value.toFixed(2);

// Sources of the analysis of a position. The first result that is not null is used.
const thinkers = [(k) => episode.analysis?.[k] ?? null];

function thoughtAt(k) {
  for (const think of thinkers) {
    const found = think(k);
    if (found) return found;
  }
  return null;
}

function describe({ seat, kind, values, actions, more, proven, line, tries }, heading) {
  const value = values[seat];
  const expects = value === null ? "" : ` (expects ${signed(value)}${proven ? ", for certain" : ""})`;
  thought.textContent = `${heading}${expects}: ${tries ? "what it answered" : kindWords[kind]}`;
  expectedLine.hidden = !line;
  expectedLine.textContent = line ? `Line: ${line.join(", ")}` : "";
  answers.hidden = !tries;
  answers.replaceChildren(...(tries ?? []).flatMap(answered));
  bars.hidden = Boolean(tries);
  if (tries) return; // there are no weights of other moves
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

// One answer of a player that answers with text, its error, and the prompt.
function answered({ prompt, answer, error }, k, all) {
  const which = all.length > 1 ? `Answer ${k + 1} of ${all.length}` : "Its answer";
  const asked = document.createElement("details");
  asked.append(make("summary", "", "What it was asked"), verbatim(prompt, "What it was asked"));
  return [make("p", "", error ? `${which}, refused: ${error}` : which), verbatim(answer, which), asked];
}

function verbatim(content, label) {
  const made = make("pre", "", content || " ");
  Object.assign(made, { tabIndex: 0, role: "region", ariaLabel: label });
  return made;
}

// An arrow over the picture, from the centre of one area to the centre of another.
function arrow([x, y, width, height], [toX, toY, toWidth, toHeight], look) {
  const [begin, end] = [[x + width / 2, y + height / 2], [toX + toWidth / 2, toY + toHeight / 2]];
  const far = Math.hypot(end[0] - begin[0], end[1] - begin[1]);
  const point = (along, aside) => [0, 1].map((k) => {
    const [ahead, across] = [end[k] - begin[k], k ? end[0] - begin[0] : begin[1] - end[1]];
    return +(begin[k] + (along * ahead + aside * across) / far).toFixed(2);
  }).join(" ");
  const [neck, barb] = [far - 14, 10];
  const d = `M${point(0, 3)}L${point(neck, 3)} ${point(neck, barb)} ${point(far, 0)} `
    + `${point(neck, -barb)} ${point(neck, -3)} ${point(0, -3)}z`;
  return svgElement("path", { class: `share arrow ${look}`, d, "pointer-events": "none" });
}

// Draw the shares of actions with an area in the picture, and arrows to their targets.
function markShares({ actions }) {
  const places = new Map();
  for (const { area, target, share, chosen } of actions) {
    if (target && (chosen || share >= 0.1)) {
      picture.firstElementChild.append(arrow(area, target, chosen ? "best" : ""));
    }
  }
  for (const { area, share, chosen } of actions) {
    if (!area) continue;
    const key = area.join();
    const known = places.get(key) ?? { area, share: 0, chosen: false };
    places.set(key, { area, share: known.share + share, chosen: known.chosen || chosen });
  }
  for (const { area: [x, y, width, height], share, chosen } of places.values()) {
    // At the bottom of a cell, or at the end of a line.
    const middle = width > 3 * height ? [x + width - 20, y + height / 2] : [x + width / 2, y + height - 10];
    const mark = svgElement("g", { class: "share", "pointer-events": "none" });
    mark.append(
      svgElement("rect", {
        x: middle[0] - 17, y: middle[1] - 8, width: 34, height: 16, rx: 8,
        fill: chosen ? "#1a7f37" : "#4a4a4a", "fill-opacity": 0.8 + share / 5 }),
      svgElement("text", {
        x: middle[0], y: middle[1] + 4.3, "text-anchor": "middle", "font-size": 12,
        "font-weight": "bold", fill: "#ffffff" }, percent(share)));
    picture.firstElementChild.append(mark);
  }
}

// Each seat's part of the bar beside the board, from 0 for a certain loss to 1 for a certain win, or
// null without a value.
function partsOf(values) {
  const seats = values.length;
  return values.map((value) => {
    if (value === null) return null;
    const part = seats === 1 ? (value + 1) / 2 : ((seats - 1) * value + 1) / seats;
    return Math.max(0, Math.min(1, part));
  });
}

// The result or the expected result of the current position.
function valuesAt(k) {
  const results = episode.players.map((player) => player.result);
  if (k === end() && results.every(Boolean)) return results.map(Number);
  return thoughtAt(k)?.values ?? null;
}

function drawBalance() {
  const values = valuesAt(now);
  if (balance.hidden && !episode.analysis && section.hidden) return;
  balance.hidden = false; // stays visible, so that the board does not jump
  const parts = values ? partsOf(values) : [];
  const rest = 1 - parts.reduce((sum, part) => sum + (part ?? 0), 0); // without values
  const drawn = [rest, ...parts].map((part, k) => {
    const one = make("div", "part");
    one.style.flexGrow = Math.max(part ?? 0, 0);
    one.style.background = episode.players[k - 1]?.color ?? "";
    one.style.order = k === (episode.seat ?? 0) + 1 ? 1 : 0; // the person's own part is the lowest
    return one;
  });
  // Elements are reused, so that they are animated from one position to the next.
  if (balance.children.length === drawn.length) {
    drawn.forEach(({ style }, k) => { balance.children[k].style.flexGrow = style.flexGrow; });
  } else {
    balance.replaceChildren(...drawn);
  }
  const said = (values ?? []).flatMap((value, seat) =>
    value === null ? [] : [`${episode.players[seat].name} ${signed(value)}`]);
  const what = now === end() && !thoughtAt(now) ? "Result" : "Expected result";
  balance.title = said.length ? `${what}: ${said.join(", ")}` : "No evaluation of this position";
  balance.setAttribute("aria-label", balance.title);
}

const across = (k) =>
  edges.left + (edges.right - edges.left) * (end() ? k / end() : 0.5);
const upward = (value) =>
  (edges.top + edges.bottom) / 2
  - Math.max(-1, Math.min(1, value)) * (edges.bottom - edges.top) / 2;

// The points of the results that one seat expected for the seat `looked`.
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
  picture.querySelectorAll(".share").forEach((mark) => mark.remove());
  const one = thoughtAt(now);
  section.hidden = !episode.analysis && !one;
  drawBalance();
  if (section.hidden) return;
  document.getElementById("judged").hidden = !episode.analysis;
  for (const part of [bars, expectedLine, answers]) part.hidden = true;
  if (one) {
    const heading = one.heading ?? `${episode.players[one.seat].name} before move ${moves[now].ply}`;
    describe(one, heading);
    if (!one.tries) markShares(one);
  } else {
    thought.textContent = now < end() ? `No analysis of move ${moves[now].ply}` : "The end";
  }
  if (episode.analysis) drawCurve();
}

curve.addEventListener("click", (event) => {
  const { left, width } = curve.getBoundingClientRect();
  const x = (event.clientX - left) / width * 400;
  pick(Math.round((x - edges.left) / (edges.right - edges.left) * end()));
});
viewpoint.addEventListener("change", drawCurve);
viewpoint.append(...episode.players.map((player, seat) => new Option(player.name, seat)));
onShow.push(showAnalysis);

