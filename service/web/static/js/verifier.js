// A verifier of replay files that runs in the reader's own browser: Web Crypto and nothing else. It checks the file's
// form, the chain, the seed, every draw, and the signature. It does not know the rules. Specified in
// docs/replay-format.md, docs/verify-a-roll.md and docs/draws.md; it does in the same order what
// replays/standalone_verify.py does.

import { DRAWS } from "./draws.js";

const MAX_FILE = 16 * 2 ** 20;
const MAX_LINE = 2 ** 20;
const MAX_EVENTS = 100000;
const LONE_SURROGATE = /(?:^|[^\\])(?:\\\\)*\\ud[89a-f]/;
const HEADER = {
  "replay/v1": ["crumbtrail", "match", "game", "rules_version", "events", "complete"],
  "replay/v2": [
    ...["crumbtrail", "match", "game", "rules_version", "events", "complete"],
    ...["options", "components", "seats", "commitment", "seed"],
  ],
};
const CLOSING = ["end", "head", "result"];
const SIGNATURE = { key: 64, value: 128 };
const EVENT = ["kind", "ply", "seat", "at", "move", "facts", "draw", "first_fact", "salt", "prev", "hash"];
// What the fields are that the checks below go by.
const FORMS = {
  created: { match: "string", game: "string", options: "object", seats: "list", commitment: "string", given: "boolean" },
  seat_taken: { client_seed: "string" },
  started: { client_seeds: "list" },
  seed_revealed: { seed: "string" },
};
const FORK = { luck: "string", origin: "string", draws: "number", client_seeds: "list" };
const WORDS = 2 ** 32;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.(?!000000)\d{6})?Z$/;
const MOST_CARDS = 2000;
const GENESIS = "0".repeat(64);

class Wrong extends Error {
  constructor(line, sentence) {
    super(sentence);
    this.line = line;
  }
}

const text = new TextEncoder();

// RFC 8785 for whole numbers and ASCII keys, which is all that files hold.
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(",")}}`;
}

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

// HMAC-SHA256 under a key, as a function of the message.
export async function hmac(key) {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return async (message) => new Uint8Array(await crypto.subtle.sign("HMAC", imported, message));
}

// -- file -----------------------------------------------------------------------------------------------------------

// A number that every JSON reader takes for the same.
function safe(_, value) {
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw new RangeError(`a number beyond 2^53 - 1: ${value}`);
  return value;
}

function readLine(number, bytes) {
  let line;
  let value;
  try {
    line = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Wrong(number, "the line is not UTF-8");
  }
  let exact;
  try {
    value = JSON.parse(line, safe);
    exact = canonical(value);
  } catch (error) {
    throw new Wrong(number, `the line is not JSON of our kind: ${String(error.message).slice(0, 120)}`);
  }
  if (exact !== line) throw new Wrong(number, "the line is not in canonical form");
  // Half of a pair of code units is no character: canonical JSON could only write it as an escape.
  if (LONE_SURROGATE.test(exact)) throw new Wrong(number, "the line is not UTF-8");
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new Wrong(number, "the line is not an object");
  }
  return value;
}

function parse(raw) {
  if (raw.length > MAX_FILE) {
    const feeds = raw.subarray(0, MAX_FILE).reduce((count, byte) => count + (byte === 10), 0);
    throw new Wrong(feeds + 1, "the file is larger than 16 MiB");
  }
  const lines = [];
  let from = 0;
  for (let at = raw.indexOf(10); at >= 0; at = raw.indexOf(10, from)) {
    lines.push(raw.subarray(from, at));
    from = at + 1;
    if (lines.length > MAX_EVENTS + 2) throw new Wrong(MAX_EVENTS + 3, "the file has more than 100000 events");
  }
  const long = [...lines, raw.subarray(from)].findIndex((line) => line.length > MAX_LINE);
  if (long >= 0) throw new Wrong(long + 1, "the line is longer than 1 MiB");
  if (from < raw.length) throw new Wrong(lines.length + 1, "the file breaks off in the middle of a line");
  if (lines.length < 3) throw new Wrong(lines.length + 1, "a file has a header, events and a closing line");
  const ends = new Map();
  for (const [n, line] of lines.entries()) {
    const value = readLine(n + 1, line);
    if (n === 0 || n === lines.length - 1) ends.set(n, value);
  }
  return { header: ends.get(0), events: new Events(lines.slice(1, -1)), closing: ends.get(lines.length - 1) };
}

// The events of a file, each made of its line whenever it is looked at: all at once might fill the memory.
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

  // Pairs of number, from 0, and event.
  *entries() {
    for (const n of this.lines.keys()) yield [n, this.at(n)];
  }
}

const same = (one, other) => canonical(one ?? null) === canonical(other ?? null);
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function checkFrame({ header, events, closing }) {
  const last = events.length + 2;
  const names = typeof header.crumbtrail === "string" && HEADER[header.crumbtrail];
  if (!Array.isArray(names) || !same(Object.keys(header).sort(), [...names].sort())) {
    throw new Wrong(1, "the header is not one of replay/v1 or replay/v2");
  }
  for (const [n, event] of events.entries()) checkEvent(n + 2, event);
  const expected = headerOf(events, header.crumbtrail);
  if (canonical(header) !== canonical(expected)) {
    const wrong = Object.keys(header).sort().filter((name) => !same(header[name], expected[name]));
    throw new Wrong(1, `the header is not what the events say: ${wrong.join(", ")}`);
  }
  const fields = Object.keys(closing).filter((name) => name !== "signature");
  if (!same(fields.sort(), CLOSING)) {
    throw new Wrong(last, "the closing line has other fields than end, head, result and signature");
  }
  const kinds = new Set(Array.from(events, ({ kind }) => kind));
  const ends = { ended: "finished", cancelled: "cancelled", started: "playing" };
  const end = ends[Object.keys(ends).find((kind) => kinds.has(kind))] ?? "open";
  for (const [name, value] of Object.entries({ end, head: events.at(-1).hash, result: resultOf(events) })) {
    if (!same(closing[name], value)) throw new Wrong(last, `the closing line's \`${name}\` is not what the events say`);
  }
  if ("signature" in closing) checkForm(last, closing.signature);
}

