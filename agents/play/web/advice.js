// Hints, and the analysis of the position that is shown: on the board, on the buttons, in words.
const advise = document.getElementById("advise");
const ranked = 3; // moves that an analysis marks
const kept = "boardenvs advising";
const advice = new Map(); // by the number of the position; null where there is none
let advising = sessionStorage.getItem(kept) === "on";
let hinted = -1; // the position of which a hint was asked for
let asking = false;

function forgetAdvice(from) {
  for (const at of [...advice.keys()]) if (at >= from) advice.delete(at);
  hinted = -1;
}

// What is known of the position that is shown, if the person wants to know.
function adviceHere() {
  const known = advice.get(now);
  return known && (advising || hinted === now) ? known : null;
}

const overHere = () => episode.turn.ended && now === end();
const wanted = () => (advising || hinted === now) && !advice.has(now) && !overHere();

// One position after another, while the person goes on looking and playing.
async function askAdvice() {
  while (wanted() && !asking && !preparing) {
    asking = true;
    const at = now;
    const { version } = episode;
    const patience = setTimeout(() => hinted === now && wanted() && showSlow(), slow);
    const told = await sendOrder({ do: "analyse", at });
    clearTimeout(patience);
    asking = false;
    if (version !== episode.version) continue; // it may be of another game
    if (hinted === at && told?.status !== 200) sayProblem(told);
    if (told === null) return;
    advice.set(at, told.status === 200 ? told : null);
    if (now === at && !busy) {
      showTurn();
      showAnalysis();
    }
  }
}

// The moves to mark: of a hint the one, of an analysis the best, each with its share.
function advised({ hint, area, thought: told }) {
  if (!advising || !told) return [{ text: hint, area, chosen: true }];
  // What is hardly thought of is not good, and of equals none is better than another.
  const least = Math.max(0.05, told.actions[ranked]?.share ?? 0);
  const [first, others] = [true, false].map((wanted) =>
    told.actions.filter(({ chosen }) => chosen === wanted));
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

// What is told beside the board takes this first, then what the players thought.
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
  if (advice.get(hinted) === null) advice.delete(hinted); // asked again after a failure
  pick(hinted);
});
advise.addEventListener("click", () => {
  advising = !advising;
  sessionStorage.setItem(kept, advising ? "on" : "off");
  if (!advising) balance.hidden = true; // which stays as long as there may be more to show
  show(now);
});
