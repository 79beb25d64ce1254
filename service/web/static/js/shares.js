// A player's share of the luck, as the luck protocol requires of a client (docs/luck-protocol.md): one share for each
// match, stored in this browser with the match and its commitment before anything made from it is sent, used for every
// retry and every seat, opened once and for one table only, and checked against the replay file at the end.
//
// This module stores, computes and checks. It shows nothing: seat_luck.js does.

const verifier = () => import("./verifier.js"); // large, and most pages don't need it

const PREFIX = "crumbtrail/share/";
const SHARE = /^[0-9a-f]{64}$/; // a seal has the same form
const SHARE_BYTES = 32;

// Why a share is not sent. The message is for the player.
export class ShareRefusal extends Error {}

// -- storage ----------------------------------------------------------------------------------------------------------

// Whether this browser can hash (only over HTTPS and on localhost) and store.
export function canShare() {
  const probe = `${PREFIX}probe`;
  try {
    localStorage.setItem(probe, probe);
    const stored = localStorage.getItem(probe) === probe;
    localStorage.removeItem(probe);
    return stored && Boolean(globalThis.crypto?.subtle);
  } catch {
    return false;
  }
}

// Returns what this browser has stored for a match: `match`, `commitment`, `level`, `share`, `seats` (seals by table
// seat; null at the level "open"), `table`, `isSent`, `isGivenUp`, `checked`. Null if it has no share.
export function storedShare(match) {
  const text = localStorage.getItem(PREFIX + match);
  return text === null ? null : JSON.parse(text);
}

// Stores a record and reads it back. Throws ShareRefusal if it is not there.
function store(record) {
  const text = JSON.stringify(record);
  try {
    localStorage.setItem(PREFIX + record.match, text);
  } catch {
    // The next line reports it.
  }
  if (localStorage.getItem(PREFIX + record.match) !== text) {
    throw new ShareRefusal("This browser couldn't store your share, so it wasn't sent. Allow this site to store data, and try again.");
  }
  return record;
}

// Stores a record with changes, merged with what other tabs have stored for the match. It reads and stores in one step,
// without an await in between. Throws ShareRefusal if they have stored another share.
export function amend(record, { seats, ...changes }) {
  const latest = storedShare(record.match) ?? record;
  if (latest.share !== record.share) {
    throw new ShareRefusal("This browser has stored a different share for this match, so this one wasn't sent. Reload the page and try again.");
  }
  return store({ ...latest, ...changes, seats: { ...latest.seats, ...seats } });
}

const queues = new Map(); // the last work on each match in this page

// Does some work on the record of a match while no other tab or call does. Without locks, only this page waits.
function exclusively(match, work) {
  const name = PREFIX + match;
  if (globalThis.navigator?.locks) return navigator.locks.request(name, () => work());
  const done = (queues.get(name) ?? Promise.resolve()).then(work);
  queues.set(name, done.catch(() => {}));
  return done;
}

// -- sitting down -----------------------------------------------------------------------------------------------------