// An event has the fields that the checks go by, and facts that say what they are.
function checkEvent(line, event) {
  const lacking = EVENT.filter((name) => !(name in event)).sort();
  if (lacking.length) throw new Wrong(line, `the event lacks ${lacking.join(", ")}`);
  const { kind, facts } = event;
  if (!Array.isArray(facts) || !facts.every(isObject)) {
    throw new Wrong(line, "the event's facts are not a list of facts");
  }
  if (!facts.every((fact) => typeof fact.type === "string")) {
    throw new Wrong(line, "the event's facts do not say what they are");
  }
  if (!isTime(event.at)) throw new Wrong(line, "the event's `at` is not a time in UTC");
  if (typeof kind !== "string" || (kind === "created") !== (line === 2)) {
    throw new Wrong(line, "the first event and no other is `created`");
  }
  const numbers = ["seat", "draw"].filter((name) => event[name] !== null).map((name) => [name, "number"]);
  const forms = { ply: "number", ...Object.fromEntries(numbers), prev: "string", hash: "string", ...FORMS[kind] };
  checkFields(line, event, forms);
  if (kind === "created" && "fork" in event) {
    checkFields(line, event, { fork: "object" });
    checkFields(line, event.fork, FORK);
  }
  if (kind === "started" && "order" in event) checkFields(line, event, { order: "list" });
}

// Fields are of these forms; lists of client seeds hold texts, an order of seats holds numbers.
function checkFields(line, holder, forms) {
  for (const [name, form] of Object.entries(forms)) {
    const value = holder[name];
    let fits = isObject(value) ? form === "object" : Array.isArray(value) ? form === "list" : typeof value === form;
    if (value === null || value === undefined) fits = false;
    if (name === "client_seeds" && fits) fits = value.every((each) => typeof each === "string");
    if (name === "order" && fits) fits = value.every(Number.isInteger);
    if (!fits) throw new Wrong(line, `the event's \`${name}\` is not of the form that is specified`);
  }
}

