// Gives the player's share of the luck on the pages, without a click: sits down in a seat that is kept for the player,
// adds the share to a form that takes a seat, opens it once the table is full, and checks the replay file at the end.
// Without this module the pages work the same way, and the player adds no share.

import { ShareRefusal, adoptShare, amend, canShare, contribution, faultsOf, fetchEvents, keepFile, preparedOpening, readTable, storedShare } from "./shares.js";

const FASTEST = 1000;
const SLOWEST = 30000;
const MAX_SITTINGS = 3;
const WORDS = "crumbtrail/words";

const works = canShare();
const opening = new Set(); // matches whose share is being opened
const shown = new Map(); // the last message about a match
const sittings = new Map(); // how often this page has sat down automatically, by form action

const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const tokenIn = (root) => root.querySelector("input[name=csrf_token]").value;
const numbers = (text) => (text ? text.split(",").map(Number) : []);

// Shows what only works with this module, and hides what is for readers without it.
export function enhanceLuck(root) {
  if (!works) return;
  for (const each of root.querySelectorAll("[data-scripted]")) each.hidden = each.disabled = false;
  for (const each of root.querySelectorAll("[data-plain]")) each.hidden = true;
  for (const form of root.querySelectorAll("form[data-creates]")) form.addEventListener("submit", () => keepWords(form));
}

// Keeps the words typed on the page that creates a match, for the page that sits down in it. They are never sent.
function keepWords(form) {
  const words = form.querySelector("[data-words]")?.value;
  if (words) sessionStorage.setItem(WORDS, words);
  else sessionStorage.removeItem(WORDS);
}

// -- sitting down -----------------------------------------------------------------------------------------------------

// Fills a form that takes a seat with the player's share or seal. Returns whether it may be sent.
export async function fillSeatForm(form) {
  const { match, commitment, level, seat, seated } = form.dataset;
  if (!works || seat === undefined) return true;
  try {
    const words = form.querySelector("[data-words]")?.value || sessionStorage.getItem(WORDS) || "";
    const sent = await contribution({ match, commitment, level, isSeated: seated === "sealed" }, Number(seat), words);
    sessionStorage.removeItem(WORDS);
    for (const [name, value] of Object.entries(sent)) form.elements[name].value = value;
    return true;
  } catch (error) {
    if (!(error instanceof ShareRefusal)) throw error;
    complain(form, error.message);
    return false;
  }
}

function complain(place, sentence) {
  const notice = place.querySelector(".luck-refusal") ?? document.createElement("p");
  notice.className = "refusal luck-refusal";
  notice.setAttribute("role", "alert");
  notice.textContent = sentence;
  place.prepend(notice);
  for (const each of place.querySelectorAll("[data-sitting]")) each.hidden = true;
}

// Adds the share to the seat forms of a page that has no other script for its forms.
export function enhanceSeatForms(root) {
  for (const form of root.querySelectorAll("form[data-seat]")) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (await fillSeatForm(form)) form.submit();
    });
  }
  sitDown(root);
}

// Sits down automatically if the page asks for it.
export function sitDown(root) {
  const form = root.querySelector("form[data-now]");
  const times = sittings.get(form?.action) ?? 0;
  if (!form || !works || times >= MAX_SITTINGS || root.querySelector(".refusal")) return;
  sittings.set(form.action, times + 1);
  setTimeout(() => form.isConnected && form.requestSubmit()); // after the update that inserted the form
}

// -- a match ----------------------------------------------------------------------------------------------------------

// Does what the player's share needs on the page of a match. `refresh` shows the current state of the match.
export async function attendMatch(root, refresh) {
  const luck = root.querySelector("#luck-data");
  if (!luck || !works) return;
  sitDown(root);
  rememberGivingUp(root, luck.dataset.match);
  const data = { ...luck.dataset, own: numbers(luck.dataset.own), unopened: numbers(luck.dataset.unopened), token: tokenIn(luck) };
  if (await adoptFromAddress(data)) return refresh(true);
  const record = storedShare(data.match);
  enhanceCarrying(root, data, record, refresh);
  if (data.status === "opening" && data.unopened.length) {
    if (record) openShare(data, (words) => report(root, data.match, words), refresh);
    else report(root, data.match, "This device doesn't have your share. Open this match on the device where you sat down.");
  } else if (data.status === "over" && record) {
    await checkAtTheEnd(root, data, record);
  }
}

// Remembers that the player gave up here, so that the cancellation that follows is not reported as the service's fault.
function rememberGivingUp(root, match) {
  root.querySelector("button[name=lost]")?.form.addEventListener("submit", () => {
    const record = storedShare(match);
    if (record) amend(record, { isGivenUp: true });
  });
}

// Shows the progress of the opening. The page may have been replaced since.
function report(root, match, sentence) {
  shown.set(match, sentence);
  const place = (root.isConnected ? root : document).querySelector("#opening-status");
  if (place && place.textContent !== sentence) place.textContent = sentence;
}

// Opens the share of a match, repeatedly until an event shows that it was accepted or is too late.
async function openShare({ match, own, share, token }, tell, done) {
  if (opening.has(match)) return tell(shown.get(match) ?? "Opening your share…");
  opening.add(match);
  try {
    tell("Opening your share…");
    for (let pause = FASTEST; ; pause = Math.min(2 * pause, SLOWEST)) {
      if (await tryToOpen(match, own, share, token)) break;
      tell("The server hasn't accepted your share yet. This page keeps trying with the same share.");
      await wait(pause);
    }
    tell("Your share is open.");
    await done();
  } catch (error) {
    if (!(error instanceof ShareRefusal)) throw error;
    tell(error.message);
  } finally {
    opening.delete(match);
  }
}

