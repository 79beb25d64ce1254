// The program builder. The form fields hold the program, and this shows them as a strip of cards. The server computes
// what a program would do: the form is sent as a trial, and the returned path is drawn over the board.

import { fetchPage } from "../../js/page.js";

const PLACES = 5;
const WAIT = 120; // milliseconds from the last change to the trial
const SLIP = 7; // pixels that a pointer can move during a tap

export class Builder {
  constructor(root, element) {
    this.root = root;
    this.element = element;
    this.form = element.closest("form");
    this.strip = element.querySelector(".strip");
    this.brackets = element.querySelector(".brackets");
    this.inspector = element.querySelector(".inspector");
    this.trial = element.querySelector("#trial");
    this.run = element.querySelector("#send");
    this.announcer = element.querySelector("#said");
    this.mayDecline = element.dataset.mayDecline === "1";
    this.cards = new Map();
    for (const held of element.querySelectorAll(".held")) this.cards.set(held.dataset.card, held);
    this.steps = this.read();
    this.past = [];
    this.chosen = null;
    for (const without of element.querySelectorAll(".rows, .try")) without.hidden = true;
    this.form.addEventListener("submit", () => this.tryLater(false)); // a submitted program needs no trial
    this.listen();
    this.listenToKeys();
    this.listenToSwaps();
  }

  // -- the program and the form --

  field(name, n) {
    return this.form.elements[`${name}${n + 1}`];
  }

  read() {
    const steps = [];
    for (let n = 0; n < PLACES; n += 1) {
      const card = this.field("step", n).value;
      if (this.cards.has(card)) steps.push({ card, span: Number(this.field("span", n).value) || 0, decline: Boolean(this.field("decline", n)?.checked) });
    }
    return steps;
  }

  write() {
    for (let n = 0; n < PLACES; n += 1) {
      const step = this.steps[n];
      this.field("step", n).value = step?.card ?? "";
      this.field("span", n).value = step && this.kind(step) === "repeat" ? String(step.span || 1) : "";
      if (this.field("decline", n)) this.field("decline", n).checked = Boolean(step?.decline);
    }
  }

  restore(steps) {
    if (steps.every((step) => this.cards.has(step.card))) this.steps = steps;
  }

  kind(step) {
    return this.cards.get(step.card).dataset.kind;
  }

  live(step) {
    return this.cards.get(step.card).classList.contains("live");
  }

  name(step) {
    return this.cards.get(step.card).dataset.name;
  }

  // -- changes --

  change(steps, chosen, words) {
    this.past.push(this.steps);
    this.steps = this.fitted(steps);
    this.chosen = this.steps.includes(chosen) || chosen === null ? chosen : (this.steps.find((step) => step.card === chosen.card) ?? null);
    this.say(words);
    this.show();
  }

  // Returns the steps with their spans adjusted: at least one card, not beyond the end, and nested ones end inside.
  fitted(steps) {
    const ends = [];
    return steps.map((step, n) => {
      if (this.kind(step) !== "repeat") return step;
      const around = ends.filter((end) => end >= n);
      const most = Math.min(steps.length - 1, ...around) - n;
      const span = Math.max(1, Math.min(step.span || 1, most));
      ends.push(n + span);
      return span === step.span ? step : { ...step, span };
    });
  }

  add(card, at = this.steps.length) {
    if (this.steps.some((step) => step.card === card) || this.steps.length === PLACES) return;
    const step = { card, span: 0, decline: false };
    const steps = this.steps.toSpliced(at, 0, step);
    this.change(steps, step, `Added ${this.name(step)} as card ${at + 1}.`);
  }

  remove(n) {
    if (!this.steps[n]) return;
    const words = `Removed ${this.name(this.steps[n])}.`;
    this.change(this.steps.toSpliced(n, 1), null, words);
  }

  move(from, to) {
    if (to < 0 || to >= this.steps.length || from === to) return;
    const step = this.steps[from];
    this.change(this.steps.toSpliced(from, 1).toSpliced(to, 0, step), step, `Moved ${this.name(step)} to place ${to + 1}.`);
  }