// Whether this is a time in UTC as files write it: to the second, or with six digits behind it.
function isTime(value) {
  if (typeof value !== "string" || !TIME.test(value) || value.startsWith("0000")) return false;
  const seconds = value.slice(0, 19);
  const read = new Date(`${seconds}Z`);
  return !Number.isNaN(read.valueOf()) && read.toISOString().startsWith(seconds);
}

// Whether the checks behind the file's own can go by these events.
function wellFormed(events) {
  try {
    for (const [n, event] of events.entries()) checkEvent(n + 2, event);
    return true;
  } catch {
    return false;
  }
}

// Number, from 0, and event of the first of a kind; null where there is none.
function firstOf(events, kind) {
  for (const [n, event] of events.entries()) if (event.kind === kind) return [n, event];
  return null;
}

// The header of a file with these events.
function headerOf(events, version) {
  const [first] = events;
  const revealed = firstOf(events, "seed_revealed")?.[1];
  const header = Object.fromEntries(HEADER[version].map((name) => [name, first[name] ?? null]));
  Object.assign(header, { crumbtrail: version, events: events.length, complete: Boolean(revealed) });
  if (version === "replay/v1") return header;
  return { ...header, seats: sitters(events), seed: revealed?.seed ?? null };
}

// Who sits at each seat in the end: a player's id, or `bot:` and a level; null where nobody does.
const SITTING = ["seat_taken", "seat_left", "handed_over"];

function sitters(events) {
  let seats = events.at(0).seats.map(() => null);
  for (const { kind, seat, player, level, consequence, order } of events) {
    const over = kind === "expired" && consequence === "bot_takes_over";
    if ((SITTING.includes(kind) || over) && Number.isInteger(seat) && seat in seats) {
      seats[seat] = player ?? (level === null || level === undefined ? null : `bot:${level}`);
    }
    if (kind === "started" && order) seats = seats.map((_, place) => seats[order[place]] ?? null);
  }
  return seats;
}

// The result that stands: the game's own, or an arbiter's ruling on it.
function resultOf(events) {
  let result = null;
  for (const { kind, ruling, outcome } of events) {
    if (kind === "ended" || (kind === "resolved" && ruling === "result_of")) result = outcome ?? null;
    if (kind === "resolved" && ruling === "annulled") result = null;
  }
  return result;
}

function checkForm(line, signature) {
  if (!isObject(signature) || !same(Object.keys(signature).sort(), Object.keys(SIGNATURE))) {
    throw new Wrong(line, "a signature has `key` and `value`");
  }
  for (const [name, digits] of Object.entries(SIGNATURE)) {
    if (typeof signature[name] !== "string" || !new RegExp(`^[0-9a-f]{${digits}}$`).test(signature[name])) {
      throw new Wrong(line, `the signature's \`${name}\` is not ${digits} hexadecimal digits`);
    }
  }
}

// -- chain ----------------------------------------------------------------------------------------------------------

async function checkChain(events, complete) {
  let before = GENESIS;
  for (const [n, event] of events.entries()) {
    if (event.ply !== n + 1) throw new Wrong(n + 2, `ply ${n + 1} is expected here, found ${event.ply}`);
    if (event.prev !== before) throw new Wrong(n + 2, "the event does not follow the one before it");
    if (complete) {
      const { prev, hash, ...bare } = event;
      if (hex(await sha256(text.encode(prev + canonical(bare)))) !== hash) {
        throw new Wrong(n + 2, "the event was changed after it was sealed");
      }
    } else if (event.salt !== null) {
      throw new Wrong(n + 2, "a running match shows no salt");
    }
    before = event.hash;
  }
}

// -- signature ------------------------------------------------------------------------------------------------------

// Whether the signature is right: true, false, or null where this browser cannot check one.
async function checkSignature({ header, closing }) {
  const { signature, ...unsigned } = closing;
  const message = text.encode(`crumbtrail/${header.crumbtrail}\n${canonical(header)}\n${canonical(unsigned)}\n`);
  try {
    const key = await crypto.subtle.importKey("raw", unhex(signature.key), { name: "Ed25519" }, false, ["verify"]);
    return await crypto.subtle.verify({ name: "Ed25519" }, key, unhex(signature.value), message);
  } catch (error) {
    return error.name === "NotSupportedError" ? null : false;
  }
}

