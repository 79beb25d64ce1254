// Checks replay files in the reader's own browser, with Web Crypto and no other library: the file's form, the chain,
// the seed, every draw, and the signature. It does not know the rules. Specified in docs/replay-format.md,
// docs/luck-protocol.md, docs/verify-a-roll.md and docs/draws.md.
//
// Read it from top to bottom; the order is that of replays/standalone_verify.py. First the checks of file, chain, seed
// and signature, then the draws: how numbers come from the seed, and the interpreter of the tables that list the random
// values in the facts of a game. The tables are data, in draws.js. There are two luck protocols; for seed and numbers,
// each has its own section.

import { DRAWS } from "./draws.js";

const MAX_FILE = 16 * 2 ** 20;
const MAX_LINE = 2 ** 20;
const MAX_EVENTS = 100000;

// An error on this line of the file. `rule` is the id of the broken rule in docs/replay-format.md.
class VerificationError extends Error {
  constructor(line, rule, sentence) {
    super(sentence);
    this.line = line;
    this.rule = rule;
  }
}

// Checks a file (Uint8Array). Returns `layers` with name, status (ok, partly, not_checked, failed), sentence, line,
// rule, and `first`, the earliest line with an error, or null. `keys` are the server's published keys; with `required`
// the file must be signed by one of them.
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
      layers.push({ name, status, sentence, line: null, rule: null });
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
  return { name, status: "failed", sentence, line: known ? wrong.line : 2, rule: known ? wrong.rule : "file.json" };
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
    throw new VerificationError(number, "file.utf8", "the line is not UTF-8");
  }
  let exact;
  try {
    value = JSON.parse(line, safe);
    exact = canonical(value);
  } catch (error) {
    throw new VerificationError(number, "file.json", `the line is not valid JSON for a replay: ${String(error.message).slice(0, 120)}`);
  }
  if (exact !== line) throw new VerificationError(number, "file.canonical", "the line is not in canonical form");
  // A lone surrogate is not a character: canonical JSON could only write it as an escape.
  if (LONE_SURROGATE.test(exact)) throw new VerificationError(number, "file.utf8", "the line is not UTF-8");
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new VerificationError(number, "file.json", "the line is not an object");
  }
  return value;
}

// Returns header, events and closing line of the file in these bytes.
function parse(raw) {
  if (raw.length > MAX_FILE) {
    const feeds = raw.subarray(0, MAX_FILE).reduce((count, byte) => count + (byte === 10), 0);
    throw new VerificationError(feeds + 1, "file.limit", "the file is larger than 16 MiB");
  }
  const lines = [];
  let from = 0;
  for (let at = raw.indexOf(10); at >= 0; at = raw.indexOf(10, from)) {
    lines.push(raw.subarray(from, at));
    from = at + 1;
    if (lines.length > MAX_EVENTS + 2) throw new VerificationError(MAX_EVENTS + 3, "file.limit", "the file has more than 100000 events");
  }
  const long = [...lines, raw.subarray(from)].findIndex((line) => line.length > MAX_LINE);
  if (long >= 0) throw new VerificationError(long + 1, "file.limit", "the line is longer than 1 MiB");
  if (from < raw.length) throw new VerificationError(lines.length + 1, "file.closing", "the file breaks off in the middle of a line");
  if (lines.length < 3) throw new VerificationError(lines.length + 1, "file.closing", "a file must have a header, events and a closing line");
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

const HEADER = { "replay/v1": ["crumbtrail", "match", "game", "rules_version", "events", "complete"] };
HEADER["replay/v2"] = [...HEADER["replay/v1"], "options", "components", "seats", "commitment", "seed"];
HEADER["replay/v3"] = HEADER["replay/v2"];
const EVENT = ["kind", "ply", "seat", "at", "move", "facts", "draw", "first_fact", "salt", "prev", "hash"];
const WHO = ["player", "level"];

// The fields that all events of a kind must have for the checks below, with their types.
const FIELDS = {
  created: {
    ...{ match: "string", game: "string", rules_version: "number", options: "object", seats: "list" },
    ...{ commitment: "string", given: "boolean" },
  },
  seat_taken: { seat: "number" },
  seat_left: { seat: "number" },
  share_opened: { seat: "number", share: "string", table: "string" },
  seed_revealed: { seed: "string" },
};
const FORK = { luck: "string" };
const CLOCK = { kind: "string", seconds: "number" };

// The forms of fields that may be missing, by kind of event. Which of them an event must have is checked with the seed.
const isText = (value) => typeof value === "string";
const isFlag = (value) => typeof value === "boolean";
const orNull = (form) => (value) => value === null || form(value);
const list = (form) => (value) => Array.isArray(value) && value.every(form);
const oneOf = (...words) => (value) => words.includes(value);
const isCounts = (value) => isObject(value) && Object.values(value).every(Number.isInteger);
const MORE_FIELDS = {
  created: {
    ...{ seats: list(isObject), fork: isObject, clock: isObject, luck: areTerms },
    ...{ rated: isFlag, seating: oneOf("chance") },
  },
  seat_taken: {
    ...{ player: orNull(isText), level: orNull(isText), client_seed: isText },
    ...{ share: orNull(isText), seal: orNull(isText), bot: isText },
  },
  started: {
    ...{ client_seeds: list(isText), shares: list(orNull(isText)) },
    ...{ draws: orNull(isCounts), order: list(Number.isInteger) },
  },
  moved: { draws: orNull(isCounts), seen: Number.isInteger, fallback: isFlag },
  seat_left: { removed: isFlag, kept: isFlag },
  cancelled: {
    reason: oneOf("abandoned", "not_opened", "lost", "aborted", "absent"),
    seats: list(Number.isInteger),
  },
  seed_revealed: { salts: isText },
  expired: { bot: isText, by: Number.isInteger },
  handed_over: { bot: isText },
  taken_back: { to_ply: Number.isInteger },
  resolved: { to_ply: orNull(Number.isInteger), arbiter: orNull(isText), cause: oneOf("no_ruling") },
};
const MORE_OF_FORK = {
  ...{ luck: oneOf("same", "new"), draws: Number.isInteger, origin: isText, client_seeds: list(isText) },
  ...{ commitment: isText, shares: list(orNull(isText)), uses: isCounts },
};
const KINDS = [
  ...["created", "seat_taken", "seat_left", "share_opened", "started", "moved", "ended", "cancelled", "seed_revealed"],
  ...["disputed", "audited", "resolved", "expired", "proposed", "answered", "paused", "resumed", "extended"],
  ...["taken_back", "vacation_taken", "seat_offered", "offer_withdrawn", "handed_over"],
];
const TERMS = ["level", "opening_seconds", "protocol"];
const LEVELS = ["open", "sealed", "given"];

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.(?!000000)\d{6})?Z$/;
const SEATING = ["seat_taken", "seat_left", "handed_over"];

