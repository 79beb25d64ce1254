// The match page of Take the Cake: builds a program by taps, drags and keys, previews it with the server's help, and
// plays back the last turns on the board.

import { Builder } from "./builder.js";
import { Placement } from "./placement.js";
import { playBack } from "./playback.js";

export function setUp(root, kept, hold) {
  const program = root.querySelector(".program-form");
  const builder = program ? new Builder(root, program) : null;
  if (builder && kept) builder.restore(kept);
  builder?.show();
  const talks = root.querySelector(".placement-form");
  if (talks) new Placement(root, talks);
  const again = root.querySelector(".play-again");
  if (again) {
    again.hidden = !root.querySelector("#recap .frame");
    again.addEventListener("click", () => hold(playBack(root, 0, true)));
  }
  return {
    keep: () => builder?.steps ?? null,
    played: (since) => playBack(root, since, false),
  };
}