  reach(n, span) {
    const step = { ...this.steps[n], span };
    const steps = this.fitted(this.steps.with(n, step));
    if (steps[n].span === this.steps[n].span) return;
    this.change(steps, steps[n], `${this.name(step)} repeats the next ${steps[n].span === 1 ? "card" : `${steps[n].span} cards`}.`);
  }

  decline(n) {
    const step = { ...this.steps[n], decline: !this.steps[n].decline };
    this.change(this.steps.with(n, step), step, `${this.name(step)} is ${step.decline ? "left unused" : "used"}.`);
  }

  undo() {
    if (!this.past.length) return;
    this.steps = this.past.pop();
    this.chosen = null;
    this.say("Undone.");
    this.show();
  }

  // -- taps and drags --

  listen() {
    for (const [card, held] of this.cards) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = held.className;
      Object.assign(button.dataset, held.dataset);
      button.append(...held.childNodes);
      held.className = "place";
      held.replaceChildren(button);
      this.cards.set(card, button);
      this.draggable(button, () => this.add(card), (at) => this.add(card, Math.min(at, this.steps.length)));
    }
    this.element.querySelector(".undo").addEventListener("click", () => this.undo());
    this.element.querySelector(".clear").addEventListener("click", () => this.change([], null, "The program is empty."));
  }

  // Calls `tapped` for a tap, and `dropped(at)` for a drag that ends over place `at` of the strip (-1: outside it).
  draggable(button, tapped, dropped) {
    let began = null;
    let ghost = null;
    button.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      began = { x: event.clientX, y: event.clientY };
      button.setPointerCapture(event.pointerId);
    });
    button.addEventListener("dragstart", (event) => event.preventDefault());
    button.addEventListener("pointermove", (event) => {
      if (!began) return;
      if (!ghost && Math.hypot(event.clientX - began.x, event.clientY - began.y) < SLIP) return;
      if (!ghost) {
        ghost = button.querySelector("svg").cloneNode(true);
        ghost.classList.add("dragged");
        document.body.append(ghost);
      }
      ghost.style.transform = `translate(${event.clientX}px, ${event.clientY}px) translate(-50%, -60%)`;
      this.aim(event);
    });
    const end = (event) => {
      if (ghost) {
        ghost.remove();
        this.aim(null);
        if (event.type === "pointerup") dropped(this.placeAt(event));
        button.dataset.moved = "";
        setTimeout(() => delete button.dataset.moved);
      }
      began = ghost = null;
    };
    button.addEventListener("pointerup", end);
    button.addEventListener("pointercancel", end);
    button.addEventListener("click", () => "moved" in button.dataset || tapped());
  }

  placeAt(event) {
    const box = this.strip.getBoundingClientRect();
    if (event.clientY < box.top - 30 || event.clientY > box.bottom + 30) return -1;
    return Array.from(this.strip.children).filter((slot) => {
      const { left, width } = slot.getBoundingClientRect();
      return event.clientX > left + width / 2;
    }).length;
  }

  aim(event) {
    const at = event ? this.placeAt(event) : -1;
    Array.from(this.strip.children).forEach((slot, n) => slot.classList.toggle("aimed", at >= 0 && n === Math.min(at, this.steps.length)));
  }

  listenToKeys() {
    const listener = (event) => {
      if (!this.element.isConnected) return document.removeEventListener("keydown", listener);
      if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("textarea, select, input:not([type=checkbox])")) return;
      const n = Array.from(this.strip.children).findIndex((slot) => slot.contains(event.target));
      if (this.key(event.key, n)) event.preventDefault();
    };
    document.addEventListener("keydown", listener);
  }

  // Handles a key pressed on place n of the strip, or elsewhere (-1). Returns whether it did anything.
  key(key, n) {
    const cards = Array.from(this.cards.keys());
    if (/^[1-5]$/.test(key) && cards[key - 1]) return this.add(cards[key - 1]), true;
    if (key === "Backspace" || key === "Delete") return this.remove(n >= 0 ? n : this.steps.length - 1), this.focus(n), true;
    if (n < 0 || !this.steps[n]) return false;
    if (key === "ArrowLeft") return this.move(n, n - 1), this.focus(Math.max(0, n - 1)), true;
    if (key === "ArrowRight") return this.move(n, n + 1), this.focus(Math.min(this.steps.length - 1, n + 1)), true;
    if ("+=-−".includes(key) && this.kind(this.steps[n]) === "repeat") {
      return this.reach(n, this.steps[n].span + ("+=".includes(key) ? 1 : -1)), this.focus(n), true;
    }
    return false;
  }

  focus(n) {
    if (n < 0) return;
    const slots = this.strip.querySelectorAll("button");
    (slots[Math.min(n, slots.length - 1)] ?? this.element.querySelector(".held"))?.focus();
  }

  // -- swapping --

  listenToSwaps() {
    const boxes = Array.from(this.element.querySelectorAll(".swap input"));
    const button = this.element.querySelector("#swap");
    const least = Math.max(1, Number(this.element.dataset.least));
    const count = () => {
      const marked = boxes.filter((box) => box.checked).length;
      for (const box of boxes) box.disabled = !box.checked && marked >= 3;
      button.disabled = marked < least;
      button.textContent = marked ? `Swap ${marked} ${marked === 1 ? "card" : "cards"}` : "Swap the selected cards";
    };
    for (const box of boxes) box.addEventListener("change", count);
    count();
  }

  // -- showing --

  say(words) {
    this.announcer.textContent = words;
  }

  show() {
    this.steps = this.fitted(this.steps);
    this.write();
    this.showStrip();
    this.showBrackets();
    this.showInspector();
    for (const [card, held] of this.cards) {
      const laid = this.steps.some((step) => step.card === card);
      held.classList.toggle("laid", laid);
      held.setAttribute("aria-pressed", String(laid));
    }
    const last = this.steps.at(-1);
    const bodyless = last && this.kind(last) === "repeat";
    this.run.disabled = !last || bodyless;
    this.run.textContent = bodyless ? "A Repeat needs a card after it" : "Run the program";
    this.element.querySelector(".undo").disabled = !this.past.length;
    this.element.querySelector(".clear").disabled = !last;
    this.tryLater(last && !bodyless);
  }

  showStrip() {
    const focused = Array.from(this.strip.children).findIndex((slot) => slot.contains(document.activeElement));
    const slots = Array.from({ length: PLACES }, (_, n) => (this.steps[n] ? this.slot(this.steps[n], n) : empty(n)));
    this.strip.replaceChildren(...slots);
    if (focused >= 0) this.focus(focused);
  }

  slot(step, n) {
    const place = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.className = `slot ${this.live(step) ? "live" : "dead"}`;
    if (step.decline) button.classList.add("unused");
    if (step === this.chosen) button.classList.add("chosen");
    button.setAttribute("aria-label", `Card ${n + 1}: ${this.name(step)}${this.kind(step) === "repeat" ? `, repeats the next ${step.span}` : ""}${step.decline ? ", left unused" : ""}`);
    button.append(this.cards.get(step.card).querySelector("svg").cloneNode(true));
    this.draggable(
      button,
      () => {
        this.chosen = step;
        this.showStrip();
        this.showInspector();
      },
      (at) => (at < 0 ? this.remove(n) : this.move(n, Math.min(at > n ? at - 1 : at, this.steps.length - 1))),
    );
    place.append(button);
    return place;
  }

  // Shows a bracket with a handle for each Repeat, spanning the cards that it repeats.
  showBrackets() {
    const ends = [];
    const drawn = this.steps.flatMap((step, n) => {
      if (this.kind(step) !== "repeat" || n === this.steps.length - 1) return [];
      const depth = ends.filter((end) => end > n).length;
      ends.push(n + step.span);
      return [this.bracket(step, n, depth)];
    });
    this.brackets.replaceChildren(...drawn);
  }

  bracket(step, n, depth) {
    const bracket = document.createElement("div");
    bracket.className = "bracket";
    bracket.style.gridColumn = `${n + 2} / span ${step.span}`;
    bracket.style.gridRow = `${depth + 1}`;
    bracket.textContent = `×${this.name(step).slice(-1)}`;
    const handle = document.createElement("span");
    handle.className = "handle";
    handle.addEventListener("pointerdown", (event) => handle.setPointerCapture(event.pointerId));
    handle.addEventListener("pointerup", (event) => this.reach(n, this.placeUnder(event) - n));
    bracket.append(handle);
    return bracket;
  }

  placeUnder(event) {
    const lefts = Array.from(this.strip.children, (slot) => slot.getBoundingClientRect().left);
    return lefts.filter((left) => left <= event.clientX).length - 1;
  }

  // Shows the tools for the chosen card.
  showInspector() {
    const n = this.steps.indexOf(this.chosen);
    this.inspector.hidden = n < 0;
    if (n < 0) return this.inspector.replaceChildren();
    const step = this.steps[n];
    const tools = [
      tool("◀", "Move left", n > 0, () => this.move(n, n - 1)),
      tool("▶", "Move right", n < this.steps.length - 1, () => this.move(n, n + 1)),
    ];
    if (this.kind(step) === "repeat") {
      const most = this.fitted(this.steps.with(n, { ...step, span: PLACES }))[n].span;
      tools.push(
        tool("−", "Repeat one fewer card", step.span > 1, () => this.reach(n, step.span - 1)),
        words(n === this.steps.length - 1 ? "repeats the next card you lay" : `repeats the next ${step.span}`),
        tool("+", "Repeat one more card", step.span < most, () => this.reach(n, step.span + 1)),
      );
    }
    if (this.kind(step) === "if" && this.mayDecline && (this.live(step) || step.decline)) tools.push(tool(step.decline ? "Use it" : "Leave it unused", "", true, () => this.decline(n)));
    tools.push(tool("✕", "Remove", true, () => this.remove(n)));
    this.inspector.replaceChildren(...tools);
  }

  // -- trying --

  tryLater(whole) {
    clearTimeout(this.timer);
    this.number = (this.number ?? 0) + 1;
    if (!whole) return this.showTrial(null);
    this.timer = setTimeout(() => this.tryOut(this.number), WAIT);
  }

  async tryOut(number) {
    if (!this.element.isConnected) return;
    const body = new URLSearchParams(new FormData(this.form));
    body.set("do", "try");
    let page;
    try {
      ({ page } = await fetchPage(this.form.action, { method: "POST", body }));
    } catch {
      return; // the program can be run without a trial
    }
    const same = page.getElementById("live")?.dataset.ply === this.root.dataset.ply;
    if (number === this.number && same && this.element.isConnected) this.showTrial(page);
  }

  showTrial(page) {
    const board = this.root.querySelector("#board svg");
    board?.querySelector(".ghost")?.remove();
    const [way, trial, refusal] = ["#board .ghost", "#trial", "#refusal p"].map((found) => page?.querySelector(found));
    if (way) board?.append(document.adoptNode(way));
    this.trial.className = trial?.className ?? "trial";
    this.trial.replaceChildren(...(refusal ? [document.adoptNode(refusal)] : Array.from(trial?.childNodes ?? [], (node) => document.adoptNode(node))));
    this.trial.classList.toggle("refused", Boolean(refusal));
  }
}

function empty(n) {
  const place = document.createElement("li");
  const slot = document.createElement("span");
  slot.className = "slot empty";
  slot.textContent = String(n + 1);
  place.append(slot);
  return place;
}

function tool(text, label, enabled, act) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button quiet";
  button.textContent = text;
  if (label) button.setAttribute("aria-label", label);
  button.disabled = !enabled;
  button.addEventListener("click", act);
  return button;
}

function words(text) {
  const shown = document.createElement("span");
  shown.textContent = text;
  return shown;
}
