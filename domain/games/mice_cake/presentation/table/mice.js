// Choosing where the mice go. The radio buttons of the form hold the choice. The board shows it: each mouse is at its
// column, and a ghost shows where the next one would go and its chance.

import { still } from "../../js/page.js";

const WALK = 220; // milliseconds of a mouse on its way to a column

export class MiceForm {
  constructor(root) {
    this.root = root;
    this.element = root.querySelector(".mice-form");
    this.board = root.querySelector("#board");
    this.ready = Number(this.element.dataset.ready);
    this.tires = this.element.dataset.tires === "exhaust";
    this.columns = new Map();
    for (const field of this.element.querySelectorAll(".column")) {
      const radios = Array.from(field.querySelectorAll("input"));
      if (radios.length) this.columns.set(field.dataset.column, { field, radios, state: field.dataset.state });
    }
    this.order = []; // columns in the order in which they were set
    this.targets = Array.from(this.element.querySelectorAll(".targets input"));
    this.panel = this.element.querySelector(".targets");
    this.button = root.querySelector("#send");
    this.reason = this.element.querySelector("#reason");
    this.first = this.reason.textContent;
    const own = this.board.querySelector(".cake-table").dataset.own;
    this.home = this.board.querySelector(`.home[data-home="${own}"]`);
    this.mice = Array.from(this.home?.querySelectorAll(".mouse[data-face=awake]") ?? []);
    this.slots = new Map(Array.from(this.board.querySelectorAll(".lane.mine .slot"), (slot) => [slot.dataset.column, slot]));
    this.listen();
    import("./drag.js").then(({ dragMice }) => dragMice(this)); // the first paint doesn't need it
  }

  // -- the choice --

  at(column) {
    const chosen = this.columns.get(column)?.radios.find((radio) => radio.checked);
    return chosen ? Number(chosen.value) : 0;
  }

  total() {
    return Array.from(this.columns.keys()).reduce((sum, column) => sum + this.at(column), 0);
  }

  target() {
    return this.targets.find((radio) => radio.checked && radio.value) ?? null;
  }

  crumb() {
    return Array.from(this.columns).find(([column, { state }]) => state === "crumb" && this.at(column) > 0)?.[0] ?? null;
  }

  chosen() {
    const counts = Object.fromEntries(Array.from(this.columns.keys(), (column) => [column, this.at(column)]));
    const isOpen = this.panel?.classList.contains("open") ?? false;
    return { counts, steal: this.target()?.value ?? "", order: this.order, isOpen };
  }

  restore({ counts, steal, order, isOpen }) {
    for (const [column, count] of Object.entries(counts)) this.check(column, count);
    for (const radio of this.targets) radio.checked = radio.value === steal;
    this.order = order.filter((column) => this.at(column));
    if (this.order.length) this.say(this.result(this.order.at(-1)));
    this.openTargets(isOpen); // the list of slices must not close because the opponent moves
  }

  check(column, count) {
    const radio = this.columns.get(column)?.radios[count];
    if (radio) radio.checked = true;
  }

  // Sets the number of mice at a column. Missing mice come from the columns that were set first.
  set(column, count, said = null) {
    if (!this.columns.has(column)) return;
    this.check(column, count);
    this.order = [...this.order.filter((other) => other !== column), ...(count ? [column] : [])];
    const taken = this.takeBack(column);
    this.show(said ?? (taken.length ? `${mice(taken.length)} from ${[...new Set(taken)].join(" and ")}. ` : "") + this.result(column));
    if (count && this.crumb() === column && !this.target()) this.openTargets(true);
  }

  takeBack(kept) {
    const taken = [];
    for (let over = this.total() - this.ready; over > 0; over -= 1) {
      const from = [...this.order, ...this.columns.keys()].find((column) => column !== kept && this.at(column));
      if (!from) break;
      this.check(from, this.at(from) - 1);
      taken.push(from);
    }
    this.order = this.order.filter((column) => this.at(column));
    return taken;
  }

  add(column, step = 1) {
    if (!this.columns.has(column)) return;
    if (step > 0 && this.total() >= this.ready) return this.say("All your mice are placed. Take one back first.");
    const count = this.at(column) + step;
    if (count >= 0) this.set(column, count);
  }

  // -- taps and keys --

  listen() {
    let before = null; // the radio that was checked when a press began
    const toggled = (event) => event.target.closest("label")?.querySelector("input[type=radio]") ?? null;
    this.element.addEventListener("pointerdown", (event) => (before = toggled(event)?.checked ? toggled(event) : null));
    this.element.addEventListener("change", ({ target }) => {
      if (target.name === "steal") {
        this.openTargets(false);
        this.showSteal();
        return this.show(this.result(this.crumb()));
      }
      this.set(target.name, Number(target.value));
    });
    this.element.addEventListener("click", (event) => {
      if (event.target !== before || before.name === "steal") return;
      before = null;
      this.set(event.target.name, 0);
    });
    this.element.querySelector(".close-targets")?.addEventListener("click", () => this.openTargets(false));
    this.element.addEventListener("pointerover", (event) => event.pointerType === "mouse" && this.showGhost(event.target.closest(".column")?.dataset.column));
    this.board.addEventListener("click", (event) => this.tapped(event));
    this.board.addEventListener("pointerover", (event) => event.pointerType === "mouse" && this.showGhost(event.target.closest("[data-column]")?.dataset.column));
    this.board.addEventListener("pointerleave", () => this.showGhost());
    this.listenToKeys();
    for (const slot of this.slots.values()) slot.classList.toggle("open-slot", this.columns.has(slot.dataset.column));
  }

