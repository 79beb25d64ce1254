// A verifier of replay files that runs in the reader's own browser: Web Crypto and nothing else. It checks the file's
// form, the chain, the seed, the draws that a game shows in its facts, and the signature. It does not know the rules.
// Specified in docs/replay-format.md and docs/verify-a-roll.md; it does in the same order what
// replays/standalone_verify.py does.

const MAX_FILE = 16 * 2 ** 20;
const MAX_LINE = 2 ** 20;
const HEADER = ["complete", "crumbtrail", "events", "game", "match", "rules_version"];
const CLOSING = ["end", "head", "result"];
const SIGNATURE = { key: 64, value: 128 };
const EVENT = ["kind", "ply", "seat", "at", "move", "facts", "draw", "first_fact", "salt", "prev", "hash"];
const WORDS = 2 ** 32;
const GENESIS = "0".repeat(64);

// How draws show in the facts of a game; explained in replays/standalone_verify.py.
export const DRAWS = {
  mice_cake: {
    cake_laid: ["shuffle", "cells", "piece", "74627fdf476163c3271b5278f9264f42fcc8173a79a6cd67b01f57beefc01106"],
    dice_rolled: ["dice", "dice"],
  },
  battle_of_the_bakeries: {
    chefs_laid_out: ["shuffle", "layout", "", "2812ff972343a3ec1208a5059aab1c6f63be0772618f3d1cba9ed02bb78d2a03"],
    order_rolled_off: ["dice", "rolls"],
    die_rolled: ["dice", "value"],
    dice_rolled: ["dice", "dice"],
    cake_drawn: ["unseen", "left"],
  },
  tic_tac_toe: {},
};

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

function readLine(number, bytes) {
  if (bytes.length > MAX_LINE) throw new Wrong(number, "the line is longer than 1 MiB");
  let line;
  let value;
  try {
    line = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Wrong(number, "the line is not UTF-8");
  }
  let exact;
  try {
    value = JSON.parse(line);
    exact = canonical(value);
  } catch (error) {
    throw new Wrong(number, `the line is not JSON of our kind: ${String(error.message).slice(0, 120)}`);
  }
  if (exact !== line) throw new Wrong(number, "the line is not in canonical form");
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new Wrong(number, "the line is not an object");
  }
  return value;
}

function parse(raw) {
  if (raw.length > MAX_FILE) throw new Wrong(1, "the file is larger than 16 MiB");
  const lines = [];
  let from = 0;
  for (let at = raw.indexOf(10); at >= 0; at = raw.indexOf(10, from)) {
    lines.push(raw.subarray(from, at));
    from = at + 1;
  }
  if (from < raw.length) throw new Wrong(lines.length + 1, "the file breaks off in the middle of a line");
  if (lines.length < 3) throw new Wrong(lines.length + 1, "a file has a header, events and a closing line");
  const parsed = lines.map((line, n) => readLine(n + 1, line));
  return { header: parsed[0], events: parsed.slice(1, -1), closing: parsed.at(-1) };
}

const same = (one, other) => canonical(one ?? null) === canonical(other ?? null);
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function checkFrame({ header, events, closing }) {
  const last = events.length + 2;
  events.forEach((event, n) => {
    const lacking = EVENT.filter((name) => !(name in event));
    if (lacking.length) throw new Wrong(n + 2, `the event lacks ${lacking.join(", ")}`);
    if (!Array.isArray(event.facts) || !event.facts.every(isObject)) {
      throw new Wrong(n + 2, "the event's facts are not a list of facts");
    }
  });
  const [first] = events;
  const expected = {
    crumbtrail: "replay/v1",
    match: first.match,
    game: first.game,
    rules_version: first.rules_version,
    events: events.length,
    complete: events.some((event) => event.kind === "seed_revealed"),
  };
  const names = Object.keys({ ...header, ...expected }).filter((name) => !same(header[name], expected[name]));
  if (names.length || Object.keys(header).length !== HEADER.length) {
    throw new Wrong(1, `the header is not what the events say: ${names.join(", ")}`);
  }
  const fields = Object.keys(closing).filter((name) => name !== "signature");
  if (!same(fields.sort(), CLOSING)) {
    throw new Wrong(last, "the closing line has other fields than end, head, result and signature");
  }
  const has = (kind) => events.some((event) => event.kind === kind);
  const end = has("ended") ? "finished" : has("cancelled") ? "cancelled" : has("started") ? "playing" : "open";
  for (const [name, value] of Object.entries({ end, head: events.at(-1).hash, result: resultOf(events) })) {
    if (!same(closing[name], value)) throw new Wrong(last, `the closing line's \`${name}\` is not what the events say`);
  }
  if ("signature" in closing) checkForm(last, closing.signature);
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
    if (typeof before !== "string") throw new Wrong(n + 2, "the hash is not a text");
  }
}