// Checks each event's fields, then the header and the closing line against the events.
function checkFile({ header, events, closing }) {
  const last = events.length + 2;
  if (!Object.hasOwn(HEADER, header.crumbtrail) && /^replay\/v[0-9]{1,4}$/.test(header.crumbtrail)) {
    const why = `the file has the format ${header.crumbtrail}, which is newer than this verifier; use a newer one`;
    throw new VerificationError(1, "file.json", why);
  }
  const names = typeof header.crumbtrail === "string" && HEADER[header.crumbtrail];
  if (!Array.isArray(names) || !same(Object.keys(header).sort(), [...names].sort())) {
    throw new VerificationError(1, "file.json", "the header does not have the fields of replay/v1, replay/v2 or replay/v3");
  }
  if (!isFlag(header.complete)) {
    throw new VerificationError(1, "file.json", "the header's `complete` does not have the specified form");
  }
  checkEvents(events);
  const expected = headerOf(events, header.crumbtrail);
  if (canonical(header) !== canonical(expected)) {
    const wrong = Object.keys(header).sort().filter((name) => !same(header[name], expected[name]));
    throw new VerificationError(1, "file.header", `the header does not match the events: ${wrong.join(", ")}`);
  }
  const fields = Object.keys(closing).filter((name) => name !== "signature");
  if (!same(fields.sort(), ["end", "head", "result"])) {
    throw new VerificationError(last, "file.json", "the closing line must have the fields end, head and result, and may have signature");
  }
  for (const [name, value] of Object.entries(closingOf(events))) {
    if (!same(closing[name], value)) throw new VerificationError(last, "file.closing", `the closing line's \`${name}\` does not match the events`);
  }
  if ("signature" in closing) checkSignatureForm(last, closing.signature);
  return ["ok", `${events.length} events in canonical form`];
}

// Returns whether every event has the fields that the later checks use.
function wellFormed(events) {
  try {
    checkEvents(events);
    return true;
  } catch {
    return false;
  }
}

// Checks that all events have the fields that later checks use, and that each fact has a type.
function checkEvents(events) {
  for (const [n, event] of events.entries()) checkEvent(n + 2, event);
}

// Checks the fields of an event.
function checkEvent(line, event) {
  const needed = event.kind === "seat_taken" ? [...EVENT, ...WHO] : EVENT;
  const lacking = needed.filter((name) => !(name in event)).sort();
  if (lacking.length) throw new VerificationError(line, "file.json", `the event lacks ${lacking.join(", ")}`);
  const { kind, facts } = event;
  if (!Array.isArray(facts) || !facts.every(isObject)) {
    throw new VerificationError(line, "file.json", "the event's facts are not a list of facts");
  }
  if (!facts.every((fact) => typeof fact.type === "string")) {
    throw new VerificationError(line, "file.json", "a fact of the event has no type");
  }
  if (!isTime(event.at)) throw new VerificationError(line, "file.json", "the event's `at` is not a time in UTC");
  if (typeof kind !== "string" || (kind === "created") !== (line === 2)) {
    throw new VerificationError(line, "file.created", "the first event, and only the first, must be `created`");
  }
  if (!KINDS.includes(kind)) throw new VerificationError(line, "file.json", "there is no such kind of event");
  const numbers = ["seat", "draw"].filter((name) => event[name] !== null).map((name) => [name, "number"]);
  const types = { ply: "number", ...Object.fromEntries(numbers), prev: "string", hash: "string", ...FIELDS[kind] };
  checkFields(line, event, types);
  checkMoreFields(line, event, MORE_FIELDS[kind] ?? {});
  if (kind === "created" && "fork" in event) {
    checkFields(line, event.fork, FORK);
    checkMoreFields(line, event.fork, MORE_OF_FORK);
  }
  if (kind !== "created" || !("clock" in event)) return;
  checkFields(line, event.clock, CLOCK);
  checkMoreFields(line, event.clock, { kind: oneOf("per_move", "bank") });
}

// Checks that fields have these types.
function checkFields(line, holder, types) {
  for (const [name, wanted] of Object.entries(types)) {
    if (typeOf(holder[name]) !== wanted) {
      throw new VerificationError(line, "file.json", `the event's \`${name}\` does not have the specified form`);
    }
  }
}

// Checks that those fields that are there have these forms.
function checkMoreFields(line, holder, forms) {
  for (const [name, fits] of Object.entries(forms)) {
    if (name in holder && !fits(holder[name])) {
      throw new VerificationError(line, "file.json", `the event's \`${name}\` does not have the specified form`);
    }
  }
}

