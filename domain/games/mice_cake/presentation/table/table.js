// The Mice Cake match page: mice are sent by tapping a column, a mouse or a chance, by dragging and by keys.

import { MiceForm } from "./mice.js";

export function setUp(root, kept) {
  const form = root.querySelector(".mice-form") && root.querySelector("#move") ? new MiceForm(root) : null;
  if (form && kept) form.restore(kept);
  form?.show();
  prepareCards(root);
  return { keep: () => form?.chosen() ?? null };
}

// Loads the cards of the slices when they are needed, with the event that asked for one. One slice can be reached with
// the Tab key, and arrows lead from there to the others.
function prepareCards(root) {
  const board = root.querySelector("#board");
  const first = board?.querySelector(".cake .slice.front") ?? board?.querySelector(".cake .slice");
  if (first) first.tabIndex = 0;
  let cards = null;
  const loaded = new AbortController();
  for (const type of ["pointerover", "pointerdown", "focusin", "click"]) {
    board?.addEventListener(
      type,
      async (event) => {
        if (!event.target.closest(".slice")) return;
        cards ??= import("./cards.js").then(({ SliceCards }) => new SliceCards(root));
        loaded.abort();
        (await cards).begin(event);
      },
      { capture: true, signal: loaded.signal },
    );
  }
}
