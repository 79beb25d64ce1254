// Checks replay files in the reader's own browser, with Web Crypto and no other library: the file's form, the chain, the
// seed, every draw, and the signature. It does not know the rules. Specified in docs/replay-format.md,
// docs/verify-a-roll.md and docs/draws.md.
//
// Read it from top to bottom; the order is that of replays/standalone_verify.py. First the checks of file, chain, seed
// and signature, then the draws: how numbers come from the seed, and the interpreter of the tables that list the random
// values in the facts of a game. The tables are data, in draws.js.

import { DRAWS } from "./draws.js";

const MAX_FILE = 16 * 2 ** 20;
const MAX_LINE = 2 ** 20;
const MAX_EVENTS = 100000;

// An error on this line of the file.
class VerificationError extends Error {
  constructor(line, sentence) {
    super(sentence);
    this.line = line;
  }
}

// Checks a file (Uint8Array). Returns `layers` with name, status (ok, partly, not_checked, failed), sentence and line,
// and `first`, the earliest line with an error, or null. `keys` are the server's published keys; with `required` the file
// must be signed by one of them.
export async function verify(raw, keys = [], required = false) {
  let file;
  try {
    file = { ...parse(raw), keys, required, seed: null };
  } catch (wrong) {
    if (!(wrong instanceof VerificationError)) throw wrong;
    return summary([failed("file", wrong)]);
  }
  const checks = [
    ["file", checkFile],
    ["chain", checkChain],
    ["signature", checkSignature],
    ["seed", checkRevealedSeed],
    ["draws", checkDraws],
  ];
  const layers = [];
  for (const [name, check] of checks) {
    try {
      const [status, sentence] = await check(file);
      layers.push({ name, status, sentence, line: null });
    } catch (wrong) {
      layers.push(failed(name, wrong));
      if (name === "file" && !wellFormed(file.events)) break;
    }
  }
  return summary(layers);
}

// A layer that failed. Malformed events may break any check; the error is then reported at the first event.
function failed(name, wrong) {
  const known = wrong instanceof VerificationError;
  const sentence = known ? wrong.message : "the events do not have the specified form";
  return { name, status: "failed", sentence, line: known ? wrong.line : 2 };
}

// Returns the result of `verify` for these layers.
function summary(layers) {
  const lines = layers.map((each) => each.line).filter((line) => line !== null);
  return { ok: !lines.length, layers, first: lines.length ? Math.min(...lines) : null };
}

// -- file: reading --------------------------------------------------------------------------------------------------

const LONE_SURROGATE = /(?:^|[^\\])(?:\\\\)*\\ud[89a-f]/;

