"use strict";
// Steps through the positions of a game: picture, text, slider, moves, keys.
const episode = JSON.parse(document.getElementById("episode").textContent);
const [picture, text, slider, status, remark, result, list, play] =
  ["picture", "text", "slider", "status", "remark", "result", "moves", "play"]
    .map((id) => document.getElementById(id));
// A position is stored as the indices of its lines.
const unpacked = ({ lines, frames }) => frames.map((frame) => frame.map((i) => lines[i]).join("\n"));
const texts = unpacked(episode.texts);
const pictures = unpacked(episode.pictures);
const { moves } = episode;
const remarkOn = (k) => episode.remarks?.[k] ?? ""; // remark on a move, 0 for the start
const onShow = []; // functions to call after a position is drawn
const ways = [ // scroll directions of the list of moves
  ["scrollTop", "offsetTop", "offsetHeight", "clientHeight"],
  ["scrollLeft", "offsetLeft", "offsetWidth", "clientWidth"],
];
let now = 0;
let timer = null;

const end = () => moves.length;

function make(tag, className, content = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = content;
  return made;
}

function svgElement(tag, attributes, content = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = content;
  return made;
}

function show(k) {
  const before = now;
  now = Math.min(Math.max(k, 0), end());
  draw(pictures[now], Math.abs(now - before) === 1);
  text.textContent = texts[now];
  const move = moves[now - 1];
  status.textContent = move ? `${move.ply}. ${move.player}: ${move.text}` : "Start";
  remark.textContent = remarkOn(now);
  remark.hidden = !remarkOn(now);
  result.textContent = now === end() ? episode.result : "";
  slider.value = now;
  slider.setAttribute("aria-valuetext", `${status.textContent}. ${remarkOn(now)}`.replace(/\. $/, ""));
  for (const to of ["first", "previous"]) control(to).disabled = now === 0;
  for (const to of ["next", "last"]) control(to).disabled = now === end();
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const current = list.children[now].firstChild;
  current.setAttribute("aria-current", "step");
  // Scroll only the list. scrollIntoView would also scroll the page.
  for (const [scroll, offset, length, room] of ways) {
    const before = current[offset] - list[scroll];
    if (before < 0) list[scroll] += before;
    const after = before + current[length] - list[room];
    if (after > 0) list[scroll] += after;
  }
  for (const also of onShow) also();
}

function setPlaying(on) {
  clearInterval(timer);
  timer = on ? setInterval(() => (now < end() ? show(now + 1) : setPlaying(false)), 800) : null;
  play.setAttribute("aria-label", on ? "Pause" : "Play");
  play.querySelector("path").setAttribute(
    "d", on ? "M3 2h4v12H3zM9 2h4v12H9z" : "M3 1.5v13L14 8z");
  status.setAttribute("aria-live", on ? "off" : "polite");
}

// Pause at the position that the user selects.
function pick(k) {
  setPlaying(false);
  show(k);
}

// A player's piece, or the name of the seat in games without pieces for each seat.
function symbolOf({ symbol, seat }) {
  if (!symbol) return make("span", "seat", seat);
  const drawing = svgElement("svg", { class: "symbol", viewBox: "0 0 24 24", role: "img" });
  drawing.innerHTML = symbol;
  drawing.setAttribute("aria-label", seat);
  return drawing;
}

function listPlayers() {
  const items = episode.players.map((player) => {
    const item = document.createElement("li");
    if (player.seat) item.append(symbolOf(player));
    item.append(make("span", "name", player.name));
    const won = Number(player.result);
    if (player.result && player.seat) {
      item.append(make("b", "", won > 0 ? "won" : won < 0 ? "lost" : "drawn"));
    }
    return item;
  });
  document.getElementById("players").replaceChildren(...items);
}

// Update the list and the slider for the moves.
function listMoves() {
  while (list.children.length > end() + 1) list.lastChild.remove();
  for (let k = list.children.length; k <= end(); k++) {
    const move = moves[k - 1];
    const button = document.createElement("button");
    button.append(
      make("span", "number", move ? `${move.ply}.` : ""),
      make("span", "move", move ? move.text : "Start"));
    if (remarkOn(k)) {
      // The mark is visible. Screen readers and the tooltip have the remark.
      const mark = make("span", "mark", "!");
      mark.setAttribute("aria-hidden", "true");
      button.append(mark, make("span", "unseen", ` ${remarkOn(k)} `));
      button.title = remarkOn(k);
    }
    button.append(make("span", "name", move ? move.player : ""));
    button.addEventListener("click", () => pick(k));
    const item = document.createElement("li");
    item.append(button);
    list.append(item);
  }
  slider.max = end();
  play.disabled = end() === 0;
}

const steps = { first: () => 0, previous: () => now - 1, next: () => now + 1, last: end };
const control = (to) => document.querySelector(`#controls [data-to="${to}"]`);
for (const [to, target] of Object.entries(steps)) {
  control(to).addEventListener("click", () => pick(target()));
}
play.addEventListener("click", () => {
  if (timer === null && now === end()) show(0);
  setPlaying(timer === null);
});
slider.addEventListener("input", () => pick(Number(slider.value)));
const keys = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" };
document.addEventListener("keydown", (event) => {
  const taken = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
  // Input elements use these keys themselves.
  if (taken || event.target.matches("input, select, textarea") || event.target.closest("dialog")) {
    return;
  }
  if (event.key in keys) {
    event.preventDefault();
    pick(steps[keys[event.key]]());
  } else if (event.key === "t") {
    written.open = !written.open;
  }
});
// "?" needs the shift key on most keyboards.
document.addEventListener("keydown", (event) => {
  if (event.key === "?" && !event.target.matches("input, select, textarea")) showRules();
});

const written = document.getElementById("written");
const rules = document.getElementById("rules");
const showRules = () => rules.open || rules.showModal();
document.getElementById("rules-button").addEventListener("click", showRules);
rules.addEventListener("click", (event) => {
  if (event.target === rules) rules.close(); // a click beside the dialog
});

function start() {
  listPlayers();
  listMoves();
  setPlaying(false);
  show(0);
}

