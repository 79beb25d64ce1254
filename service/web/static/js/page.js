// Fetching a page of ours and taking a part of it over into the present one.

export async function fetchPage(address, options = {}) {
  const response = await fetch(address, { credentials: "same-origin", ...options });
  const text = await response.text();
  const page = new DOMParser().parseFromString(text, "text/html");
  return { page, address: response.url, status: response.status };
}

// Puts the part with this id in place of ours; says whether the other page has it.
export function takeOver(page, id) {
  const [mine, theirs] = [document.getElementById(id), page.getElementById(id)];
  if (!mine || !theirs) return false;
  const open = new Set(Array.from(mine.querySelectorAll("details[open] > summary"), (summary) => summary.textContent));
  for (const summary of theirs.querySelectorAll("details > summary")) {
    if (open.has(summary.textContent)) summary.parentElement.open = true;
  }
  mine.replaceWith(document.adoptNode(theirs));
  document.title = page.title;
  return true;
}

export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