  tapped(event) {
    const own = event.target.closest(".lane.mine .mouse[data-piece]");
    const column = event.target.closest("[data-column]")?.dataset.column;
    if (own && column) return this.add(column, -1);
    if (event.target.closest(".lane.far") || !column) return;
    this.add(column);
  }

  listenToKeys() {
    const listener = (event) => {
      if (!this.element.isConnected) return document.removeEventListener("keydown", listener);
      if (event.altKey || event.ctrlKey || event.metaKey || this.element.closest("[inert]")) return;
      if (event.target.closest("textarea, select, input:not([type=radio])")) return;
      const column = event.key.toUpperCase();
      if (this.columns.has(column)) {
        event.preventDefault();
        this.add(column, event.shiftKey ? -1 : 1);
      } else if (event.key === "Enter" && event.target.matches("input[type=radio]") && this.button.disabled) event.preventDefault();
    };
    document.addEventListener("keydown", listener);
  }

  openTargets(open) {
    this.panel?.classList.toggle("open", open);
    if (open) this.panel.querySelector("input[value]:not([value=''])")?.scrollIntoView({ block: "nearest" });
  }

  // -- display --

  say(words) {
    this.reason.textContent = words;
    this.reason.title = words;
  }

  show(words = null) {
    const left = this.ready - this.total();
    for (const [column, { radios, field }] of this.columns) {
      const spare = this.at(column) + Math.max(0, left);
      for (const radio of radios) radio.closest("label").classList.toggle("dim", Number(radio.value) > spare);
      field.classList.toggle("set", this.at(column) > 0);
      this.board.querySelector(`.cake-column[data-column="${column}"]`)?.classList.toggle("chosen", this.at(column) > 0);
    }
    this.showSteal();
    this.showMice();
    this.clearGhost();
    const missing = this.crumb() !== null && !this.target();
    this.button.disabled = left !== 0 || missing;
    this.button.textContent = this.verb(left, missing);
    if (words || this.total() === 0) this.say(words || this.first);
  }

  verb(left, missing) {
    if (left < 0) return `Take ${mice(-left)} back`;
    if (left > 0) return left === this.ready ? `Place ${mice(left)}` : `Place ${left} more ${left === 1 ? "mouse" : "mice"}`;
    return missing ? "Choose a slice to steal" : `Send ${mice(this.ready)}`;
  }

  // The column with the crumb shows what was chosen there.
  showSteal() {
    if (!this.crumb()) {
      for (const radio of this.targets) radio.checked = radio.value === "";
      this.openTargets(false);
    }
    const target = this.target();
    for (const { state, radios, field } of this.columns.values()) {
      if (state !== "crumb") continue;
      field.querySelector(".needs").textContent = target ? `Steal ${target.value}, ${target.dataset.needed} to take` : "Steal";
      const [take, tire] = ["take", "tire"].map((name) => target?.dataset[name].split(" ") ?? []);
      radios.slice(1).forEach((radio, n) => {
        radio.dataset.take = take[n] ?? "";
        radio.dataset.tire = tire[n] ?? "";
        radio.nextElementSibling.querySelector(".take").textContent = target ? `${take[n]}%` : "?";
      });
    }
  }

  result(column) {
    const count = column ? this.at(column) : 0;
    if (!count) return column ? `No mice to ${column}.` : this.first;
    const { take, tire, why } = this.columns.get(column).radios[count].dataset;
    const sent = `${mice(count)} to ${column}`;
    if (!take) return this.crumb() === column ? `${sent}: choose a slice to steal.` : `${sent}: the slice is turned up first.`;
    const cost = this.tires ? `, ${tire}% to tire` : "";
    return why ? `${sent}: ${take}% to take. ${why}` : `${sent}: ${take}% to take${cost}.`;
  }

  // Moves every mouse to its place. Those in the right column stay there.
  showMice() {
    const places = Array.from(this.columns.keys()).flatMap((column) => Array(this.at(column)).fill(column));
    const waiting = [];
    for (const mouse of this.mice) {
      const here = mouse.closest(".slot")?.dataset.column;
      if (here && places.includes(here)) places.splice(places.indexOf(here), 1);
      else waiting.push(mouse);
    }
    for (const mouse of waiting) {
      const column = places.shift();
      const to = column ? this.slots.get(column)?.querySelector(".mice") : this.home;
      if (to && mouse.parentElement !== to) walk(mouse, to);
    }
    for (const slot of this.slots.values()) slot.classList.toggle("held", slot.querySelector(".mouse[data-piece]") !== null);
  }

  showGhost(column) {
    this.clearGhost();
    const slot = this.slots.get(column);
    if (!slot || !this.columns.has(column) || !this.mice.length || this.total() >= this.ready) return;
    const ghost = this.mice[0].cloneNode(true);
    delete ghost.dataset.piece;
    ghost.classList.add("ghost");
    slot.querySelector(".mice").append(ghost);
    const chance = this.columns.get(column).radios[this.at(column) + 1]?.dataset.take;
    const tag = document.createElement("span");
    tag.className = "ghost-tag";
    tag.textContent = chance ? `${chance}%` : "?";
    slot.append(tag);
  }

  clearGhost() {
    for (const ghost of this.board.querySelectorAll(".ghost, .ghost-tag")) ghost.remove();
  }
}

function mice(count) {
  return count === 1 ? "1 mouse" : `${count} mice`;
}

function walk(mouse, to) {
  const from = mouse.getBoundingClientRect();
  to.append(mouse);
  const there = mouse.getBoundingClientRect();
  if (still() || !from.width || !there.width) return;
  const start = `translate(${from.left - there.left}px, ${from.top - there.top}px) scale(${from.width / there.width})`;
  mouse.animate([{ transform: start, transformOrigin: "0 0" }, { transform: "none", transformOrigin: "0 0" }], { duration: WALK, easing: "ease-out" });
}
