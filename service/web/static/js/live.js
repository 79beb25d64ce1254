// The table, kept up to date: news come as a stream, moves are sent without leaving the page. What is shown is always
// what the server renders; without this module the page does the same with full page loads.

import { enhanceCopies } from "./copy.js";
import { drawLuck } from "./luck.js";
import { fetchPage, takeOver } from "./page.js";

const SLOWEST = 30000;

let table = null;
let stream = null;
let busy = false;
let playing = 0;
let missed = false;

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
  drawLuck(root);
  for (const form of root.querySelectorAll("form[method=post]")) form.addEventListener("submit", send);
  const same = before && before.turn === root.dataset.turn && !root.querySelector("#refusal");
  table = { turn: root.dataset.turn, ply: ply(), ...setUp(root, same ? before.keep() : null) };
  root.classList.add("enhanced");
  if (before && before.ply < ply()) play(before.ply);
}

// Play back what has happened since; news wait until it is over, but a move of one's own does not.
async function play(since) {
  playing += 1;
  await table.played?.(since);
  playing -= 1;
  await catchUp();
}

async function catchUp() {
  if (!missed || busy || playing) return;
  missed = false;
  await refresh();
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
  if (busy || playing) {
    missed = true;
    return;
  }
  busy = true;
  try {
    const { page } = await fetchPage(location.href);
    const theirs = page.getElementById("live");
    if (theirs && Number(theirs.dataset.ply) !== ply()) await show(page);
  } catch {
    // The stream tells when the server is there again.
  } finally {
    busy = false;
  }
  await catchUp();
}

async function send(event) {
  const form = event.target;
  event.preventDefault();
  if (busy) return;
  busy = true;
  form.classList.add("busy");
  const body = new URLSearchParams(new FormData(form, event.submitter));
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
    form.requestSubmit(event.submitter); // the browser shows what is wrong; the form's key makes a repetition harmless
  } finally {
    busy = false;
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
  stream.addEventListener("ply", (event) => Number(event.data) > ply() && refresh());
  stream.addEventListener("over", () => stream.close());
}

document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && refresh());
setInterval(() => stream?.readyState !== EventSource.OPEN && live().dataset.status !== "over" && refresh(), SLOWEST);

enhance((await import(live().dataset.script)).setUp, null);
listen();
