// The Mice Cake match page: clicks on the cake place mice, and a finished round is played back.

import { playBack } from "./playback.js";

const SVG = "http://www.w3.org/2000/svg";

export function setUp(root, kept, hold) {
  const form = root.querySelector(".mice-form") ? new MiceForm(root) : null;
  if (form && kept) form.restore(kept);
  form?.show();
  const again = root.querySelector(".play-again");
  again?.addEventListener("click", () => hold(playBack(root, true)));
  return {
    keep: () => form?.chosen() ?? null,
    played: async (since) => {
      const recap = root.querySelector("#recap");
      if (recap && Number(recap.dataset.ply) > since) await playBack(root, false);
    },
  };
}

class MiceForm {
  constructor(root) {
    this.root = root;
    this.element = root.querySelector(".mice-form");
    this.board = root.querySelector("#board svg");
    this.ready = Number(this.element.dataset.ready);
    this.columns = new Map();
    for (const field of this.element.querySelectorAll(".column")) {
      const radios = Array.from(field.querySelectorAll("input"));
      if (radios.length) this.columns.set(field.dataset.column, { field, radios, state: field.dataset.state });
    }
    this.targets = Array.from(this.element.querySelectorAll(".targets input"));
    this.button = this.element.querySelector("#send");
    this.placed = this.element.querySelector("#placed");
    this.element.addEventListener("change", () => this.show());
    this.listenToBoard();
    this.listenToKeys();
  }

  // -- current choices --

  at(column) {
    const chosen = this.columns.get(column)?.radios.find((radio) => radio.checked);
    return chosen ? Number(chosen.value) : 0;
  }

  total() {
    return Array.from(this.columns.keys()).reduce((sum, column) => sum + this.at(column), 0);
  }

  target() {
    return this.targets.find((radio) => radio.checked)?.value || "";
  }

  steals() {
    return Array.from(this.columns).some(([column, { state }]) => state === "crumb" && this.at(column) > 0);
  }

  chosen() {
    const counts = Object.fromEntries(Array.from(this.columns.keys(), (column) => [column, this.at(column)]));
    return { counts, steal: this.target() };
  }

  restore({ counts, steal }) {
    for (const [column, count] of Object.entries(counts)) this.set(column, count);
    for (const radio of this.targets) radio.checked = radio.value === steal;
  }

  set(column, count) {
    const radio = this.columns.get(column)?.radios[count];
    if (radio) radio.checked = true;
  }

  add(column, step) {
    if (!this.columns.has(column)) return;
    if (step > 0 && this.total() >= this.ready) return this.say("All your mice are placed. Take one back first.");
    const count = this.at(column) + step;
    if (count < 0) return;
    this.set(column, count);
    this.show();
  }

  // -- clicks and keys --

  listenToBoard() {
    for (const hit of this.board.querySelectorAll(".column-hit")) {
      if (!this.columns.has(hit.dataset.column)) continue;
      hit.dataset.open = "";
      hit.addEventListener("click", () => this.add(hit.dataset.column, 1));
    }
    for (const piece of this.board.querySelectorAll("[data-target]")) {
      piece.addEventListener("click", () => {
        const radio = this.targets.find((target) => target.value === piece.dataset.target);
        if (!radio || !this.steals()) return;
        radio.checked = true;
        this.show();
      });
    }
    this.mice = Array.from(this.board.querySelectorAll(`.mouse.ready[data-seat="${this.element.dataset.seat}"]`));
    this.layer = this.board.appendChild(document.createElementNS(SVG, "g"));
    for (const mouse of this.mice) {
      mouse.classList.add("mine");
      mouse.addEventListener("click", () => mouse.dataset.column && this.add(mouse.dataset.column, -1));
    }
  }

