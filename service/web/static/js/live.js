// Keeps the match page up to date: updates arrive as a stream, and moves are sent without leaving the page. Everything
// shown is rendered by the server. Without this module the page works the same way, with full page loads.

import { enhanceCopies } from "./copy.js";
import { enhanceFrame } from "./frame.js";
import { fetchPage, takeOver } from "./page.js";
import { localTimes } from "./times.js";

const SLOWEST = 30000;

let table = null;
let stream = null;
let busy = false;
let sending = false;
let playing = 0;
let heard = 0; // the last ply announced by the stream
let waiting = null; // sends the form that was submitted while an update was being fetched

const seatLuck = () => import("./seat_luck.js");
const film = () => import("./film.js"); // needed only when something has happened
const live = () => document.getElementById("live");
const ply = () => Number(live().dataset.ply);

function announce(words) {
  const announcer = document.getElementById("announcer");
  if (announcer.textContent !== words) announcer.textContent = words;
}

// Sets up the table as rendered by the server. `before` is the table it replaces.
function enhance(setUp, before) {
  const root = live();
  enhanceCopies(root);
  enhanceFrame(root);
  localTimes(root);
  for (const form of root.querySelectorAll("form[method=post]")) form.addEventListener("submit", send);
  for (const button of root.querySelectorAll("button[data-play-after]")) button.addEventListener("click", replayHere);
  const same = before && before.turn === root.dataset.turn && !root.querySelector("#refusal");
  table = { turn: root.dataset.turn, ply: ply(), ...setUp(root, same ? before.keep() : null, hold) };
  root.classList.add("enhanced");
  if (before && before.ply < ply()) hold(table.played?.(before.ply));
  if (root.dataset.status !== "playing") attendLuck(root);
}

// Sits down, opens the player's share of the luck, or checks it at the end. During play the script isn't needed.
async function attendLuck(root) {
  const { attendMatch, enhanceLuck } = await seatLuck();
  enhanceLuck(root);
  await attendMatch(root, refresh);
}

// Adds the player's share of the luck to a form that takes a seat. Returns whether the form may be sent.
async function isReadyToSend(form) {
  return form.dataset.seat === undefined || (await seatLuck()).fillSeatForm(form);
}

// Delays updates until a playback is over, but not the player's own moves.
async function hold(playback) {
  playing += 1;
  await playback;
  playing -= 1;
  await catchUp();
}

// Sends a form submitted in the meantime, which also updates the page, or else shows updates newer than ply `known`.
async function catchUp(known = 0) {
  if (busy) return;
  const pressed = waiting;
  waiting = null;
  if (pressed) await pressed();
  else if (heard > Math.max(known, ply())) await refresh();
}

// Plays some moves again on the board.
function replayHere({ currentTarget: { dataset } }) {
  if (!busy) hold(film().then(({ playAgain }) => playAgain(live(), dataset.playAfter, dataset.playTo ?? null)).catch(() => {}));
}

// Returns whether the moves before the new page play on the old board. A reader who is choosing a move is not
// interrupted, and a game may have a playback of its own.
function playsFirst(theirs) {
  const isChoosing = live().querySelector("#move") && theirs.querySelector("#move") && table.turn === theirs.dataset.turn;
  return !isChoosing && (!table.played || live().classList.contains("drawn-table"));
}

async function show(page) {
  const theirs = page.getElementById("live");
  if (!theirs) return false;
  const { setUp } = await import(theirs.dataset.script); // imported first, so that no click is lost
  const before = table;
  const focused = document.activeElement?.id;
  const { piecesOf, playUntil, settleBoard } = await film();
  if (playsFirst(theirs)) await playUntil(live(), theirs);
  const places = piecesOf(live());
  takeOver(page, "live");
  settleBoard(live(), places);
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  announce(document.getElementById("turn").textContent);
  enhance(setUp, before);
  listen();
  return true;
}

// Shows the match as it is now, if it has changed or with `always`.
async function refresh(always = false) {
  if (busy || playing) return; // the current task calls catchUp when it is done
  busy = true;
  const known = heard;
  try {
    const { page } = await fetchPage(location.href);
    const theirs = page.getElementById("live");
    if (theirs && (always === true || Number(theirs.dataset.ply) !== ply())) await show(page);
  } catch {
    // The stream reports when the server is available again.
  } finally {
    busy = false;
  }
  await catchUp(known);
}

// Sends a form once, as it was when it was submitted. The server decides whether it is still in time.
async function send(event) {
  const { target: form, submitter } = event;
  event.preventDefault();
  if (sending) return;
  sending = true;
  const isReady = await isReadyToSend(form).finally(() => (sending = false));
  if (!isReady) return;
  const body = new URLSearchParams(new FormData(form, submitter));
  if (busy) waiting = () => post(form, submitter, body);
  else await post(form, submitter, body);
}

async function post(form, submitter, body) {
  busy = sending = true;
  form.classList.add("busy");
  try {
    const { page, address, status } = await fetchPage(form.action, { method: "POST", body });
    if (status < 400 && !page.getElementById("live")) return location.assign(address);
    if (!(await show(page))) {
      document.open();
      document.write(new XMLSerializer().serializeToString(page));
      document.close();
      return;
    }
    if (status < 400) history.replaceState(null, "", address);
    document.getElementById("refusal")?.focus();
  } catch {
    if (!submitter) return; // sent by the script: the player may be leaving the page, and can still press the button
    offerToRepeat(form, () => post(form, submitter, body));
  } finally {
    busy = sending = false;
    form.classList.remove("busy");
  }
  await catchUp();
}

// Keeps the table when nobody knows whether the server got a form. Repeating it can do no harm: `again` sends the same
// input with the same idempotency key.
function offerToRepeat(form, again) {
  const box = Object.assign(document.createElement("div"), { className: "refusal unsent", tabIndex: -1 });
  box.setAttribute("role", "alert");
  const words = document.createElement("p");
  words.textContent =
    "We couldn't reach the server, so we don't know whether this was saved. Check your connection and try again: " +
    "it can't take effect twice.";
  const button = Object.assign(document.createElement("button"), {
    type: "button",
    className: "button",
    textContent: "Try again",
  });
  button.addEventListener("click", () => {
    if (busy) return;
    box.remove();
    again();
  });
  box.append(words, button);
  for (const old of live().querySelectorAll(".unsent")) old.remove();
  if (form.isConnected) form.prepend(box);
  else live().prepend(box);
  box.focus();
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