// Sends the share once. Returns whether the match has an event for it, or has ended. Throws ShareRefusal.
async function tryToOpen(match, own, address, token) {
  try {
    const events = await fetchEvents(match);
    const table = readTable(events);
    if (table.started || table.cancelled || own.every((seat) => table.opened.includes(seat))) return true;
    const record = await preparedOpening(match, events, own);
    const body = new URLSearchParams({ csrf_token: token, table: record.table, share: record.share });
    return (await fetch(address, { method: "POST", body, credentials: "same-origin" })).ok;
  } catch (error) {
    if (error instanceof ShareRefusal) throw error;
    return false; // no connection
  }
}

// Opens the shares of all matches in a list that wait for it.
export function openShares(root) {
  if (!works) return;
  for (const card of root.querySelectorAll("[data-unopened]")) {
    const { match, unopened, share } = card.dataset;
    const place = card.querySelector(".state");
    const tell = (sentence) => (place.textContent = sentence);
    if (storedShare(match)) openShare({ match, own: numbers(unopened), share, token: tokenIn(root) }, tell, async () => {});
    else tell("Open the match on the device where you sat down.");
  }
}

// -- another device ---------------------------------------------------------------------------------------------------

// Stores the share in the fragment of the address, which comes from a QR code on another device. The fragment is never
// sent. Returns whether there was one.
async function adoptFromAddress({ match, own }) {
  const digits = new URLSearchParams(location.hash.slice(1)).get("share");
  if (!digits) return false;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    await adoptShare(match, digits, own);
  } catch (error) {
    if (!(error instanceof ShareRefusal)) throw error;
    shown.set(match, error.message);
  }
  return true;
}

// Offers to take the share to another device, or to enter it here.
function enhanceCarrying(root, { match, own }, record, refresh) {
  const away = root.querySelector("#carry-share");
  if (away && record) {
    away.hidden = false;
    away.querySelector("input").value = record.share;
    away.addEventListener("toggle", () => away.open && drawCode(away.querySelector("[data-code]"), record.share));
  }
  const here = root.querySelector("#bring-share");
  if (!here || record) return;
  here.hidden = false;
  here.querySelector("button").addEventListener("click", async () => {
    try {
      await adoptShare(match, here.querySelector("input").value, own);
      await refresh(true);
    } catch (error) {
      complain(here, error instanceof ShareRefusal ? error.message : "Can't reach the server. Try again.");
    }
  });
}

// Draws a QR code of this match's public address with the share. The code is made here: the server must not see the
// share yet.
async function drawCode(place, share) {
  if (place.childElementCount) return;
  const { encode } = await import("./vendor/uqr.js");
  const { data, size } = encode(`${place.dataset.address}#share=${share}`, { border: 2 });
  const cells = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : "")));
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  const wanted = { viewBox: `0 0 ${size} ${size}`, width: 240, height: 240, role: "img", "shape-rendering": "crispEdges" };
  for (const [name, value] of Object.entries(wanted)) svg.setAttribute(name, value);
  svg.setAttribute("aria-label", "QR code with the address of this match and your share");
  path.setAttribute("d", cells.join(""));
  svg.append(path);
  place.append(svg);
}

// -- at the end -------------------------------------------------------------------------------------------------------

// Checks the replay file of a match that is over, once, and shows an alert if anything is wrong.
async function checkAtTheEnd(root, { match, own, replay }, record) {
  if (!own.some((seat) => record.seats[seat] !== undefined)) return;
  let { checked } = record;
  if (!checked) {
    try {
      const answer = await fetch(replay, { credentials: "same-origin" });
      if (!answer.ok) return;
      const bytes = new Uint8Array(await answer.arrayBuffer());
      const faults = await faultsOf(record, bytes, own);
      if (faults.length) keepFile(match, bytes);
      checked = { faults, isUnaccepted: isUnaccepted(record, bytes, own) };
    } catch (error) {
      if (error instanceof TypeError) return; // no connection
      throw error;
    }
    amend(record, { checked });
  }
  showCheck(root.isConnected ? root : document.getElementById("live"), checked, record);
}

// Whether the match was cancelled, for any reason, because of a share that this browser had sent. It was not the
// service's fault if the player gave up in this browser.
function isUnaccepted(record, bytes, own) {
  const line = new TextDecoder().decode(bytes).split("\n").find((each) => each.includes('"kind":"cancelled"'));
  const { reason, seats = [] } = line ? JSON.parse(line) : {};
  if (reason === "lost" && record.isGivenUp) return false;
  return Boolean(record.isSent) && seats.some((seat) => own.includes(seat));
}

function showCheck(root, { faults, isUnaccepted: isLost }, record) {
  if (!faults.length && !isLost) {
    const quiet = root.querySelector("#luck-check");
    if (quiet) quiet.textContent = "This browser has checked the replay file: it contains your share and the commitment that you stored, and everything in it is correct.";
    return;
  }
  const box = Object.assign(document.createElement("div"), { className: "refusal luck-alarm" });
  box.setAttribute("role", "alert");
  const lost = isLost ? ["Your share was sent, but the service didn't accept it."] : [];
  const kept = `This browser keeps your share ${record.share} and the commitment ${record.commitment}. Download the replay file and keep it too.`;
  const sentences = faults.length ? ["The replay file of this match differs from what your browser stored.", ...faults, ...lost, kept] : lost;
  box.append(...sentences.map((textContent) => Object.assign(document.createElement("p"), { textContent })));
  root.prepend(box);
}