// -- seed, draws ----------------------------------------------------------------------------------------------------

async function checkSeed(events) {
  const revealed = firstOf(events, "seed_revealed");
  if (!revealed) throw new TypeError("no seed is revealed");
  const [created] = events;
  const place = revealed[0];
  let seed;
  try {
    seed = unhex(revealed[1].seed);
  } catch {
    throw new Wrong(place + 2, "the seed is not hexadecimal");
  }
  if (hex(await sha256(seed)) !== created.commitment) {
    throw new Wrong(place + 2, "the seed is not the one that was committed to");
  }
  const mac = await hmac(seed);
  for (const [n, event] of events.entries()) {
    if (event.salt !== hex(await mac(text.encode(`salt/v1|${n + 1}`)))) {
      throw new Wrong(n + 2, "the salt does not come from the seed");
    }
  }
  const given = new Map();
  for (const [n, event] of events.entries()) {
    if (event.kind === "seat_taken") given.set(event.seat, event.client_seed);
    if (event.kind !== "started") continue;
    const shares = created.seats.map((_, seat) => given.get(seat) ?? null);
    await checkShares(n + 2, created, event, shares, seed);
  }
  return seed;
}

// The client seeds in seat order; where chance decides who sits where, first that order.
async function checkShares(line, created, started, shares, seed) {
  const order = [...shares.keys()];
  if (created.seating === "chance") {
    const below = await draws(await matchKey(seed, { ...created, match: `${created.match}|seats` }, shares), 0);
    for (let i = order.length - 1; i > 0; i -= 1) {
      const j = await below(i + 1);
      [order[i], order[j]] = [order[j], order[i]];
    }
    if (!same(order, started.order ?? null)) {
      throw new Wrong(line, `the seed seats the players as ${order}, not as ${started.order}`);
    }
  } else if ("order" in started) {
    throw new Wrong(line, "the players chose their seats, so there is no order of chance");
  }
  if (!same(order.map((seat) => shares[seat]), started.client_seeds)) {
    throw new Wrong(line, "the client seeds are not those that the players gave");
  }
}

// The key of all draws of a match; a fork with the same luck has that of the match it comes from.
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

// The draws of game event n: an asynchronous function `below`.
export async function draws(key, n) {
  const mac = await hmac(key);
  let block = 0;
  let words = [];
  return async (k) => {
    for (;;) {
      if (!words.length) {
        const label = joined(text.encode(`draw/v1|${n}|`), new Uint8Array(new BigUint64Array([0n]).buffer));
        new DataView(label.buffer).setBigUint64(label.length - 8, BigInt(block));
        const view = new DataView((await mac(label)).buffer);
        words = Array.from({ length: 8 }, (_, i) => view.getUint32(4 * i));
        block += 1;
      }
      const word = words.shift();
      if (word < WORDS - (WORDS % k)) return word % k;
    }
  };
}

// The items in the order in which the draws put them.
export async function shuffled(below, items) {
  const deck = [...items];
  for (let i = deck.length - 1; i > 0; i -= 1) {
    const j = await below(i + 1);
    [deck[i], deck[j]] = [deck[j], deck[i]];
  }
  return deck;
}

async function checkDraws(events, seed) {
  const [created] = events;
  const table = DRAWS[created.game]?.[String(created.rules_version)];
  if (!table) return null;
  const follower = new Follower(table, created);
  try {
    await follow(events, seed, follower);
  } catch (wrong) {
    if (!follower.differences.length) throw wrong;
  }
  if (follower.differences.length) {
    const [{ ply, sentence }, ...more] = follower.differences;
    throw new Wrong(ply + 1, sentence + (more.length ? ` (and ${more.length} more)` : ""));
  }
  return follower.drawn;
}

