// Fetches a page of this site and replaces a part of the current page with the same part of the fetched one.

export async function fetchPage(address, options = {}) {
  const response = await fetch(address, { credentials: "same-origin", ...options });
  const text = await response.text();
  const page = new DOMParser().parseFromString(text, "text/html");
  return { page, address: response.url, status: response.status };
}

// Replaces the element with this id by the one of the other page. What the reader has opened, ticked or typed stays, if
// the field is marked with data-keep and both pages have its id. Returns whether both pages have the element.
export function takeOver(page, id) {
  const [mine, theirs] = [document.getElementById(id), page.getElementById(id)];
  if (!mine || !theirs) return false;
  const open = new Set(Array.from(mine.querySelectorAll("details[open] > summary"), (summary) => summary.textContent));
  for (const summary of theirs.querySelectorAll("details > summary")) {
    if (open.has(summary.textContent)) summary.parentElement.open = true;
  }
  for (const field of mine.querySelectorAll("[data-keep]")) {
    const same = theirs.querySelector(`#${field.id}`);
    if (!same) continue;
    if (field.type === "checkbox") same.checked = field.checked;
    else if (field.value !== field.defaultValue) same.value = field.value;
  }
  mine.replaceWith(document.adoptNode(theirs));
  document.title = page.title;
  return true;
}

export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// Returns the name of a clickable part of a picture: the words that can be read in it, so that people who speak to their
// browser can say them, and then what it is or does.
export function spokenName(spot, does) {
  const visible = Array.from(spot.querySelectorAll("text"), (text) => text.textContent.trim()).filter(Boolean).join(" ");
  return visible && !does.includes(visible) ? `${visible}: ${does}` : does;
}