// Whether these are terms of luck protocol 2.
function areTerms(luck) {
  if (!isObject(luck) || !same(Object.keys(luck).sort(), TERMS) || luck.protocol !== 2) return false;
  return LEVELS.includes(luck.level) && orNull(Number.isInteger)(luck.opening_seconds);
}

// Returns the number of the match's luck protocol.
const luckProtocol = (created) => ("luck" in created ? 2 : 1);

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
  const current = luckProtocol(first) === 2 ? "replay/v3" : "replay/v2";
  const crumbtrail = version === "replay/v1" ? version : current;
  Object.assign(header, { crumbtrail, events: events.length, complete: Boolean(revealed) });
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

// Checks plies and links and, in the file of a finished match, hashes. Under luck protocol 2, times must not go back.
async function checkChain({ header, events }) {
  const complete = header.complete === true;
  const ordered = luckProtocol(events.at(0)) === 2;
  let before = "0".repeat(64);
  let last = events.at(0);
  for (const [n, event] of events.entries()) {
    if (event.ply !== n + 1) throw new VerificationError(n + 2, "chain.ply", `expected ply ${n + 1} here, found ${event.ply}`);
    if (event.prev !== before) throw new VerificationError(n + 2, "chain.prev", "the event does not link to the one before it");
    if (complete) {
      const { prev, hash, ...sealed } = event;
      if (hex(await sha256(text.encode(prev + canonical(sealed)))) !== hash) {
        throw new VerificationError(n + 2, "chain.hash", "the event was changed after it was sealed");
      }
    } else if (event.salt !== null) {
      throw new VerificationError(n + 2, "file.sealed", "the file of a running match must not contain salts");
    }
    if (ordered && !isAtOrAfter(event, last, 0)) {
      throw new VerificationError(n + 2, "clocks.order", "the event is earlier than the one before it");
    }
    before = event.hash;
    last = event;
  }
  if (!complete) return ["partly", "the links are correct; hashes can be checked when the match is over"];
  return ["ok", `${events.length} hashes recomputed`];
}

// -- seed: each match, rules version and field belongs to one luck protocol
// ----------------------------------------------

// The fields that belong to one luck protocol, by kind of event: those that every event of the kind has, and others.
const REQUIRED = {
  1: { seat_taken: ["client_seed"], started: ["client_seeds"] },
  2: {
    seat_taken: ["share", "seal"],
    started: ["shares", "draws"],
    moved: ["draws"],
    seed_revealed: ["salts"],
  },
};
const OPTIONAL = {
  1: {},
  2: { seat_taken: ["bot"], expired: ["bot"], handed_over: ["bot"], moved: ["seen", "fallback"], cancelled: ["seats"] },
};
const FORK_FIELDS = { 1: ["draws", "origin", "client_seeds"], 2: ["origin", "commitment", "shares", "uses"] };

const MATCH_ID = /^[a-z0-9]+$/;
const PURPOSE = /^[a-z][a-z0-9_]{0,23}(\/[0-9]{1,2})?$/;
const SHARE = /^[0-9a-f]{64}$/;
const SEED = /^([0-9a-f]{2}){1,64}$/;
const MAX_USES = 1000000000;

// Checks that format, rules version and fields are those of the match's luck protocol.
function checkLuckProtocol({ header, events }) {
  const created = events.at(0);
  const rule = "luck.protocol";
  const protocol = luckProtocol(created);
  const complete = header.complete === true;
  if ((header.crumbtrail === "replay/v3") !== (protocol === 2)) {
    throw new VerificationError(1, rule, `matches of luck protocol ${protocol} do not have this format`);
  }
  const table = tableOf(created);
  if (table && (table.protocol ?? 1) !== protocol) {
    throw new VerificationError(2, rule, `this rules version does not belong to luck protocol ${protocol}`);
  }
  checkForkFields(created, protocol);
  if (protocol === 2 && !MATCH_ID.test(created.match)) {
    throw new VerificationError(2, rule, "the match id must consist of the characters a-z and 0-9");
  }
  for (const [n, event] of events.entries()) {
    checkProtocolFields(n + 2, event, protocol);
    if (protocol === 2 && ["started", "moved"].includes(event.kind) && (event.draws === null) === complete) {
      const wanted = complete ? "an object" : "null while the match is running";
      throw new VerificationError(n + 2, rule, `the event's \`draws\` must be ${wanted}`);
    }
  }
}

// Checks that a fork has the fields of its luck protocol. Under protocol 2, those with new luck have none.
function checkForkFields({ seats, fork }, protocol) {
  if (!fork) return;
  const rule = "luck.protocol";
  const isSame = fork.luck === "same";
  const wanted = protocol === 1 || isSame ? FORK_FIELDS[protocol] : [];
  const found = new Set(Object.values(FORK_FIELDS).flat().filter((name) => name in fork));
  if (!same([...found].sort(), [...wanted].sort())) {
    throw new VerificationError(2, rule, `the fork does not have the fields of luck protocol ${protocol}`);
  }
  if (protocol === 1 || !isSame) return;
  const { origin, shares, uses } = fork;
  const isValid = MATCH_ID.test(origin) && shares.length === seats.length && shares.every(orNull(isShare));
  const isUse = ([purpose, count]) => PURPOSE.test(purpose) && count >= 1 && count <= MAX_USES;
  if (!isValid || !Object.entries(uses).every(isUse)) {
    throw new VerificationError(2, rule, "the fork's `origin`, `shares` and `uses` do not have the specified form");
  }
}

// Returns the fields that a table lists for a kind of event.
const fieldsOf = (table, kind) => (Object.hasOwn(table, kind) ? table[kind] : []);