// A value in canonical form: RFC 8785, for the whole numbers and ASCII keys that files contain.
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(",")}}`;
}

const same = (one, other) => canonical(one ?? null) === canonical(other ?? null);
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

// Returns the value. Throws RangeError for a number that some JSON readers would round.
function safe(_, value) {
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw new RangeError(`a number beyond 2^53 - 1: ${value}`);
  return value;
}

// Returns the object on a line, which must be in canonical form.
function readLine(number, bytes) {
  let line;
  let value;
  try {
    line = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new VerificationError(number, "the line is not UTF-8");
  }
  let exact;
  try {
    value = JSON.parse(line, safe);
    exact = canonical(value);
  } catch (error) {
    throw new VerificationError(number, `the line is not valid JSON for a replay: ${String(error.message).slice(0, 120)}`);
  }
  if (exact !== line) throw new VerificationError(number, "the line is not in canonical form");
  // A lone surrogate is not a character: canonical JSON could only write it as an escape.
  if (LONE_SURROGATE.test(exact)) throw new VerificationError(number, "the line is not UTF-8");
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new VerificationError(number, "the line is not an object");
  }
  return value;
}

// Returns header, events and closing line of the file in these bytes.
function parse(raw) {
  if (raw.length > MAX_FILE) {
    const feeds = raw.subarray(0, MAX_FILE).reduce((count, byte) => count + (byte === 10), 0);
    throw new VerificationError(feeds + 1, "the file is larger than 16 MiB");
  }
  const lines = [];
  let from = 0;
  for (let at = raw.indexOf(10); at >= 0; at = raw.indexOf(10, from)) {
    lines.push(raw.subarray(from, at));
    from = at + 1;
    if (lines.length > MAX_EVENTS + 2) throw new VerificationError(MAX_EVENTS + 3, "the file has more than 100000 events");
  }
  const long = [...lines, raw.subarray(from)].findIndex((line) => line.length > MAX_LINE);
  if (long >= 0) throw new VerificationError(long + 1, "the line is longer than 1 MiB");
  if (from < raw.length) throw new VerificationError(lines.length + 1, "the file breaks off in the middle of a line");
  if (lines.length < 3) throw new VerificationError(lines.length + 1, "a file must have a header, events and a closing line");
  const ends = new Map();
  for (const [n, line] of lines.entries()) {
    const value = readLine(n + 1, line);
    if (n === 0 || n === lines.length - 1) ends.set(n, value);
  }
  return { header: ends.get(0), events: new Events(lines.slice(1, -1)), closing: ends.get(lines.length - 1) };
}

// The events of a file. Each is parsed when it is needed: all of them at once could use too much memory.
class Events {
  constructor(lines) {
    this.lines = lines;
    this.text = new TextDecoder();
  }

  get length() {
    return this.lines.length;
  }

  at(n) {
    return JSON.parse(this.text.decode(this.lines.at(n)));
  }

  *[Symbol.iterator]() {
    for (const n of this.lines.keys()) yield this.at(n);
  }

  // Yields pairs of index (from 0) and event.
  *entries() {
    for (const n of this.lines.keys()) yield [n, this.at(n)];
  }
}

// The first event of a kind with its number, from 0; null if there is none.
function firstOf(events, kind) {
  for (const [n, event] of events.entries()) if (event.kind === kind) return [n, event];
  return null;
}

// -- file: header and closing line match the events -----------------------------------------------------------------

const HEADER = {
  "replay/v1": ["crumbtrail", "match", "game", "rules_version", "events", "complete"],
  "replay/v2": [
    ...["crumbtrail", "match", "game", "rules_version", "events", "complete"],
    ...["options", "components", "seats", "commitment", "seed"],
  ],
};
const EVENT = ["kind", "ply", "seat", "at", "move", "facts", "draw", "first_fact", "salt", "prev", "hash"];

// The types of the fields that the checks below use, by kind of event; types of list items, by field.
const FIELDS = {
  created: { match: "string", game: "string", options: "object", seats: "list", commitment: "string", given: "boolean" },
  seat_taken: { client_seed: "string" },
  started: { client_seeds: "list" },
  seed_revealed: { seed: "string" },
};
const FORK = { luck: "string", origin: "string", draws: "number", client_seeds: "list" };
const ITEMS = { client_seeds: (item) => typeof item === "string", order: Number.isInteger };

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.(?!000000)\d{6})?Z$/;
const SEATING = ["seat_taken", "seat_left", "handed_over"];

// Checks each event's fields, then the header and the closing line against the events.
function checkFile({ header, events, closing }) {
  const last = events.length + 2;
  const names = typeof header.crumbtrail === "string" && HEADER[header.crumbtrail];
  if (!Array.isArray(names) || !same(Object.keys(header).sort(), [...names].sort())) {
    throw new VerificationError(1, "the header does not have the fields of replay/v1 or replay/v2");
  }
  for (const [n, event] of events.entries()) checkEvent(n + 2, event);
  const expected = headerOf(events, header.crumbtrail);
  if (canonical(header) !== canonical(expected)) {
    const wrong = Object.keys(header).sort().filter((name) => !same(header[name], expected[name]));
    throw new VerificationError(1, `the header does not match the events: ${wrong.join(", ")}`);
  }
  const fields = Object.keys(closing).filter((name) => name !== "signature");
  if (!same(fields.sort(), ["end", "head", "result"])) {
    throw new VerificationError(last, "the closing line must have the fields end, head and result, and may have signature");
  }
  for (const [name, value] of Object.entries(closingOf(events))) {
    if (!same(closing[name], value)) throw new VerificationError(last, `the closing line's \`${name}\` does not match the events`);
  }
  if ("signature" in closing) checkSignatureForm(last, closing.signature);
  return ["ok", `${events.length} events in canonical form`];
}

// Returns whether every event has the fields that the later checks use.
function wellFormed(events) {
  try {
    for (const [n, event] of events.entries()) checkEvent(n + 2, event);
    return true;
  } catch {
    return false;
  }
}

