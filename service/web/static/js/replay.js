// The replay without page loads: scrubber, arrow keys and automatic play.

import { fetchPage, takeOver } from "./page.js";
import { enhanceChecks } from "./verify_here.js";

const PACE = 1600;

let playing = null;
let wanted = null;
let busy = false;

const stage = () => document.getElementById("stage");
const ply = () => Number(stage().dataset.ply);
const last = () => Number(stage().dataset.last);

async function go(address) {
  wanted = address;
  if (busy) return;
  busy = true;
  try {
    while (wanted) {
      const next = wanted;
      wanted = null;
      const { page } = await fetchPage(next);
      if (!wanted) show(page, next); // otherwise the scrubber has moved on
    }
  } catch {
    stayHere();
  }
  busy = false;
}

function stayHere() {
  stop();
  stage().querySelector("input[type=range]").value = ply();
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
  enhanceChecks(stage());
  keepInSight(scrolled);
  if (mark) stage().querySelector(mark)?.focus({ preventScroll: true });
}

function keepInSight(scrolled) {
  const ledger = stage().querySelector(".ledger");
  const current = ledger.querySelector("[aria-current]");
  ledger.scrollTop = scrolled;
  if (!current) return;
  const [box, line] = [ledger.getBoundingClientRect(), current.getBoundingClientRect()];
  if (line.top < box.top || line.bottom > box.bottom) ledger.scrollTop += line.top - box.top - box.height / 3;
}

function address(number) {
  const url = new URL(location.href);
  url.searchParams.set("ply", number);
  url.searchParams.set("as", stage().querySelector("input[name=as]").value);
  url.searchParams.delete("fact");
  url.hash = "";
  return url.href;
}

function stop() {
  clearInterval(playing);
  playing = null;
  showPlaying();
}

function play() {
  const scrubbed = Number(stage().querySelector("input[type=range]").value); // the page may still be loading that ply
  if (scrubbed === last()) go(address(1));
  playing = setInterval(() => (ply() < last() ? go(address(ply() + 1)) : stop()), PACE);
  showPlaying();
}

function showPlaying() {
  const button = stage().querySelector(".play");
  button.textContent = playing ? "Pause" : "Play";
  button.setAttribute("aria-pressed", String(Boolean(playing)));
}

function enhance() {
  const root = stage();
  const range = root.querySelector("input[type=range]");
  root.querySelector(".no-script").hidden = true;
  const button = root.querySelector(".play");
  button.hidden = false;
  button.addEventListener("click", () => (playing ? stop() : play()));
  showPlaying();
  range.addEventListener("input", () => {
    root.querySelector("output").textContent = range.value;
    go(address(range.value));
  });
  for (const link of root.querySelectorAll("a[href*='/replay?']")) {
    link.addEventListener("click", (event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
      event.preventDefault();
      if (playing) stop();
      go(link.href);
    });
  }
}

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select") || event.altKey || event.ctrlKey || event.metaKey) return;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step || ply() + step < 1 || ply() + step > last()) return;
  event.preventDefault();
  go(address(ply() + step));
});

enhance();
keepInSight(0);
const scrubbed = stage().querySelector("input[type=range]").value;
if (Number(scrubbed) !== ply()) go(address(scrubbed)); // the scrubber was moved before this script loaded
document.getElementById("report")?.focus();