// Checks that an event has the fields of its luck protocol, and none of the other one.
function checkProtocolFields(line, event, protocol) {
  const { kind, reason } = event;
  const other = 3 - protocol;
  const rule = "luck.protocol";
  for (const name of fieldsOf(REQUIRED[protocol], kind)) {
    if (!(name in event)) {
      throw new VerificationError(line, rule, `the event lacks \`${name}\`, as luck protocol ${protocol} needs it`);
    }
  }
  const foreign = [...fieldsOf(REQUIRED[other], kind), ...fieldsOf(OPTIONAL[other], kind)].sort();
  const isAbsence = kind === "cancelled" && reason === "absent";
  const name = isAbsence ? undefined : foreign.find((each) => each in event);
  if (name) throw new VerificationError(line, rule, `the event's \`${name}\` belongs to luck protocol ${other}`);
  if (protocol === 1 && (kind === "share_opened" || ["lost", "not_opened"].includes(reason))) {
    throw new VerificationError(line, rule, "this event belongs to luck protocol 2");
  }
}

// -- seed: luck protocol 1, where players may add client seeds
// -----------------------------------------------------------

// Checks the luck of the match, and keeps the revealed seed for the draws.
async function checkRevealedSeed(file) {
  checkLuckProtocol(file);
  if (luckProtocol(file.events.at(0)) === 2) return checkLuck(file);
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
    throw new VerificationError(place + 2, "seed.revealed", "the seed is not hexadecimal");
  }
  if (hex(await sha256(seed)) !== created.commitment) {
    throw new VerificationError(place + 2, "seed.commitment", "the seed is not the one that was committed to");
  }
  const mac = await hmac(seed);
  for (const [n, event] of events.entries()) {
    if (event.salt !== hex(await mac(text.encode(`salt/v1|${n + 1}`)))) {
      throw new VerificationError(n + 2, "seed.salt", "the salt does not come from the seed");
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
      throw new VerificationError(line, "seed.seats", `the seed seats the players as ${order}, not as ${started.order}`);
    }
  } else if ("order" in started) {
    throw new VerificationError(line, "lifecycle.seating", "the players chose their seats, so there must be no random order");
  }
  if (!same(order.map((seat) => clientSeeds[seat]), started.client_seeds)) {
    throw new VerificationError(line, "seed.clients", "the client seeds are not those that the players sent");
  }
}

// -- seed: luck protocol 2, where players give shares (docs/luck-protocol.md)
// --------------------------------------------

const NO_SHARE = "-";
const OPENING_SECONDS = 3 * 86400;
const MAX_CLOCK_SECONDS = 60 * 86400;

// Checks everything about the luck of a match but its draws; one function checks one rule. Keeps the seed.
async function checkLuck(file) {
  const { header, events } = file;
  const complete = header.complete === true;
  const created = events.at(0);
  checkLuckLevel(events);
  const seed = await checkCommitment(events, complete);
  const table = checkLuckOrder(events);
  await checkTableHashes(created, table);
  await checkSeals(created, table);
  checkStandingShares(table);
  checkOpeningDeadline(created, table);
  if (!complete) return ["partly", "what players have shown so far is consistent; the seed is revealed when the match is over"];
  await checkSeatsByChance(created, table, seed);
  await checkSecretSalts(events);
  file.seed = seed;
  return ["ok", `seed and shares match their commitments, and ${events.length} salts come from their secret`];
}

// Checks that the level fits the match, and that shares and seals are where the level requires them.
function checkLuckLevel(events) {
  const created = events.at(0);
  const rule = "luck.level";
  const { level, opening_seconds: seconds } = created.luck;
  if (created.rated && level !== "sealed") throw new VerificationError(2, rule, "a rated match must be sealed");
  if ((level === "given") !== created.given) {
    throw new VerificationError(2, rule, "the level does not fit whether the seed was given");
  }
  if (created.clock?.seconds > MAX_CLOCK_SECONDS) {
    throw new VerificationError(2, rule, `the clock has more than ${MAX_CLOCK_SECONDS} seconds`);
  }
  const longest = created.clock?.kind === "per_move" ? created.clock.seconds : OPENING_SECONDS;
  const wanted = level === "sealed" ? longest : null;
  if (!same(seconds, wanted)) throw new VerificationError(2, rule, `\`opening_seconds\` must be ${canonical(wanted)}`);
  for (const [n, event] of events.entries()) {
    if (event.kind !== "seat_taken") continue;
    const gives = (event.level ?? null) === null && level !== "given" && !hasSameLuck(created);
    checkContribution(n + 2, event, gives ? level : null);
  }
}

// Whether the match is a fork with the luck of another match.
const hasSameLuck = (created) => created.fork?.luck === "same";

// Checks that a seat has a share or seal only if the level requires one, and that it is well-formed.
function checkContribution(line, { share, seal }, level) {
  const rule = "luck.level";
  if (share !== null && level !== "open") throw new VerificationError(line, rule, "nobody may show a share here");
  if (seal !== null && level !== "sealed") throw new VerificationError(line, rule, "nobody may seal a share here");
  if (share !== null && !isShare(share)) {
    throw new VerificationError(line, rule, "a share must be 64 hexadecimal digits, not all 0");
  }
  if (seal !== null && !SHARE.test(seal)) throw new VerificationError(line, rule, "a seal must be 64 hexadecimal digits");
}

// Whether this is a share: 64 hexadecimal digits, not all 0.
const isShare = (digits) => SHARE.test(digits) && digits !== "0".repeat(64);

