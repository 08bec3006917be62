// Hints and analysis of the shown position: on the board, on the buttons and as text.
const advise = document.getElementById("advise");
const ranked = 3; // number of moves that an analysis marks
const storageKey = "boardenvs advising";
const advice = new Map(); // analysis by the index of the position; null after a failure
let advising = sessionStorage.getItem(storageKey) === "on";
let hinted = -1; // index of the position for which the player requested a hint
let asking = false;

function forgetAdvice(from) {
  for (const at of [...advice.keys()]) if (at >= from) advice.delete(at);
  hinted = -1;
}

// Return the analysis of the shown position if the player requested it, otherwise null.
function adviceHere() {
  const known = advice.get(now);
  return known && (advising || hinted === now) ? known : null;
}

const atGameEnd = () => episode.turn.ended && now === end();
const wanted = () => (advising || hinted === now) && !advice.has(now) && !atGameEnd();

// Request missing analyses, one at a time. The player can go on in the meantime.
async function askAdvice() {
  while (wanted() && !asking && !preparing) {
    asking = true;
    const at = now;
    const { version } = episode;
    const patience = setTimeout(() => hinted === now && wanted() && showSlow(), slow);
    const reply = await sendOrder({ do: "analyse", at });
    clearTimeout(patience);
    asking = false;
    if (version !== episode.version) continue; // the answer may belong to another game
    if (hinted === at && reply?.status !== 200) showProblem(reply);
    if (reply === null) return;
    advice.set(at, reply.status === 200 ? reply : null);
    if (now === at && !busy) {
      showTurn();
      showAnalysis();
    }
  }
}

// Return the moves to mark: the move of a hint, or the best moves of an analysis and their shares.
function advised({ hint, area, thought: analysis }) {
  if (!advising || !analysis) return [{ text: hint, area, chosen: true }];
  // Leave out moves with small shares, and moves with the same share as the first one left out.
  const least = Math.max(0.05, analysis.actions[ranked]?.share ?? 0);
  const [first, others] = [true, false].map((best) =>
    analysis.actions.filter(({ chosen }) => chosen === best));
  return [...first, ...others.filter(({ share }) => share > least)].slice(0, ranked);
}

function markButtons() {
  const known = now === end() ? adviceHere() : null;
  const marked = new Map((known ? advised(known) : []).map((one) => [one.text, one]));
  document.querySelectorAll("#panel button[data-move]").forEach((button) => {
    const one = marked.get(button.dataset.move);
    button.className = one?.chosen ? "advised" : "";
    button.replaceChildren(button.dataset.move);
    if (one?.share !== undefined) button.append(make("span", "share", percent(one.share)));
    if (one?.chosen) button.append(make("span", "unseen", " (best)"));
  });
}

function markBoard(known) {
  for (const { area, chosen } of advised(known)) {
    if (!area) continue;
    const [x, y, width, height] = area;
    picture.firstElementChild.append(svgElement("rect", {
      class: chosen ? "hinted" : "hinted other",
      x: x + 2, y: y + 2, width: width - 4, height: height - 4, rx: 4 }));
  }
}

function showAdvice() {
  advise.setAttribute("aria-pressed", advising);
  const known = adviceHere();
  markButtons();
  if (known) markBoard(known);
  if (now === end() && hinted === now) {
    if (known) turnLine.textContent += ` Hint: ${known.hint}`;
    else if (wanted()) turnLine.textContent += " Looking for a hint …";
  }
  askAdvice();
}

// The panel prefers this analysis to that of the players.
thinkers.unshift((k) => {
  const known = adviceHere();
  if (!known?.thought || k !== now) return null;
  return { ...known.thought, heading: known.by };
});

// The result of a running analysis is the hint, so that the player does not wait twice.
document.getElementById("hint").addEventListener("click", () => {
  if (busy || preparing || !episode.turn.mine) return;
  problem.textContent = "";
  hinted = end();
  if (advice.get(hinted) === null) advice.delete(hinted); // retry after a failure
  pick(hinted);
});
advise.addEventListener("click", () => {
  advising = !advising;
  sessionStorage.setItem(storageKey, advising ? "on" : "off");
  if (!advising) balance.hidden = true; // otherwise the bar would stay visible
  show(now);
});
