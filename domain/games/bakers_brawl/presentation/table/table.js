// The Baker's Brawl table: cards and cells can be clicked in the picture, and Orders highlight their cards on the board.

import { spokenName } from "../../js/page.js";

export function setUp(root, kept) {
  if (!root.querySelector("#board svg")) return { keep: () => null }; // the match has not started yet
  const board = new Board(root);
  const form = root.querySelector(".brawl-form") ? new BrawlForm(root, board) : null;
  if (form && kept) form.restore(kept);
  form?.show();
  showOrders(root, board);
  board.mark("fresh", Array.from(root.querySelectorAll(".deeds li"), cellsOf).flat());
  return { keep: () => form?.chosen() ?? null };
}

const cellsOf = (element) => (element.dataset.cells || "").split(" ").filter(Boolean);

// -- the picture --

class Board {
  constructor(root) {
    this.svg = root.querySelector("#board svg");
    this.hits = new Map(Array.from(this.svg.querySelectorAll(".cell-hit"), (hit) => [hit.dataset.cell, hit]));
  }

  // Mark exactly these cells.
  mark(name, cells) {
    for (const [cell, hit] of this.hits) hit.classList.toggle(name, cells.includes(cell));
  }

  words(cell) {
    return this.hits.get(cell).parentNode.querySelector("title").textContent;
  }

  // One cell can be reached by Tab, the others from there with the arrow keys.
  listen(empty, choose) {
    this.svg.setAttribute("role", "group"); // screen readers ignore the parts of an image, but this one has buttons
    for (const [cell, hit] of this.hits) {
      hit.setAttribute("role", "button");
      hit.setAttribute("aria-label", this.words(cell));
      hit.setAttribute("tabindex", "-1");
      if (!empty.includes(cell)) hit.setAttribute("aria-disabled", "true");
      else {
        hit.parentNode.classList.add("open");
        hit.addEventListener("click", () => choose(cell));
      }
      hit.addEventListener("keydown", (event) => this.key(event, cell, empty.includes(cell) ? choose : null));
    }
    this.hits.get(empty[0] ?? "A1").setAttribute("tabindex", "0");
  }

  key(event, cell, choose) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose?.(cell);
      return;
    }
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = String.fromCharCode(cell.charCodeAt(0) + step[0]) + (Number(cell.slice(1)) + step[1]);
    if (!this.hits.has(next)) return;
    this.hits.get(cell).setAttribute("tabindex", "-1");
    this.hits.get(next).setAttribute("tabindex", "0");
    this.hits.get(next).focus();
  }
}

// Highlight the cards of an Order while the pointer is on it, or until its button is pressed again.
function showOrders(root, board) {
  const lines = Array.from(root.querySelectorAll(".orders > li"));
  let pinned = [];
  for (const line of lines) {
    const button = line.querySelector(".show-part");
    const drawn = board.svg.querySelector(`.order[data-order="${line.dataset.order}"]`);
    const show = () => board.mark("lit", cellsOf(line));
    const hide = () => board.mark("lit", pinned);
    for (const spot of [line, drawn]) {
      spot?.addEventListener("pointerenter", show);
      spot?.addEventListener("pointerleave", hide);
    }
    const pin = () => {
      const press = button.getAttribute("aria-pressed") !== "true";
      for (const other of root.querySelectorAll(".show-part")) other.setAttribute("aria-pressed", "false");
      button.setAttribute("aria-pressed", String(press));
      pinned = press ? cellsOf(line) : [];
      board.mark("lit", pinned);
    };
    if (!button) continue;
    button.addEventListener("click", pin);
    drawn?.addEventListener("click", pin);
  }
}

// -- the form --

class BrawlForm {
  constructor(root, board) {
    this.board = board;
    this.element = root.querySelector(".brawl-form");
    this.actions = Array.from(this.element.querySelectorAll("input[name=choice]"));
    this.discards = Array.from(this.element.querySelectorAll("input[name=out]"));
    this.cells = this.element.querySelector("#cell");
    this.ways = Array.from(this.element.querySelectorAll(".completions li"));
    this.button = this.element.querySelector("#send");
    this.status = this.element.querySelector("#said");
    this.spots = [];
    this.element.addEventListener("change", () => this.show());
    if (this.cells) this.listenToCells();
    this.listenToCards();
    this.listenToWays();
  }

  // -- what is chosen --

  action() {
    return this.actions.find((radio) => radio.checked);
  }

  chosen() {
    const out = this.discards.find((radio) => radio.checked)?.value ?? "";
    return { action: this.action()?.value ?? "", cell: this.cells?.value ?? "", out };
  }

  restore({ action, cell, out }) {
    for (const radio of this.actions) radio.checked = radio.value === action;
    for (const radio of this.discards) radio.checked = radio.value === out;
    if (this.cells) this.cells.value = Array.from(this.cells.options).some((o) => o.value === cell) ? cell : "";
  }