// Returns a new share: 32 random bytes, mixed with words that the player may have typed.
async function newShare(words) {
  const random = crypto.getRandomValues(new Uint8Array(SHARE_BYTES));
  const typed = new TextEncoder().encode(words);
  const mixed = new Uint8Array(random.length + typed.length);
  mixed.set(random);
  mixed.set(typed, random.length);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", mixed));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Returns `commitment` and `share` or `seal` to send for a table seat, all stored. A match never gets a second share.
export async function contribution(terms, seat, words = "") {
  const { sealOf } = terms.level === "sealed" ? await verifier() : {}; // loaded before other tabs have to wait
  return exclusively(terms.match, () => contribute(terms, seat, words, sealOf));
}

async function contribute({ match, commitment, level, isSeated }, seat, words, sealOf) {
  if (!storedShare(match)) {
    if (isSeated) {
      throw new ShareRefusal("You sat down in this match on another device, which has your share. Take this seat there.");
    }
    const share = await newShare(words);
    if (!storedShare(match)) store({ match, commitment, level, share, seats: {}, table: null });
  }
  const record = storedShare(match);
  if (record.commitment !== commitment || record.level !== level) {
    throw new ShareRefusal(
      record.commitment !== commitment
        ? `Your share was not sent: the server now shows a different commitment from the one that this browser stored (${record.commitment}). It may be trying to choose the luck. Don't play this match.`
        : "Your share was not sent: the level of luck has changed since this browser stored your share. The server may be trying to see your share early. Don't play this match.",
    );
  }
  const seal = level === "sealed" ? await sealOf(match, seat, commitment, record.share) : null;
  amend(record, { seats: { [seat]: seal } });
  return level === "sealed" ? { commitment, seal } : { commitment, share: record.share };
}

// -- opening ----------------------------------------------------------------------------------------------------------

// Returns all events of a match that a spectator sees.
export async function fetchEvents(match) {
  const events = [];
  for (;;) {
    const answer = await fetch(`/api/v1/matches/${match}/events?after=${events.length}`, { credentials: "omit", cache: "no-store" });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const page = await answer.json();
    events.push(...page.events);
    if (!page.events.length || events.length >= page.ply) return events;
  }
}

// Returns the table of a match before its start: `seals` by table seat (undefined while a seat is free), the seats that
// have `opened`, and the `started` and `cancelled` events or null.
export function readTable(events) {
  const table = { created: events[0], seals: events[0].seats.map(() => undefined), opened: [], started: null, cancelled: null };
  for (const event of events) {
    if (event.kind === "seat_taken") table.seals[event.seat] = event.seal ?? null;
    else if (event.kind === "seat_left") table.seals[event.seat] = undefined;
    else if (event.kind === "share_opened") table.opened.push(event.seat);
    else if (event.kind === "started" || event.kind === "cancelled") table[event.kind] = event;
  }
  return table;
}

// Returns the record with the hash of the full table, stored. `own` are the table seats that the player holds.
export async function preparedOpening(match, events, own) {
  const { tableHash } = await verifier();
  return exclusively(match, () => prepareOpening(match, events, own, tableHash));
}

async function prepareOpening(match, events, own, tableHash) {
  const record = storedShare(match);
  const { created, seals } = readTable(events);
  if (created.match !== match || created.commitment !== record.commitment) {
    throw new ShareRefusal(`Your share was not opened: the server shows a different commitment from the one that this browser stored (${record.commitment}). It may be trying to choose the luck.`);
  }
  if (seals.includes(undefined)) {
    throw new ShareRefusal("Your share was not opened: the server says that all seats are taken, but the events show a free seat.");
  }
  if (!seals.every(isSealOrNone)) {
    throw new ShareRefusal("Your share was not opened: the server shows a seal that isn't 64 digits, each from 0 to 9 or a to f.");
  }
  const sealed = own.filter((seat) => record.seats[seat] !== undefined || seals[seat] !== null);
  if (!sealed.length || sealed.some((seat) => seals[seat] !== record.seats[seat])) {
    throw new ShareRefusal("Your share was not opened: the server shows a different seal for your seat from the one that this browser sent.");
  }
  const table = await tableHash(match, record.commitment, seals);
  const latest = storedShare(match)?.table ?? record.table;
  if (latest !== null && latest !== table) {
    throw new ShareRefusal("Your share was not opened: the seals that the server shows have changed. It may be trying to choose the luck.");
  }
  return amend(record, { table, isSent: true });
}

// Whether the events may show this as the seal of a taken seat. Other text could make two tables have the same hash.
function isSealOrNone(seal) {
  return seal === null || (typeof seal === "string" && SHARE.test(seal));
}

// Stores a share that the player carried over from another device, if it matches the seals of the player's seats.
export async function adoptShare(match, digits, own) {
  const share = digits.trim().toLowerCase();
  if (!SHARE.test(share)) throw new ShareRefusal("A share has 64 digits, each from 0 to 9 or a to f.");
  const { sealOf } = await verifier();
  const { created, seals } = readTable(await fetchEvents(match));
  return exclusively(match, () => adopt(match, share, own, created, seals, sealOf));
}

async function adopt(match, share, own, created, seals, sealOf) {
  const record = storedShare(match) ?? { match, commitment: created.commitment, level: "sealed", share, seats: {}, table: null };
  const seats = {};
  for (const seat of own.filter((each) => seals[each])) {
    seats[seat] = await sealOf(match, seat, created.commitment, share);
    if (seats[seat] !== seals[seat]) throw new ShareRefusal("This isn't the share that you sat down with in this match.");
  }
  if (!Object.keys(seats).length || record.share !== share) {
    throw new ShareRefusal("This isn't the share that you sat down with in this match.");
  }
  return amend(record, { seats });
}

// -- at the end -------------------------------------------------------------------------------------------------------

// Returns what is wrong with the replay file of a finished match, as sentences; an empty list if nothing is. `own` are
// the table seats that the player held when the match began.
export async function faultsOf(record, bytes, own) {
  const faults = [];
  const { ok, layers } = await (await verifier()).verify(bytes);
  const wrong = layers.find(({ status }) => status === "failed");
  if (!ok) faults.push(`The replay file doesn't verify: ${wrong.sentence}.`);
  let events;
  try {
    events = new TextDecoder().decode(bytes).trim().split("\n").slice(1, -1).map((line) => JSON.parse(line));
  } catch {
    return ["The replay file can't be read."];
  }
  const { created, seals, started } = readTable(events);
  if (created.match !== record.match || created.commitment !== record.commitment) {
    faults.push("The replay file has a different commitment from the one that this browser stored.");
  }
  for (const seat of own.filter((each) => record.seats[each] !== undefined)) {
    const taken = events.filter(({ kind, seat: at }) => kind === "seat_taken" && at === seat).at(-1);
    if (record.level === "sealed" && seals[seat] !== record.seats[seat]) faults.push("The replay file doesn't have your seal.");
    if (record.level === "open" && taken?.share !== record.share) faults.push("The replay file doesn't have your share.");
    if (started && started.shares?.[seat] !== record.share) faults.push("The match didn't start with your share.");
    const opening = events.find(({ kind, seat: at }) => kind === "share_opened" && at === seat);
    if (opening && (opening.share !== record.share || (record.table !== null && opening.table !== record.table))) {
      faults.push("The replay file has a different table from the one that this browser opened your share for.");
    }
  }
  return [...new Set(faults)];
}

// Keeps a replay file that failed the check, if there is room.
export function keepFile(match, bytes) {
  try {
    localStorage.setItem(`crumbtrail/file/${match}`, new TextDecoder().decode(bytes));
  } catch {
    // The page offers it for download.
  }
}