// -- signature ------------------------------------------------------------------------------------------------------

// Whether the signature is right: true, false, or null where this browser cannot check one.
async function checkSignature({ header, closing }) {
  const { signature, ...unsigned } = closing;
  const message = text.encode(`crumbtrail/replay/v1\n${canonical(header)}\n${canonical(unsigned)}\n`);
  try {
    const key = await crypto.subtle.importKey("raw", unhex(signature.key), { name: "Ed25519" }, false, ["verify"]);
    return await crypto.subtle.verify({ name: "Ed25519" }, key, unhex(signature.value), message);
  } catch (error) {
    return error.name === "NotSupportedError" ? null : false;
  }
}

// -- seed, draws ----------------------------------------------------------------------------------------------------

async function checkSeed(events) {
  const place = events.findIndex((event) => event.kind === "seed_revealed");
  let seed;
  try {
    seed = unhex(events[place].seed);
  } catch {
    throw new Wrong(place + 2, "the seed is not hexadecimal");
  }
  if (hex(await sha256(seed)) !== events[0].commitment) {
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
    const shares = events[0].seats.map((_, seat) => given.get(seat) ?? null);
    await checkShares(n + 2, events[0], event, shares, seed);
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

// The list as it was before the shuffle that gave these items.
export async function unshuffled(below, items) {
  const swaps = [];
  for (let i = items.length - 1; i > 0; i -= 1) swaps.push([i, await below(i + 1)]);
  const deck = [...items];
  for (const [i, j] of swaps.reverse()) [deck[i], deck[j]] = [deck[j], deck[i]];
  return deck;
}

async function checkDraws(events, seed) {
  const known = DRAWS[events[0].game];
  if (!known) return null;
  let key = null;
  let checked = 0;
  for (const [n, event] of events.entries()) {
    if (event.kind === "started") {
      key = await matchKey(seed, events[0], event.client_seeds);
      if (events[0].fork) continue; // its first facts are copied from another match
    }
    if (event.draw === null || !key) continue;
    const below = await draws(key, event.draw);
    for (const fact of event.facts) checked += await checkFact(n + 2, known[fact.type], fact, below);
  }
  return checked;
}

async function checkFact(line, how, fact, below) {
  if (!how) return 0;
  const [kind, field, inner, before] = how;
  if (kind === "unseen") {
    await below(fact[field] + 1);
    return 0;
  }
  if (kind === "dice") {
    const shown = [fact[field]].flat(Infinity);
    const rolled = [];
    while (rolled.length < shown.length) rolled.push((await below(6)) + 1);
    if (!same(shown, rolled)) throw new Wrong(line, `the seed rolls ${rolled}, the file shows ${shown}`);
    return shown.length;
  }
  const items = fact[field].map((item) => (inner ? item[inner] : item));
  if (hex(await sha256(text.encode(canonical(await unshuffled(below, items))))) !== before) {
    throw new Wrong(line, "the shuffle is not the one that the seed gives");
  }
  return items.length - 1;
}

// -- the whole ------------------------------------------------------------------------------------------------------

// What was found of a file (Uint8Array): `layers` with name, status (ok, partly, not_checked, failed), sentence and
// line, and `first`, the earliest line at which something is wrong, or null. `keys` are the server's published ones.
export async function verify(raw, keys = []) {
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
  await layer("chain", async () => {
    await checkChain(events, complete);
    if (!complete) return ["partly", "the links hold; hashes can be computed when the match is over"];
    return ["ok", `${events.length} hashes computed again`];
  });
  await layer("signature", async () => {
    if (!closing.signature) return ["not_checked", "the file is not signed"];
    const right = await checkSignature(file);
    if (right === null) return ["not_checked", "this browser cannot check Ed25519 signatures"];
    if (!right) throw new Wrong(events.length + 2, "the signature is not one of its key over this file");
    const whose = keys.includes(closing.signature.key) ? "this server's key" : "a key that this server does not publish";
    return ["ok", `signed by ${whose}`];
  });
  await layer("seed", async () => {
    if (!complete) return ["not_checked", "the seed is revealed when the match is over"];
    seed = await checkSeed(events);
    return ["ok", `the seed is the one committed to, and so are ${events.length} salts`];
  });
  await layer("draws", async () => {
    if (!seed) return ["not_checked", "the seed is not known"];
    const checked = await checkDraws(events, seed);
    if (checked === null) return ["not_checked", "this page does not know how the game shows its draws"];
    return ["ok", `${checked} draws made again`];
  });
  const lines = layers.map((each) => each.line).filter((line) => line !== null);
  return { ok: !lines.length, layers, first: lines.length ? Math.min(...lines) : null };
}
