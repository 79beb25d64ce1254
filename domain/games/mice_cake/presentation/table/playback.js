// Plays back a round over the board, column by column, from the recap that the server rendered.

import { still } from "../../js/page.js";

const PACE = 2300;

// `requested` is true if the user asked for the playback, false if the round has just been played.
export async function playBack(root, requested) {
  const board = root.querySelector("#board");
  const scenes = Array.from(root.querySelectorAll("#recap .scene"));
  if (!board || !scenes.length || board.querySelector(".stage")) return;
  if (still() && !requested) return;

  const stage = document.createElement("div");
  stage.className = "stage";
  stage.setAttribute("aria-hidden", "true"); // the recap has the same text
  const skip = document.createElement("button");
  skip.type = "button";
  skip.className = "button quiet skip-stage";
  skip.tabIndex = -1;
  skip.textContent = "Skip";
  const holder = document.createElement("div");
  stage.append(holder, skip);
  board.append(stage);
  if (requested) board.scrollIntoView({ block: "nearest", behavior: still() ? "auto" : "smooth" });

  let wake = () => {};
  let skipped = false;
  stage.addEventListener("click", (event) => {
    skipped = skipped || event.target === skip;
    wake();
  });
  for (const scene of scenes) {
    if (skipped || !stage.isConnected) break;
    holder.replaceChildren(scene.cloneNode(true));
    await new Promise((resolve) => {
      wake = resolve;
      setTimeout(resolve, PACE);
    });
  }
  stage.remove();
}