// Take a follower through a match; what takes plies back takes the follower back too.
async function follow(events, seed, follower) {
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
      throw new Wrong(ply + 1, `ply ${ply}: the number of the game event is ${pair}`);
    }
    if (wanted !== null) number += 1;
    else if (event.facts.length && !(ply === 1 && created.fork)) {
      throw new Wrong(ply + 1, `ply ${ply}: there are facts where nothing is decided`);
    }
    if (event.kind === "started") key = await matchKey(seed, created, event.client_seeds);
    if (wanted !== null && !key) throw new Wrong(ply + 1, `ply ${ply}: a move before the start`);
    await follower.follow(ply, event.facts, wanted === null ? null : await draws(key, wanted));
    if (returnsTo(event) !== null) follower.piles = structuredClone(need(kept.get(returnsTo(event))));
    if (back.has(ply)) kept.set(ply, structuredClone(follower.piles));
  }
}

// The ply that a takeback or a ruling takes the match back to; null for any other event.
function returnsTo({ kind, ruling, to_ply: ply = null }) {
  return kind === "taken_back" || ruling === "rolled_back" ? ply : null;
}

function need(value) {
  if (value === undefined) throw new TypeError("something is missing");
  return value;
}

function whole(value) {
  if (!Number.isInteger(value)) throw new TypeError("not a whole number");
  return value;
}

// A name with the fact's values in it: `hand.{seat}`.
const filled = (name, fact) => name.replace(/\{(\w+)\}/g, (_, field) => String(need(fact[field])));

// What lies at the end of a path; `*` stands for every item.
function walk(value, [name, ...rest]) {
  if (name === undefined) return value;
  if (name === "*") return value.map((item) => walk(item, rest));
  return walk(need(value[name]), rest);
}

const sorted = (object) => Object.keys(object).sort().map((name) => [name, object[name]]);

// All in a value that is neither null nor an array or object, in order.
function flat(value) {
  if (value === null) return [];
  if (Array.isArray(value)) return value.flatMap(flat);
  return typeof value === "object" ? sorted(value).flatMap(([, item]) => flat(item)) : [value];
}

// Seat and cards of each, whether they come as an array or as an object.
function bySeat(hands) {
  if (Array.isArray(hands)) return hands.map((cards, seat) => [String(seat), cards]);
  return hands === null ? [] : sorted(hands);
}

// Whether something is decided in the game: a move, or the start but for that of a fork.
const decides = ({ kind }, created) => kind === "moved" || (kind === "started" && !created.fork);

// Follows the facts of a match, with the piles that cards lie on, and makes every draw that a fact shows again. What to
// do at which fact stands in the game's table, a list of steps; docs/draws.md explains them. Where the file shows
// another outcome than the seed gives, that is noted, and the file is followed.
class Follower {
  constructor(table, created) {
    this.table = table;
    this.options = created.options;
    this.seats = created.seats.length;
    this.piles = {};
    this.differences = [];
    this.drawn = 0;
  }

  // The facts of one event. Without a source of draws (they are those of another match) nothing is drawn.
  async follow(ply, facts, source) {
    this.ply = ply;
    this.source = source;
    for (const fact of facts) {
      this.place = fact.type;
      const steps = Object.hasOwn(this.table.facts, fact.type) ? this.table.facts[fact.type] : null;
      if (!steps && !this.table.others.includes(fact.type)) {
        throw new Wrong(ply + 1, `ply ${ply}, ${[...fact.type].slice(0, 40).join("")}: the game has no such fact`);
      }
      try {
        await this.take(steps ?? [], fact);
      } catch {
        throw new Wrong(ply + 1, `ply ${ply}, ${fact.type}: the fact is not of the form that is specified`);
      }
    }
    const cards = Object.values(this.piles).reduce((sum, pile) => sum + pile.length, 0);
    if (cards > MOST_CARDS) throw new Wrong(ply + 1, `ply ${ply}: more cards than any game has`);
  }

  async take(steps, fact) {
    for (const [verb, ...rest] of steps) await this[verb](fact, ...rest);
  }

