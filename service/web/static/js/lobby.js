// Keeps the reader's matches in the lobby, and their number in the title, as they are now: when the reader comes back to
// the page, from another tab or with the browser's Back button.

import { fetchPage, takeOver } from "./page.js";
import { openShares } from "./seat_luck.js";

async function refresh() {
  try {
    const { page, status } = await fetchPage(location.href);
    if (status < 400 && takeOver(page, "my-matches")) openShares(document);
  } catch {
    // The list stays as it was until the reader comes back again.
  }
}

document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && refresh());
addEventListener("pageshow", (event) => event.persisted && refresh());
