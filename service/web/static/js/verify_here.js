// Checking a replay file in the reader's own browser: this match's from the server, or one that the reader chooses.

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

function show(place, { ok, layers }) {
  const rows = layers.map(({ name, status, sentence, line }) =>
    element(
      "li",
      { className: status },
      element("span", { className: "mark", ariaHidden: "true", textContent: MARKS[status] }),
      element(
        "div",
        {},
        element("strong", { textContent: name[0].toUpperCase() + name.slice(1) }),
        element("span", { className: "hidden", textContent: ` ${status.replace("_", " ")}: ` }),
        element("p", { textContent: (line ? `Line ${line}: ` : "") + sentence + "." }),
      ),
    ),
  );
  const title = ok ? "Checked in your browser: nothing is wrong" : "Checked in your browser: this does not hold";
  place.className = `report ${ok ? "verified" : "failed"}`;
  place.replaceChildren(
    element("h3", { textContent: title }),
    element("ol", { className: "layers" }, ...rows),
    element("p", {
      className: "hint",
      textContent: "Your browser does not know the rules: moves and scores are checked by Verify, or by crumbtrail verify.",
    }),
  );
  place.focus();
}

// With `own` the file is one that this server says is its own, so one of its keys must have signed it.
async function check(place, bytes, own) {
  if (!globalThis.crypto?.subtle) {
    place.textContent = "This browser allows this only over https or on this machine itself.";
    return;
  }
  show(place, await verify(bytes, await publishedKeys(place.dataset.keys), own));
}

// Buttons that check the file at an address, and fields that check the file that is chosen.
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
        place.textContent = "The file could not be fetched.";
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