  listenToKeys() {
    const listener = (event) => {
      if (!this.element.isConnected) return document.removeEventListener("keydown", listener);
      if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("textarea, input:not([type=radio])")) return;
      const column = event.key.toUpperCase();
      if (!this.columns.has(column)) return;
      event.preventDefault();
      this.add(column, event.shiftKey ? -1 : 1);
    };
    document.addEventListener("keydown", listener);
  }

  // -- display --

  say(words) {
    this.placed.textContent = words;
  }

  show() {
    const left = this.ready - this.total();
    for (const [column, { radios }] of this.columns) {
      const most = this.at(column) + Math.max(0, left);
      for (const radio of radios) radio.disabled = Number(radio.value) > most && !radio.checked;
    }
    this.showTargets();
    this.showMice();
    const missing = this.steals() && !this.target();
    this.button.disabled = left !== 0 || missing;
    const words = this.prompt(left, missing);
    if (this.button.textContent !== words) this.say((this.button.textContent = words));
  }

  prompt(left, missing) {
    if (left < 0) return `${-left} ${-left === 1 ? "mouse" : "mice"} too many`;
    if (left > 0) return `Place ${left === this.ready ? "your" : left + " more"} ${left === 1 ? "mouse" : "mice"}`;
    return missing ? "Choose a piece to steal" : "Send the mice";
  }

  showTargets() {
    const steals = this.steals();
    if (!steals) for (const radio of this.targets) radio.checked = radio.value === "";
    this.element.querySelector(".targets")?.toggleAttribute("data-lit", steals);
    const chosen = this.target();
    for (const piece of this.board.querySelectorAll("[data-target]")) {
      piece.classList.toggle("lit", steals);
      piece.classList.toggle("picked", steals && piece.dataset.target === chosen);
    }
    this.showChances(this.targets.find((radio) => radio.checked && radio.value));
  }

  // Shows the chances for the piece to steal at the column with the crumb.
  showChances(target) {
    for (const { state, radios } of this.columns.values()) {
      if (state !== "crumb") continue;
      const [take, tire] = ["take", "tire"].map((name) => target?.dataset[name].split(" ") ?? []);
      radios.slice(1).forEach((radio, n) => {
        const face = radio.nextElementSibling;
        for (const old of face.querySelectorAll(".take, .tire")) old.remove();
        if (!target) return;
        face.append(chance("take", take[n], " percent to take it, "), chance("tire", tire[n], " percent to be exhausted"));
      });
    }
  }

  // Moves placed mice below their columns and all others back to their places in the panel.
  showMice() {
    const waiting = this.mice.slice();
    for (const column of this.columns.keys()) {
      const count = this.at(column);
      const hit = this.board.querySelector(`.column-hit[data-column="${column}"]`);
      const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(hit.getAttribute(name)));
      for (let n = 0; n < count && waiting.length; n += 1) {
        const mouse = take(waiting, column);
        const step = Math.min(36, (width - 36) / Math.max(1, count - 1));
        const place = x + width / 2 + (n - (count - 1) / 2) * step;
        this.move(mouse, place, y + height - 12, column);
      }
    }
    for (const mouse of waiting) this.move(mouse, null, null, "");
  }

  move(mouse, x, y, column) {
    mouse.dataset.home ??= mouse.getAttribute("transform");
    mouse.dataset.column = column;
    if (mouse.parentNode !== this.layer) this.layer.append(mouse);
    const [, homeX, homeY] = /translate\(([\d.-]+)[ ,]([\d.-]+)\)/.exec(mouse.dataset.home);
    mouse.style.transform = column ? `translate(${x}px, ${y}px)` : `translate(${homeX}px, ${homeY}px)`;
  }
}

// Removes and returns a mouse already at the column, or else the first one at home.
function take(waiting, column) {
  const there = waiting.findIndex((mouse) => mouse.dataset.column === column);
  const free = waiting.findIndex((mouse) => !mouse.dataset.column);
  return waiting.splice(Math.max(there >= 0 ? there : free, 0), 1)[0];
}

function chance(kind, number, words) {
  const shown = document.createElement("span");
  shown.className = kind;
  shown.textContent = number;
  const hint = document.createElement("span");
  hint.className = "hidden";
  hint.textContent = words;
  shown.append(hint);
  return shown;
}