// Checks that an event has the fields that later checks use, and that each fact has a type.
function checkEvent(line, event) {
  const lacking = EVENT.filter((name) => !(name in event)).sort();
  if (lacking.length) throw new VerificationError(line, `the event lacks ${lacking.join(", ")}`);
  const { kind, facts } = event;
  if (!Array.isArray(facts) || !facts.every(isObject)) {
    throw new VerificationError(line, "the event's facts are not a list of facts");
  }
  if (!facts.every((fact) => typeof fact.type === "string")) {
    throw new VerificationError(line, "a fact of the event has no type");
  }
  if (!isTime(event.at)) throw new VerificationError(line, "the event's `at` is not a time in UTC");
  if (typeof kind !== "string" || (kind === "created") !== (line === 2)) {
    throw new VerificationError(line, "the first event, and only the first, must be `created`");
  }
  const numbers = ["seat", "draw"].filter((name) => event[name] !== null).map((name) => [name, "number"]);
  const types = { ply: "number", ...Object.fromEntries(numbers), prev: "string", hash: "string", ...FIELDS[kind] };
  checkFields(line, event, types);
  if (kind === "created" && "fork" in event) {
    checkFields(line, event, { fork: "object" });
    checkFields(line, event.fork, FORK);
  }
  if (kind === "started" && "order" in event) checkFields(line, event, { order: "list" });
}

// Checks that fields have these types.
function checkFields(line, holder, types) {
  for (const [name, wanted] of Object.entries(types)) {
    const value = holder[name];
    const fits = typeOf(value) === wanted && (!(name in ITEMS) || value.every(ITEMS[name]));
    if (!fits) throw new VerificationError(line, `the event's \`${name}\` does not have the specified form`);
  }
}

const typeOf = (value) => (value === null ? "null" : Array.isArray(value) ? "list" : typeof value);

// Whether this is a time in UTC as files write it: whole seconds, or six decimals.
function isTime(value) {
  if (typeof value !== "string" || !TIME.test(value) || value.startsWith("0000")) return false;
  const seconds = value.slice(0, 19);
  const read = new Date(`${seconds}Z`);
  return !Number.isNaN(read.valueOf()) && read.toISOString().startsWith(seconds);
}

// Returns the header that a file with these events must have.
function headerOf(events, version) {
  const [first] = events;
  const revealed = firstOf(events, "seed_revealed")?.[1];
  const header = Object.fromEntries(HEADER[version].map((name) => [name, first[name] ?? null]));
  Object.assign(header, { crumbtrail: version, events: events.length, complete: Boolean(revealed) });
  if (version === "replay/v1") return header;
  return { ...header, seats: playersOf(events), seed: revealed?.seed ?? null };
}

// Who holds each seat at the end: a player's id, `bot:` and a level, or null.
function playersOf(events) {
  let seats = events.at(0).seats.map(() => null);
  for (const { kind, seat, player, level, consequence, order } of events) {
    const botTakesOver = kind === "expired" && consequence === "bot_takes_over";
    if ((SEATING.includes(kind) || botTakesOver) && Number.isInteger(seat) && seat in seats) {
      seats[seat] = player ?? (level === null || level === undefined ? null : `bot:${level}`);
    }
    if (kind === "started" && order) seats = seats.map((_, place) => seats[order[place]] ?? null);
  }
  return seats;
}

// Returns the closing line that a file with these events must have. A ruling replaces the game's own result.
function closingOf(events) {
  const kinds = new Set();
  let result = null;
  for (const { kind, ruling, outcome } of events) {
    kinds.add(kind);
    if (kind === "ended" || (kind === "resolved" && ruling === "result_of")) result = outcome ?? null;
    if (kind === "resolved" && ruling === "annulled") result = null;
  }
  const ends = { ended: "finished", cancelled: "cancelled", started: "playing" };
  const end = ends[Object.keys(ends).find((kind) => kinds.has(kind))] ?? "open";
  return { end, head: events.at(-1).hash, result };
}

// -- chain: each event has a hash, over its content and the hash before it ------------------------------------------

