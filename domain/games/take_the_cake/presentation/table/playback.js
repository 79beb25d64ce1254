// Plays back the last turns on the board, step by step, from frames rendered by the server next to the board.

import { still } from "../../js/page.js";

const PACE = { forward: 380, backward: 380, jump: 520, turn: 300, bump: 420, collect: 600, bake: 1200, met: 350, unmet: 550, declined: 550 };
const BETWEEN = 700;

// Plays back every turn after ply `since`. `requested` is true if the reader asked for it, false for a turn just made.
export async function playBack(root, since, requested) {
  const board = root.querySelector("#board");
  const turns = Array.from(root.querySelectorAll(".turn-card")).filter((turn) => Number(turn.dataset.ply) > since);
  if (!board || !turns.some((turn) => turn.querySelector(".frame")) || board.querySelector(".playback")) return;
  if (still() && !requested) return;
  if (requested) board.scrollIntoView({ block: "nearest", behavior: still() ? "auto" : "smooth" });

  const caption = document.createElement("div");
  caption.className = "playback";
  caption.setAttribute("aria-hidden", "true"); // the list next to the board has the same text
  const words = document.createElement("p");
  const skip = document.createElement("button");
  skip.type = "button";
  skip.className = "button quiet";
  skip.tabIndex = -1;
  skip.textContent = "Skip";
  caption.append(words, skip);
  board.append(caption);

  let wake = () => {};
  let skipped = false;
  skip.addEventListener("click", () => {
    skipped = true;
    wake();
  });
  const pause = (milliseconds) =>
    new Promise((resolve) => {
      wake = resolve;
      setTimeout(resolve, milliseconds);
    });

  const bakers = new Map(turns.map((turn) => [turn.dataset.seat, new Baker(board, turn.dataset.seat)]));
  for (const turn of turns.slice().reverse()) bakers.get(turn.dataset.seat).put(turn.dataset);
  for (const turn of turns) {
    const baker = bakers.get(turn.dataset.seat);
    turn.classList.add("playing");
    for (const frame of turn.querySelectorAll(".frame")) {
      if (skipped || !caption.isConnected) break;
      mark(turn, frame.dataset.step);
      words.textContent = `${turn.dataset.name}: ${frame.textContent}`;
      baker.put(frame.dataset);
      if (frame.dataset.kind === "bump") baker.shake();
      await pause(PACE[frame.dataset.kind] ?? BETWEEN);
    }
    mark(turn, null);
    if (!skipped && caption.isConnected) await pause(BETWEEN);
    turn.classList.remove("playing");
  }
  for (const baker of bakers.values()) baker.home();
  caption.remove();
}

function mark(turn, step) {
  turn.querySelectorAll(".laid > li").forEach((card, n) => card.classList.toggle("runs", String(n) === step));
}

class Baker {
  constructor(board, seat) {
    this.group = board.querySelector(`.baker[data-seat="${seat}"]`);
    this.body = this.group?.querySelector(".turned");
    this.angle = Number(/rotate\((\d+)\)/.exec(this.body?.getAttribute("transform") ?? "")?.[1] ?? 0);
  }

  put({ x, y, turned }) {
    if (this.group && x) this.group.style.transform = `translate(${x}px, ${y}px)`;
    if (!this.body || turned === "") return;
    this.angle += ((Number(turned) - this.angle + 540) % 360) - 180; // turn the shorter way
    this.body.style.transform = `rotate(${this.angle}deg)`;
  }

  shake() {
    this.group?.animate([{ opacity: 1 }, { opacity: 0.45 }, { opacity: 1 }], 300);
  }

  home() {
    this.group?.style.removeProperty("transform");
    this.body?.style.removeProperty("transform");
  }
}
