// Playing on: moves by a click on the board, from the list or typed; undo, hint, a new game.
const [turnLine, problem, choice, typed, entry, legal, choices] =
  ["turn", "problem", "choice", "typed", "entry", "legal", "choices"]
    .map((id) => document.getElementById(id));
let busy = false;
let hint = null;

// Ask the program that served this page; null where it refuses, which the page then says.
async function ask(order) {
  busy = true;
  problem.textContent = "";
  showTurn();
  try {
    const answer = await fetch("act", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...order, positions: texts.length }),
    });
    const told = await answer.json();
    if (answer.status === 409) location.reload(); // the game went on in another window
    if (answer.ok) return told;
    problem.textContent = told.problem;
  } catch {
    problem.textContent = "The program behind this page has stopped.";
  } finally {
    busy = false;
  }
  showTurn();
  return null;
}

// Take over what has changed, and let the agents move until it is the person's turn.
async function goOn(news) {
  while (news) {
    texts.splice(news.keep, Infinity, ...news.texts);
    pictures.splice(news.keep, Infinity, ...news.pictures);
    moves.splice(Math.max(0, news.keep - 1), Infinity, ...news.moves);
    Object.assign(episode, {
      players: news.players, result: news.result, analysis: news.analysis, turn: news.turn });
    hint = null;
    listPlayers();
    listMoves();
    pick(end());
    const { mine, over } = episode.turn;
    if (mine && matchMedia("(hover: hover)").matches) entry.focus({ preventScroll: true });
    news = mine || over ? null : await ask({ do: "advance" });
  }
}

async function order(what) {
  if (!busy) await goOn(await ask(what));
}

function playMove(move) {
  entry.value = "";
  order({ do: "move", move });
}

function moveButtons(actions) {
  return actions.map(({ text }) => {
    const button = make("button", "", text);
    button.type = "button";
    button.disabled = busy;
    button.addEventListener("click", () => playMove(text));
    return button;
  });
}

// One place of the picture may stand for several moves: these are then to choose from.
function markSpots() {
  const spots = new Map();
  for (const action of episode.turn.legal) {
    if (!action.area) continue;
    const key = action.area.join();
    spots.set(key, [...(spots.get(key) ?? []), action]);
  }
  for (const actions of spots.values()) {
    const [x, y, width, height] = actions[0].area;
    const spot = svgElement("rect", { class: "spot", x, y, width, height, rx: 4 });
    spot.append(svgElement("title", {}, actions.map(({ text }) => text).join(" or ")));
    spot.addEventListener("click", () => {
      if (actions.length === 1) {
        playMove(actions[0].text);
      } else {
        choice.replaceChildren(...moveButtons(actions));
        choice.hidden = false;
        choice.firstChild.focus();
      }
    });
    picture.firstElementChild.append(spot);
  }
}

function showHint() {
  turnLine.textContent += ` Hint: ${hint.hint}`;
  if (hint.area) {
    const [x, y, width, height] = hint.area;
    picture.firstElementChild.append(
      svgElement("rect", { class: "hinted", x: x + 2, y: y + 2, width: width - 4, height: height - 4, rx: 4 }));
  }
  if (hint.thought) {
    section.hidden = false;
    document.getElementById("judged").hidden = true;
    bars.hidden = false;
    describe(hint.thought, "The hint");
  }
}

function showTurn() {
  const { mine, over, player, undo, legal: actions } = episode.turn;
  const here = now === end();
  turnLine.className = busy ? "waiting" : "";
  if (over) turnLine.textContent = "The game is over.";
  else if (mine) turnLine.textContent = busy ? "…" : "Your turn.";
  else turnLine.textContent = busy ? `${player} is thinking …` : `${player} is to move.`;
  if (mine && !here) turnLine.textContent += " You are looking at an earlier position.";
  choice.hidden = true;
  typed.hidden = legal.hidden = !mine;
  legal.querySelector("summary").textContent =
    actions.length === 1 ? "The only move" : `All ${actions.length} moves`;
  choices.replaceChildren(...moveButtons(actions));
  document.getElementById("send").disabled = busy;
  document.getElementById("undo").disabled = busy || !undo;
  document.getElementById("hint").disabled = busy || !mine;
  document.getElementById("restart").disabled = busy;
  picture.querySelectorAll(".spot, .hinted").forEach((spot) => spot.remove());
  if (mine && here && !busy) markSpots();
  if (hint && mine && here && !busy) showHint();
}

typed.addEventListener("submit", (event) => {
  event.preventDefault();
  if (entry.value.trim()) playMove(entry.value);
});
document.getElementById("undo").addEventListener("click", () => order({ do: "undo" }));
document.getElementById("restart").addEventListener("click", () => order({ do: "restart" }));
document.getElementById("hint").addEventListener("click", async () => {
  if (busy) return;
  const told = await ask({ do: "hint" });
  if (told) hint = told;
  show(end());
});
onShow.push(showTurn);
show(end());
if (!episode.turn.mine && !episode.turn.over) order({ do: "advance" });
