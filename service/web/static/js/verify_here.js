// Verifies a replay file in the reader's browser: the file of this match, or one that the reader chooses.

import { verify } from "./verifier.js";

const MARKS = { ok: "✓", partly: "…", not_checked: "–", failed: "✗" };

const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

async function publishedKeys(address) {
  const answer = await fetch(address);
  const { keys } = await answer.json();
  return keys.map(({ key }) => key);
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

function show(place, { ok, layers }) {
  const rows = layers.map(({ name, status, sentence, line, rule }) =>
    element(
      "li",
      { className: status },
      element("span", { className: "mark", ariaHidden: "true", textContent: MARKS[status] }),
      element(
        "div",
        {},
        element("strong", { textContent: capital(name) }),
        element("span", { className: "hidden", textContent: ` ${status.replace("_", " ")}: ` }),
        element("p", { textContent: `${line ? `Line ${line}: ${sentence}` : capital(sentence)}.` }),
        ...(rule ? [element("p", { className: "hint", textContent: `Rule ${rule}` })] : []),
      ),
    ),
  );
  const title = ok ? "Verified in your browser: no errors found" : "Verification in your browser failed";
  place.className = `report ${ok ? "verified" : "failed"}`;
  place.replaceChildren(
    element("h3", { textContent: title }),
    element("ol", { className: "layers" }, ...rows),
    element("p", {
      className: "hint",
      textContent: "This does not check moves, scores, deadlines and whether a match may end early, because your browser does not know the rules. To check them too, use Verify or crumbtrail verify.",
    }),
  );
  place.focus();
}

// With `own`, the server presents the file as its own, so it must be signed with one of the server's keys.
async function check(place, bytes, own) {
  if (!globalThis.crypto?.subtle) {
    place.textContent = "Your browser can verify files only over HTTPS or on localhost. Open this page over HTTPS and try again.";
    return;
  }
  show(place, await verify(bytes, await publishedKeys(place.dataset.keys), own));
}

// Sets up the buttons that verify the file at a URL or the file chosen in a field.
export function enhanceChecks(root) {
  const place = root.querySelector("#checked-here");
  if (!place) return;
  for (const button of root.querySelectorAll("button[data-check]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        const answer = await fetch(button.dataset.check, { credentials: "same-origin" });
        await check(place, new Uint8Array(await answer.arrayBuffer()), true);
      } catch {
        place.textContent = "Couldn't download the file. Check your connection and try again.";
      } finally {
        button.disabled = false;
      }
    });
  }
  for (const button of root.querySelectorAll("button[data-check-file]")) {
    const field = root.querySelector(`#${button.dataset.checkFile}`);
    button.hidden = false;
    button.addEventListener("click", async () => {
      const [file] = field.files;
      if (file) await check(place, new Uint8Array(await file.arrayBuffer()), false);
      else field.reportValidity();
    });
  }
}

enhanceChecks(document);