// Checks that the seed is the one that was committed to, and returns its bytes; null while the match is running.
async function checkCommitment(events, complete) {
  const { match, commitment, given, fork } = events.at(0);
  const isSame = fork?.luck === "same";
  const rule = "luck.commitment";
  if (!SHARE.test(commitment)) {
    throw new VerificationError(2, rule, "the commitment must be 64 hexadecimal digits");
  }
  if (isSame && fork.commitment !== commitment) {
    throw new VerificationError(2, rule, "the fork's commitment differs from that of the match whose luck it has");
  }
  if (!complete) return null;
  const [place, { seed, salts }] = firstOf(events, "seed_revealed");
  if (!SHARE.test(salts)) {
    throw new VerificationError(place + 2, rule, "the secret for salts must be 32 bytes in hexadecimal");
  }
  if (!(given ? SEED : SHARE).test(seed)) {
    throw new VerificationError(place + 2, rule, "the seed must be 32 bytes (a given one 1 to 64) in hexadecimal");
  }
  if ((await commitmentOf(isSame ? fork.origin : match, seed)) !== commitment) {
    throw new VerificationError(place + 2, rule, "the seed is not the one that was committed to");
  }
  return unhex(seed);
}

// Returns the SHA-256 of text in hex.
const sha256Of = async (words) => hex(await sha256(text.encode(words)));

// The commitment to a seed in hex.
export const commitmentOf = (match, seed) => sha256Of(`crumbtrail/seed/2|${match}|${seed}`);

// The seal of a share.
export const sealOf = (match, seat, commitment, share) =>
  sha256Of(`crumbtrail/share/2|${match}|${seat}|${commitment}|${share}`);

// The hash of a full table.
export const tableHash = (match, commitment, seals) =>
  sha256Of(`crumbtrail/table/2|${match}|${commitment}|${joinedShares(seals)}`);

// Shares or seals as hashed text.
const joinedShares = (values) => values.map((value) => value ?? NO_SHARE).join(",");

// The seats of a match before its start, as the events fill and leave them.
//
// Its `state` decides which event may come next. All events are kept with their lines: who sat when the last seat was
// taken (`taken`, by seat), `openings`, and `full`, `started` and `cancelled`, each a pair or null.
class Table {
  constructor(created) {
    this.isSealed = created.luck.level === "sealed";
    this.isRated = created.rated === true;
    this.taken = created.seats.map(() => null);
    this.openings = [];
    this.full = null;
    this.started = null;
    this.cancelled = null;
    this.state = "open";
  }

  // The seals of all seats; null where there is none.
  get seals() {
    return this.taken.map((pair) => pair && pair[1].seal);
  }

  // The seats with a seal whose share is not open.
  get unopened() {
    const opened = new Set(this.openings.map(([, { seat }]) => seat));
    return [...this.seals.entries()].filter(([seat, seal]) => seal !== null && !opened.has(seat)).map(([seat]) => seat);
  }
}

// The kinds of event that may come next, by state of the table. In other states, all but those of `BEFORE_START` may.
const NEXT = {
  open: ["seat_taken", "seat_left", "cancelled"],
  opening: ["share_opened", "cancelled"],
  full: ["started"],
  cancelled: ["seed_revealed"],
  ended: ["seed_revealed"],
};
// Why a match may be cancelled, by state of the table, and the reasons that name seats.
const REASONS = { open: [null, "abandoned"], opening: ["lost", "not_opened"], playing: ["aborted", "absent"] };
const REASONS_WITH_SEATS = ["lost", "not_opened", "absent"];
const BEFORE_START = ["created", "seat_taken", "seat_left", "share_opened", "started", "cancelled", "seed_revealed"];

// Checks that seats, openings, start and end come in order, and returns the table.
function checkLuckOrder(events) {
  const table = new Table(events.at(0));
  for (const [n, event] of events.entries()) if (n) followTable(table, n + 2, event);
  if (["full", "cancelled", "ended"].includes(table.state)) {
    throw new VerificationError(events.length + 1, "luck.order", `\`${NEXT[table.state][0]}\` must come next`);
  }
  return table;
}

// Checks that an event may come here, and changes the table as it says.
function followTable(table, line, event) {
  const { kind, seat } = event;
  const { state, taken } = table;
  const endsEarly = state === "playing" && kind === "cancelled";
  if (state in NEXT ? !NEXT[state].includes(kind) : BEFORE_START.includes(kind) && !endsEarly) {
    throw new VerificationError(line, "luck.order", `\`${kind}\` must not come here`);
  }
  if (kind === "seat_taken" || kind === "seat_left") {
    if (!(seat in taken) || (taken[seat] === null) !== (kind === "seat_taken")) {
      throw new VerificationError(line, "luck.order", "the seat cannot be taken or left here");
    }
    taken[seat] = kind === "seat_taken" ? [line, event] : null;
    if (!taken.includes(null)) {
      table.full = [line, event];
      table.state = table.unopened.length ? "opening" : "full";
    }
  } else if (kind === "share_opened") {
    table.openings.push([line, event]);
    table.state = table.unopened.length ? "opening" : "full";
  } else if (kind === "started") {
    table.started = [line, event];
    table.state = "playing";
  } else if (kind === "cancelled") {
    checkCancelled(table, line, event);
    table.cancelled = [line, event];
    table.state = "cancelled";
  } else if (kind === "ended" || kind === "seed_revealed") {
    table.state = kind === "ended" ? "ended" : "over";
  }
}