// Checks plies and links and, in the file of a finished match, hashes.
async function checkChain({ header, events }) {
  const complete = header.complete === true;
  let before = "0".repeat(64);
  for (const [n, event] of events.entries()) {
    if (event.ply !== n + 1) throw new VerificationError(n + 2, `expected ply ${n + 1} here, found ${event.ply}`);
    if (event.prev !== before) throw new VerificationError(n + 2, "the event does not link to the one before it");
    if (complete) {
      const { prev, hash, ...sealed } = event;
      if (hex(await sha256(text.encode(prev + canonical(sealed)))) !== hash) {
        throw new VerificationError(n + 2, "the event was changed after it was sealed");
      }
    } else if (event.salt !== null) {
      throw new VerificationError(n + 2, "the file of a running match must not contain salts");
    }
    before = event.hash;
  }
  if (!complete) return ["partly", "the links are correct; hashes can be checked when the match is over"];
  return ["ok", `${events.length} hashes recomputed`];
}

// -- seed: committed to before the start, and mixed with the players' client seeds ----------------------------------

// Checks the revealed seed, and keeps it for the draws.
async function checkRevealedSeed(file) {
  if (file.header.complete !== true) return ["not_checked", "the seed is revealed when the match is over"];
  file.seed = await checkSeed(file.events);
  return ["ok", `the seed matches its commitment, and ${file.events.length} salts come from it`];
}

// Checks the seed against commitment, salts and client seeds, and returns its bytes.
async function checkSeed(events) {
  const revealed = firstOf(events, "seed_revealed");
  if (!revealed) throw new TypeError("no seed is revealed");
  const [created] = events;
  const place = revealed[0];
  let seed;
  try {
    seed = unhex(revealed[1].seed);
  } catch {
    throw new VerificationError(place + 2, "the seed is not hexadecimal");
  }
  if (hex(await sha256(seed)) !== created.commitment) {
    throw new VerificationError(place + 2, "the seed is not the one that was committed to");
  }
  const mac = await hmac(seed);
  for (const [n, event] of events.entries()) {
    if (event.salt !== hex(await mac(text.encode(`salt/v1|${n + 1}`)))) {
      throw new VerificationError(n + 2, "the salt does not come from the seed");
    }
  }
  const sent = new Map();
  for (const [n, event] of events.entries()) {
    if (event.kind === "seat_taken") sent.set(event.seat, event.client_seed);
    if (event.kind !== "started") continue;
    const clientSeeds = created.seats.map((_, seat) => sent.get(seat) ?? null);
    await checkShares(n + 2, created, event, clientSeeds, seed);
  }
  return seed;
}

// Checks the order of seats if it is random, and that the start lists the client seeds in that order.
async function checkShares(line, created, started, clientSeeds, seed) {
  let order = [...clientSeeds.keys()];
  if (created.seating === "chance") {
    const key = await matchKey(seed, { ...created, match: `${created.match}|seats` }, clientSeeds);
    order = await shuffled(await draws(key, 0), order);
    if (!same(order, started.order ?? null)) {
      throw new VerificationError(line, `the seed seats the players as ${order}, not as ${started.order}`);
    }
  } else if ("order" in started) {
    throw new VerificationError(line, "the players chose their seats, so there must be no random order");
  }
  if (!same(order.map((seat) => clientSeeds[seat]), started.client_seeds)) {
    throw new VerificationError(line, "the client seeds are not those that the players sent");
  }
}

// -- signature ------------------------------------------------------------------------------------------------------

// Checks the signature of the closing line, and whether the server publishes its key.
async function checkSignature({ header, events, closing, keys, required }) {
  const line = events.length + 2;
  if (!closing.signature) {
    if (required) throw new VerificationError(line, "the file is not signed, and this server signs every file of its matches");
    return ["not_checked", "the file is not signed"];
  }
  const { key } = closing.signature;
  const known = keys.includes(key);
  if (required && !known) throw new VerificationError(line, "the file is signed by a key that this server does not publish");
  const valid = await isValid(header, closing);
  if (valid === null) return ["not_checked", "this browser cannot check Ed25519 signatures"];
  if (!valid) throw new VerificationError(line, "the signature is not valid for its key and this file");
  if (known) return ["ok", "signed by this server's key"];
  return ["partly", `signed by key ${key}, which this server does not publish; its owner was not checked`];
}

