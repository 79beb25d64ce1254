// The table, kept up to date: news come as a stream, moves are sent without leaving the page. What is shown is always
// what the server renders; without this module the page does the same with full page loads.

import { enhanceCopies } from "./copy.js";
import { drawLuck } from "./luck.js";
import { fetchPage, takeOver } from "./page.js";
import { localTimes } from "./times.js";

const SLOWEST = 30000;

let table = null;
let stream = null;
let busy = false;
let sending = false;
let playing = 0;
let heard = 0; // the last ply that the news told
let waiting = null; // what was pressed while news were fetched: sends it

const live = () => document.getElementById("live");
const ply = () => Number(live().dataset.ply);

function announce(words) {
  const announcer = document.getElementById("announcer");
  if (announcer.textContent !== words) announcer.textContent = words;
}

// Set up what the server has rendered. `before` is the table that stood here until now.
function enhance(setUp, before) {
  const root = live();
  enhanceCopies(root);
  localTimes(root);
  drawLuck(root);
  for (const form of root.querySelectorAll("form[method=post]")) form.addEventListener("submit", send);
  const same = before && before.turn === root.dataset.turn && !root.querySelector("#refusal");
  table = { turn: root.dataset.turn, ply: ply(), ...setUp(root, same ? before.keep() : null, hold) };
  root.classList.add("enhanced");
  if (before && before.ply < ply()) hold(table.played?.(before.ply));
}

// News wait until a playback is over, but a move of one's own does not.
async function hold(playback) {
  playing += 1;
  await playback;
  playing -= 1;
  await catchUp();
}

// What was pressed meanwhile is sent, which brings the news along; else those that came behind `known` are shown.
async function catchUp(known = 0) {
  if (busy) return;
  const pressed = waiting;
  waiting = null;
  if (pressed) await pressed();
  else if (heard > Math.max(known, ply())) await refresh();
}

async function show(page) {
  const theirs = page.getElementById("live");
  if (!theirs) return false;
  const { setUp } = await import(theirs.dataset.script); // before the exchange, so that no click falls between two tables
  const before = table;
  const focused = document.activeElement?.id;
  takeOver(page, "live");
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  announce(document.getElementById("turn").textContent);
  enhance(setUp, before);
  listen();
  return true;
}

async function refresh() {
  if (busy || playing) return; // whoever is busy catches up behind it
  busy = true;
  const known = heard;
  try {
    const { page } = await fetchPage(location.href);
    const theirs = page.getElementById("live");
    if (theirs && Number(theirs.dataset.ply) !== ply()) await show(page);
  } catch {
    // The stream tells when the server is there again.
  } finally {
    busy = false;
  }
  await catchUp(known);
}

// A form is sent as it was when it was pressed, once. Whether that is still in time is for the server to say.
async function send(event) {
  const { target: form, submitter } = event;
  event.preventDefault();
  if (sending) return;
  const body = new URLSearchParams(new FormData(form, submitter));
  if (busy) waiting = () => post(form, submitter, body);
  else await post(form, submitter, body);
}

async function post(form, submitter, body) {
  busy = sending = true;
  form.classList.add("busy");
  try {
    const { page, address, status } = await fetchPage(form.action, { method: "POST", body });
    if (!(await show(page))) {
      document.open();
      document.write(new XMLSerializer().serializeToString(page));
      document.close();
      return;
    }
    if (status < 400) history.replaceState(null, "", address);
    document.getElementById("refusal")?.focus();
  } catch {
    form.removeEventListener("submit", send);
    if (!form.isConnected) return location.reload();
    form.requestSubmit(submitter); // the browser shows what is wrong; the form's key makes a repetition harmless
  } finally {
    busy = sending = false;
    form.classList.remove("busy");
  }
  await catchUp();
}

function listen() {
  if (live().dataset.status === "over") {
    stream?.close();
    return;
  }
  if (stream && stream.readyState !== EventSource.CLOSED) return;
  stream = new EventSource(live().dataset.news);
  stream.addEventListener("ply", (event) => {
    heard = Number(event.data);
    if (heard > ply()) refresh();
  });
  stream.addEventListener("over", () => stream.close());
}

document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && refresh());
setInterval(() => stream?.readyState !== EventSource.OPEN && live().dataset.status !== "over" && refresh(), SLOWEST);

enhance((await import(live().dataset.script)).setUp, null);
listen();
