// The frame of a table: sheets that close with Escape or a click outside, settings that apply immediately, and sharing.

const WIDE = matchMedia("(min-width: 1600px)"); // here the log has a column of its own and stays open

const sheets = () => document.querySelectorAll("details.sheet[open]");
const isPinned = (sheet) => WIDE.matches && sheet.id === "log-sheet";

export function enhanceFrame(root) {
  pinLog();
  const menu = root.querySelector("#menu-sheet");
  menu?.addEventListener("toggle", () => menu.open || pinLog());
  root.querySelector("#comfort")?.addEventListener("change", applySettings);
  for (const button of root.querySelectorAll("[data-share]")) {
    button.hidden = false;
    button.addEventListener("click", share);
  }
}

function pinLog() {
  const log = document.getElementById("log-sheet");
  if (log && WIDE.matches && !document.querySelector("#menu-sheet[open]")) log.open = true;
}

function closeSheets(except = null) {
  const closed = Array.from(sheets()).filter((sheet) => !isPinned(sheet) && !sheet.contains(except));
  for (const sheet of closed) sheet.open = false;
  return closed;
}

// Shows a setting on this page and saves it on this device. Without this script the form's button does both.
async function applySettings({ target, currentTarget: form }) {
  document.documentElement.dataset[target.name] = target.value;
  if (target.name === "theme" && target.value === "system") delete document.documentElement.dataset.theme;
  await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "manual" });
}

async function share({ currentTarget: button }) {
  const { share: url, title } = button.dataset;
  try {
    if (navigator.share) return await navigator.share({ title, url });
    await navigator.clipboard.writeText(url);
    button.querySelector("[data-words]").textContent = "Link copied";
  } catch (error) {
    if (error.name !== "AbortError") location.assign(url); // nothing to share with: show what would be shared
  }
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const closed = closeSheets();
  if (closed.length) event.stopImmediatePropagation();
  closed[0]?.querySelector("summary").focus();
}, true);
document.addEventListener("pointerdown", (event) => closeSheets(event.target));
WIDE.addEventListener("change", () => (WIDE.matches ? pinLog() : closeSheets()));