// Checks the reason for which a match was cancelled, and whether it names seats.
function checkCancelled({ state, taken, unopened, isRated }, line, { reason = null, seats }) {
  const named = REASONS_WITH_SEATS.includes(reason);
  const rated = isRated && state === "playing";
  if (!REASONS[state].includes(reason) || (seats !== undefined) !== named || rated) {
    throw new VerificationError(line, "luck.order", "the match cannot be cancelled for this reason here");
  }
  if (reason === "absent" && !seats.length) {
    throw new VerificationError(line, "luck.order", "`seats` must name the seats that were absent");
  }
  if (reason !== "lost") return;
  const givers = unopened.filter((seat) => seats.includes(seat));
  const players = new Set(givers.map((seat) => taken[seat][1].player));
  if (!seats.length || players.size > 1 || !same(givers, seats)) {
    throw new VerificationError(line, "luck.order", "`seats` must name the seats of one player who had not opened");
  }
}

// Checks that every player who opened a share saw the seals of this table.
async function checkTableHashes({ match, commitment }, { seals, openings }) {
  const expected = await tableHash(match, commitment, seals);
  for (const [line, { table }] of openings) {
    if (table !== expected) throw new VerificationError(line, "luck.table", "the share was opened for another table");
  }
}

// Checks that each sealed seat opens once, with the share that its seal was made from.
async function checkSeals({ match, commitment }, { seals, openings }) {
  const opened = new Set();
  for (const [line, { seat, share }] of openings) {
    const seal = seals[seat] ?? null;
    if (seal === null || opened.has(seat)) {
      throw new VerificationError(line, "luck.seal", "the seat has no share left to open");
    }
    if (!isShare(share) || (await sealOf(match, seat, commitment, share)) !== seal) {
      throw new VerificationError(line, "luck.seal", "the share does not match the seal of its seat");
    }
    opened.add(seat);
  }
}

// Checks that the start lists the shares that the players have shown.
function checkStandingShares({ taken, openings, started }) {
  if (!started) return;
  const shares = taken.map(([, { share }]) => share);
  for (const [, { seat, share }] of openings) shares[seat] = share;
  const [line, event] = started;
  if (!same(event.shares, shares)) {
    throw new VerificationError(line, "luck.shares", "the shares are not those that the players have shown");
  }
}

// Checks that shares were opened in time, and that otherwise the match was cancelled for those who did not.
function checkOpeningDeadline(created, { isSealed, full, openings, cancelled, unopened }) {
  if (!isSealed || !full) return;
  const rule = "luck.deadline";
  const isLate = (event) => isAtOrAfter(event, full[1], created.luck.opening_seconds);
  for (const [line, event] of openings) {
    if (isLate(event)) throw new VerificationError(line, rule, "the share was opened too late");
  }
  const [line, event] = cancelled ?? [0, {}];
  if (event.reason === "lost" && isLate(event)) {
    const sentence = "the time for opening was over, so the match could not be cancelled for a lost share";
    throw new VerificationError(line, rule, sentence);
  }
  if (event.reason !== "not_opened") return;
  if (!isLate(event)) {
    throw new VerificationError(line, rule, "the match was cancelled before the time for opening was over");
  }
  if (!same(event.seats, unopened)) {
    throw new VerificationError(line, rule, `the seats that had not opened are ${canonical(unopened)}`);
  }
}

// Whether an event is at least this many seconds after another. Date has no microseconds, so they are compared apart.
function isAtOrAfter(event, earlier, seconds) {
  const [[late, rest], [early, before]] = [event, earlier].map(({ at }) => [
    Date.parse(`${at.slice(0, 19)}Z`) / 1000,
    Number(at.slice(20, -1)),
  ]);
  return late - early > seconds || (late - early === seconds && rest >= before);
}

// Checks the order of seats.
async function checkSeatsByChance(created, { started }, seed) {
  if (!started) return;
  const [line, event] = started;
  let wanted = null;
  if (created.seating === "chance") {
    wanted = await drawSeats(new Streams(await luckKey(seed, created, event.shares), usesBefore(created)), created);
  }
  if (!same(event.order, wanted)) {
    const pair = `${canonical(wanted)}, the file says ${canonical(event.order ?? null)}`;
    throw new VerificationError(line, "luck.seats", `the order of seats must be ${pair}`);
  }
}

// Checks that every salt comes from the secret for salts.
async function checkSecretSalts(events) {
  const [, { salts }] = firstOf(events, "seed_revealed");
  const mac = await hmac(unhex(salts));
  for (const [n, event] of events.entries()) {
    if (event.salt !== hex(await mac(text.encode(`salt/2|${n + 1}`)))) {
      throw new VerificationError(n + 2, "luck.salt", "the salt does not come from the secret for salts");
    }
  }
}

// -- signature ------------------------------------------------------------------------------------------------------