  // What a term stands for: 'literal, #pile, =list, @option, a number, a sequence, or a path into the fact.
  value(term, fact) {
    if (Array.isArray(term)) return term.map((each) => this.value(each, fact));
    if (typeof term !== "string") return term;
    const name = filled(term.slice(1), fact);
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

  flat(term, fact) {
    return flat(this.value(term, fact));
  }

  pile(name, fact) {
    return (this.piles[filled(name, fact)] ??= []);
  }

  draw(k) {
    this.drawn += 1;
    return this.source(k);
  }

  // Note where the file shows something else.
  compare(giver, expected, found) {
    if (same(expected, found)) return;
    const length = Math.max(expected.length, found.length);
    let n = 0;
    while (same(expected.slice(n, n + 1), found.slice(n, n + 1))) n += 1;
    const [wanted, shown] = [expected, found].map((items) => (n < items.length ? canonical(items[n]) : "nothing"));
    const which = length > 1 ? ` ${n + 1} of ${length}` : "";
    const sentence = `ply ${this.ply}, ${this.place}${which}: ${giver} gives ${wanted}, the file shows ${shown}`;
    this.differences.push({ ply: this.ply, sentence });
  }

  // -- steps that draw

  // Every number is a die.
  async dice(fact, target) {
    await this.numbers(6, 1, this.flat(target, fact));
  }

  // Every number is a draw below k.
  async below(fact, k, target) {
    await this.numbers(this.value(k, fact), 0, this.flat(target, fact));
  }

  async numbers(k, least, found) {
    if (!this.source) return;
    const expected = [];
    while (expected.length < found.length) expected.push((await this.draw(k)) + least);
    this.compare("the seed", expected, found);
  }

  // One of these items.
  async pick(fact, source, target) {
    if (!this.source) return;
    const items = this.flat(source, fact);
    const expected = items.length ? [items[await this.draw(items.length)]] : [];
    this.compare("the seed", expected, this.flat(target, fact));
  }

  // These items shuffled, and (the first so many of) them put on a pile.
  async shuffle(fact, source, pile, target, shown) {
    const found = this.flat(target, fact);
    if (this.source) {
      const deck = await shuffled((k) => this.draw(k), this.flat(source, fact));
      this.compare("the seed", deck.slice(0, shown), found);
    }
    this.piles[filled(pile, fact)] = found;
  }

  // Things laid out on a board: its parts are shuffled, and each thing in turn goes to a free tile of the next.
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

  // -- steps that follow the piles

  // These are the first items of a pile, and leave it.
  top(fact, pile, target) {
    const found = this.flat(target, fact);
    this.compare("the pile", this.pile(pile, fact).splice(0, found.length), found);
  }

  // This is the item at a place of a pile.
  at(fact, pile, place, target) {
    const n = whole(this.value(place, fact));
    this.compare("the pile", this.pile(pile, fact).slice(n, n + 1), this.flat(target, fact));
  }

  // A pile is now just this.
  set(fact, pile, term) {
    this.piles[filled(pile, fact)] = this.flat(term, fact);
  }

  // This comes to the end of a pile.
  put(fact, pile, term) {
    this.pile(pile, fact).push(...this.flat(term, fact));
  }

  // This comes to the end of a pile as one item.
  push(fact, pile, term) {
    this.pile(pile, fact).push(this.value(term, fact));
  }

  // This leaves a pile, each item once.
  drop(fact, pile, term) {
    this.flat(term, fact).forEach((card) => remove(this.pile(pile, fact), card));
  }

  // This leaves whatever pile it lies on for the end of another one; what is of `others` goes elsewhere.
  move(fact, pile, term, others = [], elsewhere = "") {
    const special = this.flat(others, fact);
    for (const card of this.flat(term, fact)) {
      Object.values(this.piles).forEach((cards) => remove(cards, card));
      this.pile(special.includes(card) ? elsewhere : pile, fact).push(card);
    }
  }

  // A pile for each seat.
  hold(fact, prefix, term) {
    for (const [seat, cards] of bySeat(this.value(term, fact))) this.piles[`${prefix}.${seat}`] = flat(cards);
  }

  // A pile is now these hands as they were dealt: round by round, beginning with a seat.
  deal(fact, pile, term, first) {
    const hands = bySeat(this.value(term, fact)).map(([, cards]) => flat(cards));
    const start = whole(this.flat(first, fact)[0]);
    const dealt = [...hands.slice(start), ...hands.slice(0, start)];
    const rounds = Array.from({ length: Math.max(0, ...dealt.map((hand) => hand.length)) }, (_, n) => n);
    this.piles[filled(pile, fact)] = rounds.flatMap((n) => dealt.flatMap((hand) => hand.slice(n, n + 1)));
  }

  // A pile in this order.
  sort(fact, pile, order) {
    const ranks = this.flat(order, fact);
    const cards = this.pile(pile, fact);
    if (!cards.every((card) => ranks.includes(card))) throw new TypeError("a card that is not in the list");
    cards.sort((one, other) => ranks.indexOf(one) - ranks.indexOf(other));
  }

  // Steps that depend on whether two terms are the same.
  async when(fact, one, other, steps, otherwise = []) {
    await this.take(same(this.flat(one, fact), this.flat(other, fact)) ? steps : otherwise, fact);
  }

  // Steps at each of several parts of the fact.
  async each(fact, target, steps) {
    for (const part of this.value(target, fact)) await this.take(steps, part);
  }
}

function remove(cards, card) {
  const place = cards.indexOf(card);
  if (place >= 0) cards.splice(place, 1);
}

// -- the whole ------------------------------------------------------------------------------------------------------

// What was found of a file (Uint8Array): `layers` with name, status (ok, partly, not_checked, failed), sentence and
// line, and `first`, the earliest line at which something is wrong, or null. `keys` are the server's published ones; with
// `required` the file must be signed by one of them.
export async function verify(raw, keys = [], required = false) {
  const layers = [];
  let file;
  try {
    file = parse(raw);
  } catch (wrong) {
    if (!(wrong instanceof Wrong)) throw wrong;
    layers.push({ name: "file", status: "failed", sentence: wrong.message, line: wrong.line });
    return { ok: false, layers, first: wrong.line };
  }
  const { events, closing } = file;
  const complete = file.header.complete === true;
  const layer = async (name, check) => {
    try {
      const [status, sentence] = await check();
      layers.push({ name, status, sentence, line: null });
    } catch (wrong) {
      // Events of a wrong form may trip any check; they are then wrong from the first on.
      const line = wrong instanceof Wrong ? wrong.line : 2;
      const sentence = wrong instanceof Wrong ? wrong.message : "the events are not of the form that is specified";
      layers.push({ name, status: "failed", sentence, line });
    }
  };
  let seed = null;
  await layer("file", () => {
    checkFrame(file);
    return ["ok", `${events.length} events in canonical form`];
  });
  if (layers[0].line && !wellFormed(events)) return summary(layers);
  await layer("chain", async () => {
    await checkChain(events, complete);
    if (!complete) return ["partly", "the links hold; hashes can be computed when the match is over"];
    return ["ok", `${events.length} hashes computed again`];
  });
  await layer("signature", async () => {
    const line = events.length + 2;
    if (!closing.signature) {
      if (required) throw new Wrong(line, "the file is not signed, and this server signs every file of its matches");
      return ["not_checked", "the file is not signed"];
    }
    const known = keys.includes(closing.signature.key);
    if (required && !known) throw new Wrong(line, "the file is signed by a key that this server does not publish");
    const right = await checkSignature(file);
    if (right === null) return ["not_checked", "this browser cannot check Ed25519 signatures"];
    if (!right) throw new Wrong(line, "the signature is not one of its key over this file");
    if (known) return ["ok", "signed by this server's key"];
    const key = closing.signature.key;
    return ["partly", `signed by key ${key}, which this server does not publish; whose it is was not checked`];
  });
  await layer("seed", async () => {
    if (!complete) return ["not_checked", "the seed is revealed when the match is over"];
    seed = await checkSeed(events);
    return ["ok", `the seed is the one committed to, and so are ${events.length} salts`];
  });
  await layer("draws", async () => {
    if (!seed) return ["not_checked", "the seed is not known"];
    const checked = await checkDraws(events, seed);
    if (checked === null) return ["not_checked", "the rules of this game at this version are not among those known here"];
    return ["ok", `${checked} draws made again`];
  });
  return summary(layers);
}

function summary(layers) {
  const lines = layers.map((each) => each.line).filter((line) => line !== null);
  return { ok: !lines.length, layers, first: lines.length ? Math.min(...lines) : null };
}
