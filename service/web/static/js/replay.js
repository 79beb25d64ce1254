// The replay as a film: it plays automatically, one move at a time, or from any move that the reader chooses.

import { enhanceCopies } from "./copy.js";
import { fetchPage, still, takeOver } from "./page.js";
import { nextSpeed, speedLabel } from "./speed.js";
import { enhanceChecks } from "./verify_here.js";

const PAUSE = 500; // milliseconds between two moves
const WITHOUT_MOTION = 1200;
const PLOT = { left: 46, right: 12, width: 640 }; // the place of the lines in the plot

const player = () => import("./player.js");

let filming = null; // ends the film that is running
let wanted = null;
let busy = false;
let fetched = { look: null, frames: [], after: 0, last: 0 };

const stage = () => document.getElementById("stage");
const board = () => stage().querySelector("#board");
const isStill = () => still() || document.documentElement.dataset.pace === "off";
const ply = () => Number(stage().dataset.ply);
const last = () => Number(stage().dataset.last);
const range = () => stage().querySelector("input[type=range]");

// Shows the page of another move. If several are wanted quickly, only the newest is shown.
async function go(address) {
  stop();
  wanted = address;
  if (busy) return;
  busy = true;
  try {
    while (wanted) {
      const next = wanted;
      wanted = null;
      const [{ page }, { pieces, settle }] = await Promise.all([fetchPage(next), player()]);
      if (wanted) continue; // the scrubber has moved on
      const before = board() && pieces(board());
      show(page, next);
      if (before && board()) settle(board(), before, new AbortController().signal);
    }
  } catch {
    stayHere();
  }
  busy = false;
}

function stayHere() {
  stop();
  range().value = ply();
  stage().querySelector("output").textContent = ply();
  const notice = Object.assign(document.createElement("p"), { className: "refusal" });
  notice.textContent = "Can't reach the server. Check your connection and try again.";
  document.getElementById("told").prepend(notice);
}

function show(page, address) {
  const focused = document.activeElement;
  const mark = focused?.id ? `#${focused.id}` : focused?.rel ? `[rel=${focused.rel}]` : focused?.classList.contains("play") ? ".play" : null;
  const scrolled = stage().querySelector(".ledger").scrollTop;
  if (!takeOver(page, "stage")) return location.assign(address);
  history.replaceState(null, "", address);
  enhance();
  keepInSight(scrolled);
  if (mark) stage().querySelector(mark)?.focus({ preventScroll: true });
}

function keepInSight(scrolled) {
  const ledger = stage().querySelector(".ledger");
  const current = ledger.querySelector("[aria-current]");
  ledger.scrollTop = scrolled;
  if (current) {
    const [box, line] = [ledger.getBoundingClientRect(), current.getBoundingClientRect()];
    if (line.top < box.top || line.bottom > box.bottom) ledger.scrollTop += line.top - box.top - box.height / 3;
  }
  const list = stage().querySelector(".chapters ul");
  const chip = list?.querySelector("[aria-current]");
  if (chip) list.scrollLeft = chip.offsetLeft - list.clientWidth / 2;
}

function address(number) {
  const url = new URL(location.href);
  url.searchParams.set("ply", number);
  url.searchParams.set("as", stage().querySelector("input[name=as]").value);
  url.searchParams.delete("fact");
  url.hash = "";
  return url.href;
}

// Returns the frames of one move. Those of the moves after it come with them.
async function framesOf(number) {
  const look = stage().dataset.frames;
  if (fetched.look !== look || number <= fetched.after || number > fetched.last) {
    const { frames, last: until, longest } = await (await player()).fetchFrames(look, number - 1);
    fetched = { look, frames, longest, after: number - 1, last: until };
  }
  return { frames: fetched.frames.filter((frame) => frame.ply === number), longest: fetched.longest };
}

// Plays one move on the board and shows its number. The rest of the page follows when the film stops.
async function playMove(number, signal) {
  const playback = await framesOf(number);
  if (signal.aborted) return;
  tell(number, playback.frames);
  if (board()) await (await player()).play(board(), playback, { signal, effects: await effects() });
  else if (playback.frames.some((frame) => frame.board)) await load(address(number)); // the first board
  else await new Promise((resolve) => setTimeout(resolve, PAUSE));
}

async function load(where) {
  const { page } = await fetchPage(where);
  const film = filming;
  show(page, where);
  filming = film;
  showPlaying();
}