// Checks the signature of the closing line, and whether the server publishes its key.
async function checkSignature({ header, events, closing, keys, required }) {
  const line = events.length + 2;
  if (!closing.signature) {
    if (required) throw new VerificationError(line, "signature.missing", "the file is not signed, and this server signs every file of its matches");
    return ["not_checked", "the file is not signed"];
  }
  const { key } = closing.signature;
  const known = keys.includes(key);
  if (required && !known) throw new VerificationError(line, "signature.key", "the file is signed by a key that this server does not publish");
  const valid = await isValid(header, closing);
  if (valid === null) return ["not_checked", "this browser cannot check Ed25519 signatures"];
  if (!valid) throw new VerificationError(line, "signature.value", "the signature is not valid for its key and this file");
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
    throw new VerificationError(line, "signature.form", "a signature must have exactly `key` and `value`");
  }
  for (const [name, digits] of Object.entries({ key: 64, value: 128 })) {
    if (typeof signature[name] !== "string" || !new RegExp(`^[0-9a-f]{${digits}}$`).test(signature[name])) {
      throw new VerificationError(line, "signature.form", `the signature's \`${name}\` is not ${digits} hexadecimal digits`);
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

// -- draws: from blocks to numbers (docs/verify-a-roll.md) -----------------------------------------------------------

const WORDS = 2 ** 32;

// Returns an asynchronous function `below(k)` that returns the next number from 0 to k - 1. `block(b)` returns the 32
// bytes of block b.
function numbersFrom(block) {
  let n = 0;
  let words = [];
  return async (k) => {
    if (!Number.isInteger(k) || k < 1 || k > WORDS) throw new RangeError("no numbers below this");
    for (;;) {
      if (!words.length) {
        // A block of 32 bytes gives eight words of 32 bits.
        const view = new DataView((await block(n)).buffer);
        words = Array.from({ length: 8 }, (_, i) => view.getUint32(4 * i));
        n += 1;
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

// -- draws: luck protocol 1, with one stream of numbers for each game event ------------------------------------------

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
  return numbersFrom((block) => {
    const label = joined(text.encode(`draw/v1|${n}|`), new Uint8Array(8));
    new DataView(label.buffer).setBigUint64(label.length - 8, BigInt(block));
    return mac(label);
  });
}

// -- draws: luck protocol 2, with a stream of numbers for each purpose and use ---------------------------------------

// Returns the key of all draws of a match. A fork with the same luck has the key of the match it comes from.
export async function luckKey(seed, created, ownShares) {
  const mac = await hmac(seed);
  if (created.given) return mac(text.encode("crumbtrail/key/2|given"));
  const [match, shares] = hasSameLuck(created)
    ? [created.fork.origin, created.fork.shares]
    : [created.match, ownShares];
  return mac(text.encode(`crumbtrail/key/2|${match}|${joinedShares(shares)}`));
}

// How often each purpose was used before the match; only a fork with the same luck has such uses.
const usesBefore = (created) => (hasSameLuck(created) ? created.fork.uses : {});

// The order in which chance seats the players.
const drawSeats = (streams, created) => shuffled(streams.draws("seats"), created.seats.keys());

// The draws of a match. `uses` counts the uses of each purpose so far, `used` those of the current event.
export class Streams {
  constructor(key, uses) {
    this.mac = hmac(key);
    this.uses = { ...uses };
    this.used = {};
  }

  // Returns the draws of the next use of a purpose. The use begins, and counts, with the first number.
  draws(purpose) {
    if (!PURPOSE.test(purpose)) throw new TypeError("not a purpose");
    let below = null;
    return async (k) => {
      if (!below) {
        const use = this.uses[purpose] ?? 0;
        this.uses[purpose] = use + 1;
        this.used[purpose] = (this.used[purpose] ?? 0) + 1;
        below = numbersFrom((block) => this.block(purpose, use, block));
      }
      return below(k);
    };
  }

  // Returns the 32 bytes of one block of a use.
  async block(purpose, use, block) {
    return (await this.mac)(text.encode(`draw/2|${purpose}|${use}|${block}`));
  }
}

// -- draws: following a match (docs/draws.md) -----------------------------------------------------------------------

// Limit on the cards in all piles of a match. The known games have less than a quarter of it.
const MAX_CARDS = 2000;

// Reproduces every draw and compares it with the facts.
async function checkDraws({ events, seed }) {
  if (!seed) return ["not_checked", "the seed is not known"];
  const [created] = events;
  const table = tableOf(created);
  if (!table) return ["not_checked", "this verifier does not know this version of the game"];
  const interpreter = new DrawInterpreter(table, created);
  try {
    await checkAllDraws(events, seed, interpreter);
  } catch (wrong) {
    if (!interpreter.mismatches.length) throw wrong;
  }
  if (interpreter.mismatches.length) {
    const [{ ply, sentence }, ...more] = interpreter.mismatches;
    throw new VerificationError(ply + 1, interpreter.rule, sentence + (more.length ? ` (and ${more.length} more)` : ""));
  }
  return ["ok", `${interpreter.drawCount} draws reproduced`];
}

// Returns the draw table of the match's game and rules version, if this verifier knows it.
function tableOf({ game, rules_version: version }) {
  if (!Object.hasOwn(DRAWS, game) || !Object.hasOwn(DRAWS[game], String(version))) return null;
  return DRAWS[game][String(version)];
}

// Runs an interpreter over the facts and draws of each event; restores its piles when plies are taken back.
async function checkAllDraws(events, seed, interpreter) {
  const [created] = events;
  const back = new Set(Array.from(events, returnsTo));
  const kept = new Map();
  const source = luckProtocol(created) === 1 ? new DrawSource1(created, seed) : new DrawSource2(created, seed);
  let number = source.firstNumber;
  let facts = 0;
  for (const [n, event] of events.entries()) {
    const ply = n + 1;
    if (source.countsFacts && !same(event.first_fact, facts)) {
      const pair = `${facts} facts come before the event, the file says ${canonical(event.first_fact)}`;
      throw new VerificationError(ply + 1, "fold.facts", `ply ${ply}: ${pair}`);
    }
    const wanted = decides(event, created) ? number : null;
    if (!same(event.draw, wanted)) {
      const pair = `${canonical(wanted)}, the file says ${canonical(event.draw)}`;
      throw new VerificationError(ply + 1, "fold.draws", `ply ${ply}: the number of the game event must be ${pair}`);
    }
    if (wanted !== null) number += 1;
    else if (event.facts.length && !(ply === 1 && created.fork)) {
      throw new VerificationError(ply + 1, "lifecycle.shape", `ply ${ply}: the event decides nothing, but it has facts`);
    }
    if (event.kind === "started") await source.start(event);
    if (wanted !== null && !source.key) throw new VerificationError(ply + 1, "lifecycle.order", `ply ${ply}: a move before the start`);
    await interpreter.runEvent(ply, event.facts, wanted === null ? null : await source.beginEvent(event));
    for (const each of source.errorsOf(event)) interpreter.mismatches.push({ ply, sentence: `ply ${ply}: ${each}` });
    facts += event.facts.length;
    if (returnsTo(event) !== null) [interpreter.piles, facts] = structuredClone(need(kept.get(returnsTo(event))));
    if (back.has(ply)) kept.set(ply, structuredClone([interpreter.piles, facts]));
  }
}

// The draws of a match with luck protocol 1.
class DrawSource1 {
  constructor(created, seed) {
    Object.assign(this, { created, seed, key: null, countsFacts: false, firstNumber: created.fork?.draws ?? 0 });
  }

  // Computes the key, as the match starts.
  async start(event) {
    this.key = await matchKey(this.seed, this.created, event.client_seeds);
  }

  // Returns the draws of the event.
  beginEvent(event) {
    return draws(this.key, event.draw);
  }

  // Returns what is wrong about the event's own list of draws, which it does not have.
  errorsOf() {
    return [];
  }
}

// The draws of a match with luck protocol 2. Nothing gives a use back, not even a takeback.
class DrawSource2 {
  constructor(created, seed) {
    const firstNumber = created.fork ? 1 : 0;
    Object.assign(this, { created, seed, key: null, streams: null, countsFacts: true, firstNumber });
  }

  // Computes the key, as the match starts.
  async start(event) {
    this.key = await luckKey(this.seed, this.created, event.shares);
    this.streams = new Streams(this.key, usesBefore(this.created));
  }

  // Returns a function from a purpose to the draws of its next use.
  async beginEvent(event) {
    this.streams.used = {};
    if (event.kind === "started" && this.created.seating === "chance") await drawSeats(this.streams, this.created);
    return (purpose) => this.streams.draws(purpose);
  }

  // Returns what is wrong about `draws`: it must count the uses that the event's facts show.
  errorsOf(event) {
    if (!["started", "moved"].includes(event.kind)) return [];
    const wanted = event.draw === null ? {} : this.streams.used;
    if (same(event.draws, wanted)) return [];
    return [`\`draws\` must be ${canonical(wanted)}, the file says ${canonical(event.draws)}`];
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

// The verbs of steps that draw. In tables of luck protocol 2, the purpose of the draws follows the verb.
const DRAWING = ["dice", "below", "pick", "shuffle", "spread"];

// Follows the facts of a match, keeps its piles of cards, and reproduces every draw that a fact shows. If the file
// shows a different value from the seed's, it records the mismatch and continues with the file's value.
class DrawInterpreter {
  constructor(table, created) {
    this.table = table;
    this.hasPurposes = (table.protocol ?? 1) === 2;
    this.rule = this.hasPurposes ? "luck.draws" : "draw";
    this.options = created.options;
    this.seats = created.seats.length;
    this.piles = {};
    this.mismatches = [];
    this.drawCount = 0;
  }

  // Follows the facts of one event. `source` is its `below`, under luck protocol 2 a function from a purpose to the
  // `below` of its next use. It is null if nothing is drawn for these facts.
  async runEvent(ply, facts, source) {
    this.ply = ply;
    this.source = source;
    this.streams = source;
    for (const fact of facts) {
      this.factType = fact.type;
      const steps = Object.hasOwn(this.table.facts, fact.type) ? this.table.facts[fact.type] : null;
      if (!steps && !this.table.others.includes(fact.type)) {
        throw new VerificationError(ply + 1, this.rule, `ply ${ply}, ${[...fact.type].slice(0, 40).join("")}: the game has no such fact`);
      }
      try {
        await this.runSteps(steps ?? [], fact);
      } catch {
        throw new VerificationError(ply + 1, this.rule, `ply ${ply}, ${fact.type}: the fact does not have the specified form`);
      }
    }
    const cards = Object.values(this.piles).reduce((sum, pile) => sum + pile.length, 0);
    if (cards > MAX_CARDS) throw new VerificationError(ply + 1, this.rule, `ply ${ply}: more cards than any game has`);
  }

  // Takes steps for a fact.
  async runSteps(steps, fact) {
    for (const [verb, ...rest] of steps) {
      if (this.hasPurposes && DRAWING.includes(verb)) {
        const purpose = rest.shift();
        this.source = this.streams && this.streams(fillInSeat(purpose, fact));
      }
      await this[verb](fact, ...rest);
    }
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
    await this.numbers(fact, target, 6, 1);
  }

  // Each number at `target` is a draw below k.
  async below(fact, k, target) {
    await this.numbers(fact, target, k, 0);
  }

  async numbers(fact, target, k, least) {
    if (!this.source) return;
    const found = this.flat(target, fact);
    const expected = [];
    while (expected.length < found.length) expected.push((await this.draw(this.value(k, fact))) + least);
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
    const expected = Object.create(null); // so that no name has a meaning of its own
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

// A purpose with the fact's seats filled in: `dice/{seat}` is `dice/0` for seat 0.
const fillInSeat = (purpose, fact) => purpose.replace(/\{(\w+)\}/g, (_, field) => String(whole(need(fact[field]))));

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

// Pairs of seat and cards from an array or an object of hands; none for null.
function bySeat(hands) {
  if (Array.isArray(hands)) return hands.map((cards, seat) => [String(seat), cards]);
  if (typeof hands !== "object") throw new TypeError("neither an array nor an object");
  return hands === null ? [] : sorted(hands);
}

// Removes the card from the list if it is there.
function remove(cards, card) {
  const place = cards.indexOf(card);
  if (place >= 0) cards.splice(place, 1);
}