// Whether the signature is valid: true, false, or null if this browser cannot check it.
async function isValid(header, { signature, ...unsigned }) {
  const message = text.encode(`crumbtrail/${header.crumbtrail}\n${canonical(header)}\n${canonical(unsigned)}\n`);
  try {
    const key = await crypto.subtle.importKey("raw", unhex(signature.key), { name: "Ed25519" }, false, ["verify"]);
    return await crypto.subtle.verify({ name: "Ed25519" }, key, unhex(signature.value), message);
  } catch (error) {
    return error.name === "NotSupportedError" ? null : false;
  }
}

// Checks that a signature has a key and a value, both in hex.
function checkSignatureForm(line, signature) {
  if (!isObject(signature) || !same(Object.keys(signature).sort(), ["key", "value"])) {
    throw new VerificationError(line, "a signature must have exactly `key` and `value`");
  }
  for (const [name, digits] of Object.entries({ key: 64, value: 128 })) {
    if (typeof signature[name] !== "string" || !new RegExp(`^[0-9a-f]{${digits}}$`).test(signature[name])) {
      throw new VerificationError(line, `the signature's \`${name}\` is not ${digits} hexadecimal digits`);
    }
  }
}

// -- bytes ----------------------------------------------------------------------------------------------------------

const text = new TextEncoder();

export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