async function effects() {
  const script = stage().dataset.effects;
  return script ? import(script).then((module) => module.effects, () => ({})) : {};
}

function tell(number, frames) {
  stage().dataset.ply = number;
  range().value = number;
  stage().querySelector("#ply-shown").textContent = number;
  const told = document.getElementById("told");
  told.replaceChildren(
    ...frames.flatMap((frame) => frame.caption).map((line) => Object.assign(document.createElement("p"), { textContent: line })),
  );
  document.getElementById("this-ply").textContent = `Move ${number}`;
  const chapter = Array.from(stage().querySelectorAll("[data-chapter]")).findLast((chip) => Number(chip.dataset.chapter) <= number);
  for (const chip of stage().querySelectorAll("[data-chapter]")) chip.toggleAttribute("aria-current", chip === chapter);
  if (chapter) chapter.setAttribute("aria-current", "step");
}

// Plays to the end, or only up to the move `until`.
async function film(until = last()) {
  if (filming) return;
  const scrubbed = Number(range().value); // the page may still be loading that ply
  const film = (filming = new AbortController());
  showPlaying();
  let number = scrubbed;
  try {
    if (number >= last()) {
      number = 1;
      await load(address(number));
    }
    while (number < until && !film.signal.aborted) {
      number += 1;
      await playMove(number, film.signal);
      if (number < until) await rest(film.signal);
    }
  } catch {
    filming = null;
    return stayHere();
  }
  if (filming !== film) return; // the reader has chosen another move
  filming = null;
  showPlaying();
  go(address(number));
}

function rest(signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, isStill() ? WITHOUT_MOTION : PAUSE);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

function stop() {
  filming?.abort();
  filming = null;
  showPlaying();
}

// Stops the film at the move that it shows.
function pause() {
  stop();
  go(address(ply()));
}

function showPlaying() {
  const button = stage().querySelector(".play");
  button.textContent = filming ? "Pause" : "Play";
  button.setAttribute("aria-pressed", String(Boolean(filming)));
}

// Goes forward by one move, with its playback.
function stepForward() {
  if (ply() >= last()) return;
  if (filming || busy || isStill()) return go(address(Math.min(last(), ply() + 1)));
  film(ply() + 1);
}

function enhance() {
  const root = stage();
  root.querySelector(".no-script").hidden = true;
  const button = root.querySelector(".play");
  button.hidden = false;
  button.addEventListener("click", () => (filming ? pause() : film()));
  showPlaying();
  const speed = root.querySelector(".speed");
  speed.hidden = false;
  const label = () => {
    speed.textContent = speedLabel();
    speed.setAttribute("aria-label", `Speed: ${speedLabel()}`);
  };
  speed.addEventListener("click", () => {
    nextSpeed();
    label();
  });
  label();
  range().addEventListener("input", () => {
    root.querySelector("output").textContent = range().value;
    go(address(range().value));
  });
  for (const link of root.querySelectorAll("a[href*='/replay?']")) {
    link.addEventListener("click", (event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
      event.preventDefault();
      if (link.rel === "next") stepForward();
      else go(link.href);
    });
  }
  enhanceChecks(root);
  enhanceCopies(root);
  enhancePlot(root);
}

// A click on the plot shows the move at that place.
function enhancePlot(root) {
  const plot = root.querySelector(".plotted .plot");
  if (!plot) return;
  plot.closest(".plotted").classList.add("clickable");
  plot.addEventListener("click", (event) => {
    const box = plot.getBoundingClientRect();
    const x = ((event.clientX - box.left) * PLOT.width) / box.width;
    const part = (x - PLOT.left) / (PLOT.width - PLOT.left - PLOT.right);
    go(address(Math.round(1 + Math.min(1, Math.max(0, part)) * (last() - 1))));
  });
}

const KEYS = {
  ArrowLeft: () => ply() > 1 && go(address(ply() - 1)),
  ArrowRight: stepForward,
  Home: () => go(address(1)),
  End: () => go(address(last())),
  " ": () => (filming ? pause() : film()),
};

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || !KEYS[event.key]) return;
  if (event.target.closest("input, textarea, select")) return; // the slider handles these keys itself
  if (event.key === " " && event.target.closest("button, summary")) return; // presses it
  event.preventDefault();
  KEYS[event.key]();
});

enhance();
keepInSight(0);
const scrubbed = range().value;
if (Number(scrubbed) !== ply()) go(address(scrubbed)); // the scrubber was moved before this script loaded
document.getElementById("report")?.focus();