  choose(value) {
    const radio = this.actions.find((found) => found.value === value);
    if (!radio) return;
    radio.checked = true;
    this.show();
  }

  // -- clicks --

  listenToCells() {
    const empty = Array.from(this.cells.options, (option) => option.value).filter(Boolean);
    this.board.listen(empty, (cell) => {
      this.cells.value = this.cells.value === cell ? "" : cell;
      this.show();
    });
    for (const [cell, hit] of this.board.hits) {
      hit.addEventListener("pointerenter", () => this.foresee(cell));
      hit.addEventListener("focus", () => this.foresee(cell));
      hit.addEventListener("pointerleave", () => this.foresee(this.cells.value));
    }
  }

  listenToCards() {
    const radioOf = { basics: "basic", hand: "hand", pantry: "pantry", drawn: "keep" };
    for (const card of this.board.svg.querySelectorAll("[data-zone][data-card]")) {
      const value = `${radioOf[card.dataset.zone]}:${card.dataset.card}`;
      const radio = this.actions.find((found) => found.value === value);
      const discard = card.dataset.zone === "pantry" && this.discards.find((found) => found.value === card.dataset.card);
      if (radio || discard) this.pickable(card, radio || discard, [radio || discard]);
    }
    const deck = this.board.svg.querySelector("[data-zone=deck]");
    const draws = ["draw", "blind"].flatMap((value) => this.actions.filter((radio) => radio.value === value));
    if (deck && draws.length) this.pickable(deck, null, draws);
  }

  // A card in the picture selects one radio button; the deck alternates between two.
  pickable(spot, radio, radios) {
    const pick = () => {
      const next = radios[(radios.findIndex((one) => one.checked) + 1) % radios.length];
      next.checked = true;
      this.show();
    };
    spot.classList.add("pickable");
    spot.setAttribute("role", "button");
    spot.setAttribute("tabindex", "0");
    const does = radio ? radio.closest("label").textContent.trim() : "Special deck: draw or play blind";
    spot.setAttribute("aria-label", spokenName(spot, does));
    spot.addEventListener("click", pick);
    spot.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      pick();
    });
    this.spots.push([spot, radios]);
  }

  listenToWays() {
    for (const way of this.ways) {
      way.addEventListener("click", () => {
        this.cells.value = way.dataset.cell;
        this.choose(way.dataset.action);
      });
      this.outlineOn(way);
    }
    for (const set of this.element.querySelectorAll(".set")) this.outlineOn(set);
  }

  outlineOn(element) {
    element.addEventListener("pointerenter", () => this.board.mark("part", cellsOf(element)));
    element.addEventListener("pointerleave", () => this.foresee(this.cells?.value));
  }

  // -- showing --

  show() {
    const { action, cell } = this.chosen();
    const radio = this.action();
    const places = radio?.hasAttribute("data-places");
    for (const [spot, radios] of this.spots) {
      spot.classList.toggle("picked", radios.some((one) => one.checked));
      spot.setAttribute("aria-pressed", String(radios.some((one) => one.checked)));
    }
    this.board.mark("chosen", cell ? [cell] : []);
    this.board.mark("would", this.ways.filter((way) => way.dataset.action === action).map((way) => way.dataset.cell));
    this.foresee(cell);
    this.button.disabled = !radio || (places && !cell);
    const words = this.prompt(radio, places, cell);
    if (this.button.textContent !== words) this.status.textContent = this.button.textContent = words;
  }

  // Outline the cards that the chosen card would use there, or those of the chosen set.
  foresee(cell) {
    const radio = this.action();
    const set = radio?.closest(".set");
    const ways = this.ways.filter((way) => way.dataset.action === radio?.value && way.dataset.cell === cell);
    for (const way of this.ways) way.classList.toggle("on", ways.includes(way));
    this.board.mark("part", set ? cellsOf(set) : ways.flatMap(cellsOf));
  }

  prompt(radio, places, cell) {
    if (!radio) return cell ? `Choose a card for ${cell}` : this.cells ? "Choose a card or the deck" : "Choose one";
    const deed = radio.dataset.deed;
    if (places && !cell) return `${deed}: choose an empty cell`;
    if (places) return `${deed} on ${cell}${this.completing(radio, cell)}`;
    const out = this.discards.find((one) => one.checked);
    return out?.dataset.name ? `${deed}, discard ${out.dataset.name}` : deed;
  }
  // The Orders that the chosen card would complete there. Blind cards have no preview.
  completing(radio, cell) {
    const ways = this.ways.filter((way) => way.dataset.action === radio.value && way.dataset.cell === cell);
    const names = new Set(ways.map((way) => way.dataset.name));
    return names.size ? ` to complete ${Array.from(names).join(" or ")}` : "";
  }
}
