// Plays frames of a match on its board: the board after each beat, as the server rendered it. The same player runs the
// live page and replays.

import { animate, compare, count, counts, fly, lasting, mark, pieces, replaceContent } from "./motion.js";
import { still } from "./page.js";
import { sound } from "./sound.js";

const PACES = { slow: 1.6, normal: 1, fast: 0.5, off: 0 };
const BETWEEN = 80; // milliseconds between two beats
const BEAT = 450; // what a beat takes as a rule
const SHORTEST_BEAT = 300;
const BEFORE_BOT = 700;
const READ = 600; // a step that moves nothing but has a caption, and a step for readers who want no motion

let ended = 0; // when the last playback was over

export const pace = () => PACES[document.documentElement.dataset.pace ?? "normal"] ?? 1;

export async function fetchFrames(address, after, to = null) {
  const url = new URL(address, location.href);
  url.searchParams.set("after", after);
  if (to !== null) url.searchParams.set("to", to);
  const response = await fetch(url, { credentials: "same-origin" });
  if (!response.ok) throw new Error(`no frames: ${response.status}`);
  return response.json();
}

// Plays the frames on the board. `signal` skips the rest: the board then shows the last frame. `effects` are those of
// the game, `onFrame` is called with each frame as it begins. Returns when everything is still.
export async function play(board, { frames, longest }, { signal, effects = {}, onFrame = () => {} }) {
  const plies = Map.groupBy ? Map.groupBy(frames, (frame) => frame.ply) : groupByPly(frames);
  for (const [, all] of plies) {
    const steps = thin(still() ? all.slice(-1).map((last) => join(all, last)) : all, Math.floor(longest / SHORTEST_BEAT));
    const squeeze = Math.min(1, longest / (steps.length * (BEAT + BETWEEN)));
    if (steps[0].bot) await wait(ended + BEFORE_BOT * pace() - performance.now(), signal);
    for (const frame of steps) {
      if (signal.aborted) break;
      onFrame(frame);
      await step(board, frame, { pace, squeeze, sound, signal }, effects);
      await wait(BETWEEN * squeeze * pace(), signal);
    }
    ended = performance.now();
  }
  const last = frames.findLast((frame) => frame.board);
  if (signal.aborted && last) finish(board, last);
  ended = performance.now();
}

function groupByPly(frames) {
  const plies = new Map();
  for (const frame of frames) plies.set(frame.ply, [...(plies.get(frame.ply) ?? []), frame]);
  return plies;
}

// Returns at most this many frames: neighbours are joined.
function thin(frames, most) {
  if (frames.length <= most) return frames;
  return Array.from({ length: most }, (_, n) => {
    const part = frames.slice(Math.round((n * frames.length) / most), Math.round(((n + 1) * frames.length) / most));
    return join(part, part.at(-1));
  });
}

function join(frames, last) {
  return {
    ...last,
    facts: frames.flatMap((frame) => frame.facts),
    fact_types: frames.flatMap((frame) => frame.fact_types),
    caption: frames.flatMap((frame) => frame.caption),
    board: frames.findLast((frame) => frame.board)?.board,
    chapter: frames.find((frame) => frame.chapter)?.chapter,
  };
}

// Shows one frame.
async function step(board, frame, timing, effects) {
  const before = pieces(board);
  const numbers = counts(board);
  const special = beatOf(board, frame, before, timing);
  const own = [...new Set(frame.fact_types)].filter((type) => effects[type]).map((type) => effects[type]);
  await run(own.filter((effect) => effect.first), special);
  if (!frame.board) {
    await run(own.filter((effect) => !effect.first), special);
    if (frame.caption.length) await wait(READ * timing.squeeze * timing.pace(), timing.signal);
    return special.close();
  }
  const layer = replaceContent(board, parse(frame.board));
  const after = pieces(board);
  const change = compare(before, after);
  if (still()) {
    layer.remove();
    mark(board, change);
    await wait(READ, timing.signal);
    return special.close();
  }
  const source = placeOf(change, before);
  const parts = [run(own.filter((effect) => !effect.first), { ...special, after })];
  parts.push(animate(board, before, after, change, timing), count(board, numbers, counts(board), timing, source));
  if (isPicture(board)) parts.push(dissolve(layer, timing));
  await Promise.allSettled(parts);
  layer.remove();
  special.close();
}

// Shows the board of a frame immediately.
function finish(board, frame) {
  for (const animation of board.getAnimations({ subtree: true })) animation.cancel();
  board.replaceChildren(parse(frame.board));
}

// Animates from the old board, whose pieces were measured `before`, to the current one. For a page that was replaced.
export async function settle(board, before, signal) {
  const after = pieces(board);
  const change = compare(before, after);
  if (still() || !pace()) return still() ? mark(board, change) : undefined;
  change.turned = [];
  change.left = []; // the old elements are gone
  await animate(board, before, after, change, { pace, squeeze: 1, sound, signal });
}

export { pieces };

// What an effect of a game gets. `layer` is a place for its own drawings; it is removed at the end of the beat.
function beatOf(board, frame, before, timing) {
  const layer = document.createElement("div");
  layer.className = "effects";
  layer.setAttribute("aria-hidden", "true");
  board.after(layer);
  return {
    stage: board,
    layer,
    before,
    after: before,
    facts: frame.facts,
    pace: (milliseconds) => lasting(milliseconds, timing),
    wait: (milliseconds) => wait(lasting(milliseconds, timing), timing.signal),
    fly: (words, from, to) => fly(board, words, from, to, timing),
    sound,
    signal: timing.signal,
    close: () => layer.remove(),
  };
}

// Runs effects. A broken one must not stop the playback.
async function run(effects, beat) {
  const results = await Promise.allSettled(effects.map((effect) => effect(beat)));
  for (const { reason } of results.filter((result) => result.status === "rejected")) console.warn("An effect failed:", reason);
}

// Returns where points come from: the first piece that left or moved.
function placeOf(change, before) {
  const id = change.left[0] ?? change.moved[0];
  return id === undefined ? null : before.get(id);
}

// A board without pieces is one picture, which dissolves into the next one.
const isPicture = (board) => !board.querySelector("[data-piece]");

async function dissolve(layer, timing) {
  layer.style.visibility = "visible";
  const fading = layer.animate([{ opacity: 1 }, { opacity: 0 }], { duration: lasting(300, timing), fill: "forwards" });
  timing.signal.addEventListener("abort", () => fading.finish(), { once: true });
  await fading.finished;
}

function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

function wait(milliseconds, signal) {
  if (signal.aborted || milliseconds <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done, { once: true });
  });
}