export function unhex(digits) {
  if (typeof digits !== "string" || !/^([0-9a-f]{2})*$/.test(digits)) throw new TypeError("not hexadecimal");
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

// Returns a function that computes the HMAC-SHA256 of a message with this key.
export async function hmac(key) {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return async (message) => new Uint8Array(await crypto.subtle.sign("HMAC", imported, message));
}

// -- draws: from the seed to numbers (docs/verify-a-roll.md) --------------------------------------------------------

const WORDS = 2 ** 32;

// Returns the key of all draws of a match. A fork with the same luck has the key of the match it comes from.
export async function matchKey(seed, created, clientSeeds) {
  const mac = await hmac(seed);
  if (created.given) return mac(text.encode("key/v1|given"));
  let { match } = created;
  if (created.fork?.luck === "same") {
    match = created.fork.origin;
    clientSeeds = created.fork.client_seeds;
  }
  return mac(joined(text.encode(`key/v1${match}`), await sha256(text.encode(clientSeeds.join("\n")))));
}

// The draws of game event n: an asynchronous function `below(k)` that returns the next number from 0 to k - 1.
export async function draws(key, n) {
  const mac = await hmac(key);
  let block = 0;
  let words = [];
  return async (k) => {
    for (;;) {
      if (!words.length) {
        // A block of 32 bytes gives eight words of 32 bits.
        const label = joined(text.encode(`draw/v1|${n}|`), new Uint8Array(new BigUint64Array([0n]).buffer));
        new DataView(label.buffer).setBigUint64(label.length - 8, BigInt(block));
        const view = new DataView((await mac(label)).buffer);
        words = Array.from({ length: 8 }, (_, i) => view.getUint32(4 * i));
        block += 1;
      }
      const word = words.shift();
      // Skip words from the limit up: they would make small remainders more likely.
      if (word < WORDS - (WORDS % k)) return word % k;
    }
  };
}

// The items shuffled by the draws (Fisher-Yates, from the end).
export async function shuffled(below, items) {
  const deck = [...items];
  for (let i = deck.length - 1; i > 0; i -= 1) {
    const j = await below(i + 1);
    [deck[i], deck[j]] = [deck[j], deck[i]];
  }
  return deck;
}

// -- draws: following a match (docs/draws.md) -----------------------------------------------------------------------

// Limit on the cards in all piles of a match. The known games have less than a quarter of it.
const MAX_CARDS = 2000;

// Reproduces every draw and compares it with the facts.
async function checkDraws({ events, seed }) {
  if (!seed) return ["not_checked", "the seed is not known"];
  const [created] = events;
  const table = DRAWS[created.game]?.[String(created.rules_version)];
  if (!table) return ["not_checked", "this verifier does not know this version of the game"];
  const interpreter = new DrawInterpreter(table, created);
  try {
    await checkAllDraws(events, seed, interpreter);
  } catch (wrong) {
    if (!interpreter.mismatches.length) throw wrong;
  }
  if (interpreter.mismatches.length) {
    const [{ ply, sentence }, ...more] = interpreter.mismatches;
    throw new VerificationError(ply + 1, sentence + (more.length ? ` (and ${more.length} more)` : ""));
  }
  return ["ok", `${interpreter.drawCount} draws reproduced`];
}

// Runs an interpreter over the facts and draws of each event; restores its piles when plies are taken back.
async function checkAllDraws(events, seed, interpreter) {
  const [created] = events;
  const back = new Set(Array.from(events, returnsTo));
  const kept = new Map();
  let key = null;
  let number = created.fork?.draws ?? 0;
  for (const [n, event] of events.entries()) {
    const ply = n + 1;
    const wanted = decides(event, created) ? number : null;
    if (!same(event.draw, wanted)) {
      const pair = `${canonical(wanted)}, the file says ${canonical(event.draw)}`;
      throw new VerificationError(ply + 1, `ply ${ply}: the number of the game event must be ${pair}`);
    }
    if (wanted !== null) number += 1;
    else if (event.facts.length && !(ply === 1 && created.fork)) {
      throw new VerificationError(ply + 1, `ply ${ply}: the event decides nothing, but it has facts`);
    }
    if (event.kind === "started") key = await matchKey(seed, created, event.client_seeds);
    if (wanted !== null && !key) throw new VerificationError(ply + 1, `ply ${ply}: a move before the start`);
    await interpreter.runEvent(ply, event.facts, wanted === null ? null : await draws(key, wanted));
    if (returnsTo(event) !== null) interpreter.piles = structuredClone(need(kept.get(returnsTo(event))));
    if (back.has(ply)) kept.set(ply, structuredClone(interpreter.piles));
  }
}

// Returns the ply that a takeback or a ruling takes the match back to; null for any other event.
function returnsTo({ kind, ruling, to_ply: ply = null }) {
  return kind === "taken_back" || ruling === "rolled_back" ? ply : null;
}

// Whether the event decides something in the game: a move, or the start of a match that is not a fork.
const decides = ({ kind }, created) => kind === "moved" || (kind === "started" && !created.fork);

// -- draws: the interpreter of the tables (docs/draws.md) -----------------------------------------------------------

// A table lists, for each type of fact, the steps to take. A step is a verb with its arguments:
//
//     "cake_laid": [["shuffle", "=dominoes", "cake", "cells.*.piece"]]
//
// means: shuffle the table's list `dominoes`. The result must equal what the fact shows at `cells.*.piece` (the `piece`
// of every item of `cells`), and becomes the pile `cake`. Each verb is a method below.
//
// Arguments are terms. A term is a path into the fact ("dice"), or starts with a mark: "#deck" is a pile, "=cards" a
// list of the table, "@recipe" an option of the match, "@seats" the number of seats, "'blind" the text itself. `{seat}`
// in a name is replaced by the fact's field `seat`.

// Follows the facts of a match, keeps its piles of cards, and reproduces every draw that a fact shows. If the file shows
// another value than the seed gives, it records the mismatch and continues with the file's value.
class DrawInterpreter {
  constructor(table, created) {
    this.table = table;
    this.options = created.options;
    this.seats = created.seats.length;
    this.piles = {};
    this.mismatches = [];
    this.drawCount = 0;
  }

  // Follows the facts of one event. `source` is its `below`, or null if nothing is drawn for these facts.
  async runEvent(ply, facts, source) {
    this.ply = ply;
    this.source = source;
    for (const fact of facts) {
      this.factType = fact.type;
      const steps = Object.hasOwn(this.table.facts, fact.type) ? this.table.facts[fact.type] : null;
      if (!steps && !this.table.others.includes(fact.type)) {
        throw new VerificationError(ply + 1, `ply ${ply}, ${[...fact.type].slice(0, 40).join("")}: the game has no such fact`);
      }
      try {
        await this.runSteps(steps ?? [], fact);
      } catch {
        throw new VerificationError(ply + 1, `ply ${ply}, ${fact.type}: the fact does not have the specified form`);
      }
    }
    const cards = Object.values(this.piles).reduce((sum, pile) => sum + pile.length, 0);
    if (cards > MAX_CARDS) throw new VerificationError(ply + 1, `ply ${ply}: more cards than any game has`);
  }

  // Takes steps for a fact.
  async runSteps(steps, fact) {
    for (const [verb, ...rest] of steps) await this[verb](fact, ...rest);
  }

  // The value of a term. A number is its own value; a list gives the values of its terms.
  value(term, fact) {
    if (Array.isArray(term)) return term.map((each) => this.value(each, fact));
    if (typeof term !== "string") return term;
    const name = fillIn(term.slice(1), fact);
    switch (term[0]) {
      case "'":
        return name;
      case "#":
        return this.piles[name] ?? [];
      case "=":
        return need(this.table.lists[name]);
      case "@":
        return name === "seats" ? this.seats : need(this.options[name]);
      default:
        return walk(fact, term.split("."));
    }
  }

  // The value of a term as one flat list.
  flat(term, fact) {
    return flat(this.value(term, fact));
  }

  // The pile of this name; created empty if needed.
  pile(name, fact) {
    return (this.piles[fillIn(name, fact)] ??= []);
  }

  // Returns the next draw.
  draw(k) {
    this.drawCount += 1;
    return this.source(k);
  }

  // Records the first item that differs in the file.
  compare(giver, expected, found) {
    if (same(expected, found)) return;
    const length = Math.max(expected.length, found.length);
    let n = 0;
    while (same(expected.slice(n, n + 1), found.slice(n, n + 1))) n += 1;
    const [wanted, shown] = [expected, found].map((items) => (n < items.length ? canonical(items[n]) : "nothing"));
    const which = length > 1 ? ` ${n + 1} of ${length}` : "";
    const sentence = `ply ${this.ply}, ${this.factType}${which}: ${giver} gives ${wanted}, the file shows ${shown}`;
    this.mismatches.push({ ply: this.ply, sentence });
  }

  // -- steps that draw: `target` must show what the seed gives

  // Each number at `target` is a die roll.
  async dice(fact, target) {
    await this.numbers(6, 1, this.flat(target, fact));
  }

  // Each number at `target` is a draw below k.
  async below(fact, k, target) {
    await this.numbers(this.value(k, fact), 0, this.flat(target, fact));
  }

  async numbers(k, least, found) {
    if (!this.source) return;
    const expected = [];
    while (expected.length < found.length) expected.push((await this.draw(k)) + least);
    this.compare("the seed", expected, found);
  }

  // One of the items is drawn.
  async pick(fact, source, target) {
    if (!this.source) return;
    const items = this.flat(source, fact);
    const expected = items.length ? [items[await this.draw(items.length)]] : [];
    this.compare("the seed", expected, this.flat(target, fact));
  }

  // The items are shuffled, and the first `shown` of them (or all) become a pile.
  async shuffle(fact, source, pile, target, shown) {
    const found = this.flat(target, fact);
    if (this.source) {
      const deck = await shuffled((k) => this.draw(k), this.flat(source, fact));
      this.compare("the seed", deck.slice(0, shown), found);
    }
    this.piles[fillIn(pile, fact)] = found;
  }

  // Things are laid out on a board: its sections are shuffled, and each thing gets a free tile of the next one.
  async spread(fact, target, names, sections, rotations, tiles, corners) {
    if (!this.source) return;
    const shapes = this.value(tiles, fact);
    const turns = this.flat(rotations, fact);
    const origins = this.value(corners, fact);
    const free = this.flat(sections, fact).map((section, n) =>
      shapes[section][turns[n]].map(([row, column]) => [origins[n][0] + row, origins[n][1] + column]),
    );
    const parts = await shuffled((k) => this.draw(k), free.keys());
    const expected = {};
    for (const [n, name] of this.flat(names, fact).entries()) {
      const left = free[parts[n % parts.length]];
      [expected[name]] = left.splice(await this.draw(left.length), 1);
    }
    const found = this.value(target, fact);
    if (!isObject(found)) throw new TypeError("not an object");
    this.compare("the seed", sorted(expected), sorted(found));
  }

  // -- steps that compare with a pile that was shuffled before

  // The items at `target` are the first of a pile, and are removed from it.
  top(fact, pile, target) {
    const found = this.flat(target, fact);
    this.compare("the pile", this.pile(pile, fact).splice(0, found.length), found);
  }

  // The item at `target` is at this index of a pile, from 0.
  at(fact, pile, place, target) {
    const n = whole(this.value(place, fact));
    this.compare("the pile", this.pile(pile, fact).slice(n, n + 1), this.flat(target, fact));
  }

  // -- steps that change piles

  // Replaces a pile by these items.
  set(fact, pile, term) {
    this.piles[fillIn(pile, fact)] = this.flat(term, fact);
  }

  // Adds these items to the end of a pile.
  put(fact, pile, term) {
    this.pile(pile, fact).push(...this.flat(term, fact));
  }

  // Adds a value to the end of a pile as one item.
  push(fact, pile, term) {
    this.pile(pile, fact).push(this.value(term, fact));
  }

  // Removes each of these items from a pile, once.
  drop(fact, pile, term) {
    this.flat(term, fact).forEach((card) => remove(this.pile(pile, fact), card));
  }

  // Moves these items from any pile to the end of this one; those in `others` go to `elsewhere`.
  move(fact, pile, term, others = [], elsewhere = "") {
    const special = this.flat(others, fact);
    for (const card of this.flat(term, fact)) {
      Object.values(this.piles).forEach((cards) => remove(cards, card));
      this.pile(special.includes(card) ? elsewhere : pile, fact).push(card);
    }
  }

  // Makes each seat's hand a pile, named by the prefix and the seat.
  hold(fact, prefix, term) {
    for (const [seat, cards] of bySeat(this.value(term, fact))) this.piles[`${prefix}.${seat}`] = flat(cards);
  }

  // Replaces a pile by these hands in dealing order: round by round, starting with the seat `first`.
  deal(fact, pile, term, first) {
    const hands = bySeat(this.value(term, fact)).map(([, cards]) => flat(cards));
    const start = whole(this.flat(first, fact)[0]);
    const dealt = [...hands.slice(start), ...hands.slice(0, start)];
    const rounds = Array.from({ length: Math.max(0, ...dealt.map((hand) => hand.length)) }, (_, n) => n);
    this.piles[fillIn(pile, fact)] = rounds.flatMap((n) => dealt.flatMap((hand) => hand.slice(n, n + 1)));
  }

  // Sorts a pile in this order.
  sort(fact, pile, order) {
    const ranks = this.flat(order, fact);
    const cards = this.pile(pile, fact);
    if (!cards.every((card) => ranks.includes(card))) throw new TypeError("a card that is not in the list");
    cards.sort((one, other) => ranks.indexOf(one) - ranks.indexOf(other));
  }

  // -- steps that contain other steps

  // Takes some steps if two terms are equal, otherwise others.
  async when(fact, one, other, steps, otherwise = []) {
    await this.runSteps(same(this.flat(one, fact), this.flat(other, fact)) ? steps : otherwise, fact);
  }

  // Takes steps for each part of the fact at `target`.
  async each(fact, target, steps) {
    for (const part of this.value(target, fact)) await this.runSteps(steps, part);
  }
}

// Returns the value; throws if it is missing.
function need(value) {
  if (value === undefined) throw new TypeError("something is missing");
  return value;
}

// Returns the value; throws unless it is a whole number.
function whole(value) {
  if (!Number.isInteger(value)) throw new TypeError("not a whole number");
  return value;
}

// A name with the fact's values filled in: `hand.{seat}` is `hand.0` for seat 0.
const fillIn = (name, fact) => name.replace(/\{(\w+)\}/g, (_, field) => String(need(fact[field])));

// The value at a path; `*` is every item.
function walk(value, [name, ...rest]) {
  if (name === undefined) return value;
  if (name === "*") return value.map((item) => walk(item, rest));
  return walk(need(value[name]), rest);
}

// Returns pairs of name and member, sorted by name.
const sorted = (object) => Object.keys(object).sort().map((name) => [name, object[name]]);

// The scalars in a value in order, without null.
function flat(value) {
  if (value === null) return [];
  if (Array.isArray(value)) return value.flatMap(flat);
  return typeof value === "object" ? sorted(value).flatMap(([, item]) => flat(item)) : [value];
}

// Pairs of seat and cards from an array or an object of hands.
function bySeat(hands) {
  if (Array.isArray(hands)) return hands.map((cards, seat) => [String(seat), cards]);
  return hands === null ? [] : sorted(hands);
}

// Removes the card from the list if it is there.
function remove(cards, card) {
  const place = cards.indexOf(card);
  if (place >= 0) cards.splice(place, 1);
}
