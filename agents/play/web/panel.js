// The game in progress: requests to the server, and messages to the player.
const [turnLine, problem, choice, typed, entry, legal, choices, over, elsewhere] =
  ["turn", "problem", "choice", "typed", "entry", "legal", "choices", "over", "elsewhere"]
    .map((id) => document.getElementById(id));
const slow = 4000; // milliseconds after which the page explains a delay
let busy = false;
let preparing = episode.preparing; // whether the server is making the next game
let patience = null;

// Send a request to the server. Return its answer and the status, or null if the server has ended.
async function send(path, body) {
  try {
    const answer = await fetch(path, {
      method: "POST", headers: { "Content-Type": "application/json" }, body });
    return { status: answer.status, ...(await answer.json()) };
  } catch {
    return null;
  }
}

const sendOrder = (order) =>
  send("act", JSON.stringify({ ...order, version: episode.version }));

// Send an order to the server. Return its answer, or show the error and return null.
async function ask(order, sending = sendOrder) {
  busy = true;
  problem.textContent = "";
  showTurn();
  patience = setTimeout(showSlow, slow);
  const reply = await sending(order);
  clearTimeout(patience);
  busy = false;
  if (reply?.status === 200) {
    episode.version = reply.version ?? episode.version;
    return reply;
  }
  showProblem(reply);
  showTurn();
  return null;
}

function showProblem(reply) {
  if (reply?.status === 409) location.reload(); // another window changed the game
  problem.textContent = reply ? reply.problem : "The program behind this page has stopped.";
}

function showSlow() {
  turnLine.textContent += " The first time this can take a minute, while the rules are prepared.";
}

// Apply changes to the game, and let the agents move until it is the player's turn.
async function applyChanges(news) {
  while (news) {
    texts.splice(news.keep, Infinity, ...news.texts);
    pictures.splice(news.keep, Infinity, ...news.pictures);
    moves.splice(Math.max(0, news.keep - 1), Infinity, ...news.moves);
    Object.assign(episode, {
      players: news.players, result: news.result, analysis: news.analysis, turn: news.turn });
    forgetAdvice(news.keep);
    listPlayers();
    listMoves();
    pick(end());
    const { mine, over: ended } = episode.turn;
    if (ended) document.getElementById("again").focus({ preventScroll: true });
    news = mine || ended ? null : await ask({ do: "advance" });
  }
}

async function order(what) {
  if (!busy && !preparing) await applyChanges(await ask(what));
}

function playMove(move) {
  entry.value = "";
  order({ do: "move", move });
}

function moveButtons(actions) {
  return actions.map(({ text: move }) => {
    const button = make("button", "", move);
    button.type = "button";
    button.disabled = busy || preparing;
    button.dataset.move = move;
    button.addEventListener("click", () => playMove(move));
    return button;
  });
}

function describeTurn() {
  const { mine, over: ended, player, asks } = episode.turn;
  if (preparing) return "The next game is being prepared …";
  if (ended) return episode.result;
  if (!mine) return busy ? `${player} is thinking …` : `${player} is to move.`;
  if (busy) return "…";
  const asked = asks ? `Your turn: ${asks}.` : "Your turn.";
  return now === end() ? asked : "Your turn. You are looking at an earlier position.";
}

function showTurn() {
  const { mine, over: ended, undo, legal: actions } = episode.turn;
  const idle = !busy && !preparing;
  const here = now === end();
  const line = describeTurn();
  if (turnLine.textContent !== line) turnLine.textContent = line; // screen readers read every change
  turnLine.className = preparing || busy ? "waiting" : ended ? "over" : "";
  choice.hidden = true;
  over.hidden = !ended || !idle;
  typed.hidden = legal.hidden = !mine;
  legal.querySelector("summary").textContent =
    actions.length === 1 ? "The only move" : `All ${actions.length} moves`;
  choices.replaceChildren(...moveButtons(actions));
  const nowhere = actions.filter(({ area }) => !area);
  elsewhere.replaceChildren(...moveButtons(nowhere));
  elsewhere.hidden = !nowhere.length || !here;
  document.getElementById("send").disabled = !idle;
  document.getElementById("undo").disabled = !idle || !undo;
  document.getElementById("hint").disabled = !idle || !mine;
  document.getElementById("resign").disabled = !idle || ended;
  for (const id of ["begin", "open", "again", "swap"]) document.getElementById(id).disabled = !idle;
  picture.querySelectorAll(".spot, .hinted").forEach((spot) => spot.remove());
  if (mine && here && idle) markSpots();
  showAdvice();
}

typed.addEventListener("submit", (event) => {
  event.preventDefault();
  if (entry.value.trim()) playMove(entry.value);
});
document.getElementById("undo").addEventListener("click", () => order({ do: "undo" }));
