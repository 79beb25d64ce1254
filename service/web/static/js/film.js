// Plays back on the live page what has happened since the page was rendered, before the new page is shown.

import { still } from "./page.js";
import { fetchFrames, pace, pieces, play, settle } from "./player.js";
import { nextSpeed, speedLabel } from "./speed.js";

const MOST_MOVES = 12; // of a longer absence, only the latest moves are played
let skipping = null; // ends the current playback

const boardOf = (root) => root.querySelector("#board");

// Plays the moves between the page `root` and the newer page `theirs` on the board of `root`. Returns at the end or
// when the reader skips the rest; the caller then shows the new page.
export async function playUntil(root, theirs) {
  const [since, until] = [Number(root.dataset.ply), Number(theirs.dataset.ply)];
  if (!mayPlay(root) || !boardOf(theirs) || since >= until) return;
  if (still() && until - since < 2) return; // one step is shown by the new page
  let playback;
  try {
    playback = await fetchFrames(theirs.dataset.frames, Math.max(since, until - MOST_MOVES), until);
  } catch {
    return; // the new page shows the result
  }
  if (still()) playback.frames = playback.frames.filter((frame) => frame.ply < until);
  try {
    await playOn(root, playback);
  } catch (error) {
    console.warn("The playback failed:", error); // the new page shows the result
  }
}

// Plays some moves again, and shows the board as it was before.
export async function playAgain(root, after, until) {
  const board = boardOf(root);
  if (!board || skipping) return;
  const playback = await fetchFrames(root.dataset.frames, after, until);
  const kept = Array.from(board.childNodes);
  const template = document.createElement("template");
  template.innerHTML = playback.before ?? playback.frames.find((frame) => frame.board)?.board ?? "";
  board.replaceChildren(template.content);
  await playOn(root, playback);
  board.replaceChildren(...kept);
}

// Shows what differs between the board that was just replaced and the new one. `before` has the pieces of the old one.
export const settleBoard = (root, before) => boardOf(root) && before && settle(boardOf(root), before, new AbortController().signal);

export const piecesOf = (root) => (boardOf(root) ? pieces(boardOf(root)) : null);

// Skips the playback that is running, if any. Returns whether there was one.
export function skip() {
  skipping?.abort();
  return Boolean(skipping);
}

function mayPlay(root) {
  return boardOf(root) && root.dataset.frames && pace() > 0 && document.visibilityState === "visible" && !skipping;
}

async function playOn(root, playback) {
  skipping = new AbortController();
  const { signal } = skipping;
  const bar = showBar(root);
  const effects = await loadEffects(root);
  root.classList.add("playing");
  const others = Array.from(root.querySelector(".dock")?.children ?? []).filter((part) => part.id !== "playback");
  for (const part of others) part.inert = true;
  try {
    await play(boardOf(root), playback, { signal, effects, onFrame: (frame) => bar.tell(frame) });
  } finally {
    skipping = null;
    root.classList.remove("playing");
    for (const part of others) part.inert = false;
    bar.close();
  }
}

async function loadEffects(root) {
  if (!root.dataset.effects) return {};
  try {
    return (await import(root.dataset.effects)).effects;
  } catch {
    return {}; // the pieces still move
  }
}

// The bar takes the place of the buttons: what is happening, the speed, and a button to skip.
function showBar(root) {
  const place = root.querySelector("#playback");
  if (!place) return { tell: () => {}, close: () => {} };
  const caption = document.createElement("p");
  caption.className = "caption";
  const speed = button("speed", speedLabel());
  speed.setAttribute("aria-label", `Speed: ${speedLabel()}`);
  speed.addEventListener("click", () => {
    nextSpeed(root.querySelector("#comfort"));
    speed.textContent = speedLabel();
    speed.setAttribute("aria-label", `Speed: ${speedLabel()}`);
  });
  const leave = button("skip-rest", "Skip");
  leave.addEventListener("click", skip);
  place.replaceChildren(caption, speed, leave);
  place.hidden = false;
  return {
    tell: (frame) => {
      if (frame.caption.length) caption.textContent = frame.caption.join(" ");
    },
    close: () => {
      place.hidden = true;
      place.replaceChildren();
    },
  };
}

function button(kind, words) {
  return Object.assign(document.createElement("button"), { type: "button", className: `button quiet ${kind}`, textContent: words });
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.target.closest?.("dialog, details[open]")) skip();
});
