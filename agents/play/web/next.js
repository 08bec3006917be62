// Other games: chosen in a dialog, opened from a file, or from another seat. Also the keys.
const [next, against, does, seat, parameters, file] =
  ["next", "against", "does", "seat", "parameters", "file"].map((id) => document.getElementById(id));
const { choices: may } = episode;
const largest = 2 ** 22; // maximum size of a file in bytes
const picked = may.parameters.map(() => document.createElement("select"));

const same = (a, b) => a.length === b.length && a.every((value, k) => value === b[k]);
const valuesPicked = () => picked.map((select, k) => may.parameters[k].values[select.selectedIndex][0]);
const gamePicked = () => may.games.find(({ values }) => same(values, valuesPicked()));

const seatName = (name) => name.replace(/, moves first$/, "");
const specsPicked = () => [...against.querySelectorAll("select")].map((select) => select.value);

// List the opponents and seats of the selected game.
function listOpponents(specs, side) {
  const game = gamePicked();
  document.getElementById("start").disabled = !game;
  if (!game) {
    does.textContent = "This game cannot be played.";
    return;
  }
  const alone = game.seats.length === 1;
  seat.replaceChildren(...game.seats.map((name, k) => new Option(name, k)), new Option("by chance", -1));
  seat.value = side < game.seats.length ? side : 0;
  for (const part of [seat, document.querySelector("label[for=seat]")]) part.hidden = alone;
  const others = game.seats.map((_, k) => k).filter((k) => alone || k !== Math.max(0, Number(seat.value)));
  against.replaceChildren(...others.flatMap((other, k) => {
    const select = listOf(game, specs[Math.min(k, specs.length - 1)]);
    select.id = k ? `opponent-${k + 1}` : "opponent";
    const which = Number(seat.value) < 0 ? k + 1 : seatName(game.seats[other]);
    const named = make("label", "", alone ? "Hints come from" : others.length > 1 ? `Opponent, ${which}` : "Opponent");
    named.htmlFor = select.id;
    return [named, select];
  }));
  describeOpponent(against.querySelector("select"));
}

// Return the list of the opponents of a game.
function listOf(game, spec) {
  const names = game.opponents.map((one) => one.name);
  const select = document.createElement("select");
  select.append(...game.opponents.map(({ name, spec: own }) => {
    const alike = names.filter((other) => other === name).length > 1;
    return new Option(alike ? `${name} (${own.split(":")[1]})` : name, own);
  }));
  select.selectedIndex = Math.max(0, game.opponents.findIndex((one) => one.spec === spec));
  select.setAttribute("aria-describedby", "does");
  for (const event of ["change", "focus"]) select.addEventListener(event, () => describeOpponent(select));
  return select;
}

function describeOpponent(select) {
  const one = gamePicked().opponents[select.selectedIndex];
  const deed = one.does.charAt(0).toUpperCase() + one.does.slice(1);
  const last = Math.max(...gamePicked().opponents.map(({ place }) => place));
  const rank = one.place ? `number ${one.place} of ${last}, the last is the strongest`
    : "named where this program was started";
  does.textContent = deed ? `${deed}; ${rank}.` : `${rank.charAt(0).toUpperCase()}${rank.slice(1)}.`;
}

async function waitForGame() {
  preparing = true;
  showTurn();
  const began = Date.now();
  for (;;) {
    await new Promise((wake) => setTimeout(wake, 200));
    const reply = await sendOrder({ do: "ready" });
    if (reply?.status === 200 && reply.preparing) {
      if (Date.now() - began > slow && turnLine.textContent === describeTurn()) showSlow();
      continue;
    }
    if (reply?.status === 200 && !reply.problem) {
      location.reload();
      return;
    }
    preparing = false;
    showTurn();
    problem.textContent = reply ? reply.problem : "The program behind this page has stopped.";
    return;
  }
}

async function beginNext(order, sending) {
  if (busy || preparing) return;
  if (await ask(order, sending)) await waitForGame();
}

function newGame(values, opponents, side) {
  const seats = may.games.find((one) => same(one.values, values)).seats.length;
  const chosen = side < 0 ? Math.floor(Math.random() * seats) : side;
  beginNext({ do: "new", values, opponents, seat: chosen });
}

picked.forEach((select, k) => {
  const { label, values } = may.parameters[k];
  select.append(...values.map(([, name]) => new Option(name)));
  select.selectedIndex = values.findIndex(([value]) => value === may.values[k]);
  select.id = `parameter-${k}`;
  const named = make("label", "", label);
  named.htmlFor = select.id;
  parameters.append(named, select);
  select.addEventListener("change", () => listOpponents(specsPicked(), Number(seat.value)));
});
listOpponents(may.against, may.seat);
seat.addEventListener("change", () => listOpponents(specsPicked(), Number(seat.value)));
document.getElementById("begin").addEventListener("click", () => next.showModal());
document.getElementById("cancel").addEventListener("click", () => next.close());
document.getElementById("chosen").addEventListener("submit", (event) => {
  event.preventDefault();
  next.close();
  newGame(valuesPicked(), specsPicked(), Number(seat.value));
});

const sides = episode.players.length;
document.getElementById("again").addEventListener("click", () => order({ do: "restart" }));
document.getElementById("swap").hidden = sides < 2;
document.getElementById("swap").textContent = sides > 2 ? "Play the next side" : "Play the other side";
document.getElementById("swap").addEventListener("click", () =>
  newGame(may.values, may.against, (may.seat + 1) % sides));

// To resign takes two clicks, since it cannot be undone.
const resign = document.getElementById("resign");
let confirming = null;

function setConfirming(on) {
  clearTimeout(confirming);
  confirming = on ? setTimeout(() => setConfirming(false), 5000) : null;
  resign.textContent = on ? "Really resign?" : sides > 1 ? "Resign" : "Give up";
  resign.classList.toggle("sure", on);
}

setConfirming(false);
resign.addEventListener("blur", () => setConfirming(false));
resign.addEventListener("click", () => {
  const confirmed = confirming !== null;
  setConfirming(!confirmed);
  if (confirmed) order({ do: "resign" });
});

const save = document.getElementById("save");
save.download = "";
document.getElementById("open").addEventListener("click", () => file.click());
file.addEventListener("change", () => {
  const [given] = file.files;
  file.value = "";
  if (!given) return;
  if (given.size > largest) {
    problem.textContent = `${given.name} is too large for a saved game.`;
    return;
  }
  beginNext(given, (body) => send(`open?version=${episode.version}`, body));
});

const shortcuts = {
  u: "undo", h: "hint", a: "advise", r: "resign", n: "begin", s: "save", o: "open" };
document.addEventListener("keydown", (event) => {
  const taken = event.altKey || event.ctrlKey || event.metaKey || event.repeat;
  if (taken || next.open || event.target.matches("input, select")) return;
  const key = event.key.toLowerCase();
  if (key === "m" && !typed.hidden) {
    event.preventDefault();
    entry.focus();
  } else if (key in shortcuts) {
    event.preventDefault();
    const button = document.getElementById(shortcuts[key]);
    if (key === "r") button.focus();
    button.click();
  }
});
entry.addEventListener("keydown", (event) => {
  if (event.key === "Escape") entry.blur();
});

onShow.unshift(showTurn);
show(end());
if (preparing) waitForGame();
else if (!episode.turn.mine && !episode.turn.over) order({ do: "advance" });
