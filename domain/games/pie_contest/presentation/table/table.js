// The Pie Contest table: cards, seats and Pies can be clicked in the picture.

import { spokenName } from "../../js/page.js";

export function setUp(root, kept) {
  listenToFilters(root);
  const svg = root.querySelector("#board svg");
  const form = svg && root.querySelector(".pie-form") ? new PieForm(root, svg) : null;
  if (form && kept) form.restore(kept);
  form?.show();
  return { keep: () => form?.chosen() ?? null };
}

// Filters the list of the Trash by kind of card.
function listenToFilters(root) {
  const list = root.querySelector("#trash");
  if (!list) return;
  for (const button of list.querySelectorAll("[data-filter]")) {
    button.addEventListener("click", () => {
      for (const other of list.querySelectorAll("[data-filter]")) other.setAttribute("aria-pressed", String(other === button));
      const filter = button.dataset.filter;
      for (const card of list.querySelectorAll("li")) card.hidden = Boolean(filter) && !card.dataset.filters.split(" ").includes(filter);
    });
  }
}

class PieForm {
  constructor(root, svg) {
    this.svg = svg;
    this.element = root.querySelector(".pie-form");
    this.inputs = Array.from(this.element.querySelectorAll("input[type=radio], input[type=checkbox]"));
    this.take = this.element.querySelector("#take");
    this.button = this.element.querySelector("#send");
    this.status = this.element.querySelector("#said");
    this.drops = Number(this.element.dataset.drops);
    this.spots = [];
    this.element.addEventListener("change", (event) => this.changed(event.target));
    this.svg.setAttribute("role", "group"); // role="img" would hide the buttons inside from screen readers
    this.listenToTable();
  }

  // -- selection --

  checked(name) {
    return this.inputs.find((input) => input.name === name && input.checked);
  }

  marked(prefix) {
    return this.inputs.filter((input) => input.type === "checkbox" && input.name.startsWith(prefix) && input.checked);
  }

  get diving() {
    return this.checked("choice")?.value === "dive";
  }

  chosen() {
    const controls = this.inputs.filter((input) => input.checked).map((input) => `${input.name}=${input.value}`);
    return { controls, take: this.take?.value ?? "" };
  }

  restore({ controls, take }) {
    for (const input of this.inputs) input.checked = controls.includes(`${input.name}=${input.value}`) && !input.disabled;
    if (this.take && Array.from(this.take.options).some((option) => option.value === take)) this.take.value = take;
  }

  // At the maximum number of selected cards, selecting another one deselects the first.
  changed(target) {
    if (target.type === "checkbox" && target.checked) {
      const most = Number(target.closest("[data-picks]")?.dataset.picks ?? this.drops);
      const marked = this.marked(target.name.split(":")[0] + ":").filter((input) => input !== target);
      if (marked.length >= most) marked[0].checked = false;
    }
    if (target === this.take && this.take.value && !this.diving) this.press(this.inputs.find((input) => input.value === "dive"));
    this.show();
  }

  press(input) {
    if (!input || input.disabled) return;
    input.checked = input.type === "radio" ? true : !input.checked;
    this.changed(input);
  }

  // -- clicks in the picture --

  listenToTable() {
    for (const spot of this.svg.querySelectorAll("[data-card]")) this.listenTo(spot, this.forCard(spot));
    for (const spot of this.svg.querySelectorAll("[data-pie]")) this.listenTo(spot, this.named("pick", `pie:${spot.dataset.pie}`));
    for (const spot of this.svg.querySelectorAll("[data-seat]")) {
      const { seat } = spot.dataset;
      this.listenTo(spot, [...this.named("pick", `seat:${seat}`), ...this.named("to", seat)]);
    }
    const trash = this.svg.querySelector("[data-zone=trash]");
    const dive = this.inputs.filter((input) => input.value === "dive" && !input.disabled);
    if (trash) this.listenTo(trash, dive, () => this.take?.focus());
  }

  named(name, value) {
    return this.inputs.filter((input) => input.name === name && input.value === value);
  }

  // Returns the inputs for a card. A card in the hand is played, or marked in a dive or trim. Others are answers.
  forCard(spot) {
    const { card, zone } = spot.dataset;
    const about = this.inputs.filter((input) => input.dataset.card === card || input.value === `ach:${card}`);
    return zone === "trash" ? [] : about.filter((input) => !input.disabled || input.name.startsWith("drop:"));
  }

  listenTo(spot, inputs, then) {
    if (!inputs.length) return;
    const pick = () => {
      this.press(this.meant(inputs));
      then?.();
    };
    spot.classList.add("pickable");
    spot.setAttribute("role", "button");
    spot.setAttribute("tabindex", "0");
    spot.setAttribute("aria-label", spokenName(spot, spot.querySelector("title")?.textContent ?? ""));
    spot.addEventListener("click", (event) => {
      event.stopPropagation(); // a Pie is drawn inside its seat
      pick();
    });
    spot.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      pick();
    });
    spot.append(ring(spot));
    this.spots.push([spot, inputs]);
  }

  // Returns the input that a click on a card selects.
  meant(inputs) {
    const drop = inputs.find((input) => input.name.startsWith("drop:"));
    if (drop && (this.diving || inputs.length === 1)) return drop;
    return inputs.find((input) => !input.name.startsWith("drop:") && !input.disabled) ?? (this.diving ? drop : undefined);
  }

  // -- display --

  show() {
    this.element.classList.toggle("diving", this.diving);
    for (const [spot, inputs] of this.spots) {
      const meant = inputs.filter((input) => this.element.dataset.phase !== "main" || !input.name.startsWith("drop:") || this.diving);
      const on = meant.some((input) => input.checked);
      spot.classList.toggle("picked", on);
      spot.setAttribute("aria-pressed", String(on));
    }
    const [text, ready] = this.prompt();
    this.button.disabled = !ready;
    if (this.button.textContent !== text) this.status.textContent = this.button.textContent = text;
  }

  // Returns the label of the button, and whether it is enabled.
  prompt() {
    if (this.element.dataset.phase === "trim") return this.trimPrompt();
    if (this.element.querySelector("input[type=hidden][name=choice][value=choose]")) return this.answerPrompt();
    const radio = this.checked("choice");
    if (!radio) return ["Choose a card", false];
    return this.diving ? this.divePrompt() : [radio.dataset.deed, true];
  }

  trimPrompt() {
    const marked = this.marked("drop:");
    const missing = this.drops - marked.length;
    return missing ? [`Choose ${missing} more to trash`, false] : [`Trash ${titles(marked)}`, true];
  }

  divePrompt() {
    const marked = this.marked("drop:");
    if (marked.length < 2) return [`Dive: choose ${marked.length ? "one more card" : "two cards"} to trash`, false];
    const taken = this.take.selectedOptions[0];
    if (!taken?.value) return [`Dive: trash ${titles(marked)}, then choose a card to take`, false];
    return [`Trash ${titles(marked)}, take ${taken.textContent}`, true];
  }

  answerPrompt() {
    const several = this.element.querySelector("[data-picks]");
    if (several) {
      const marked = this.marked("pick:");
      const missing = Number(several.dataset.picks) - marked.length;
      return missing ? [`Choose ${missing} more`, false] : [titles(marked), true];
    }
    const give = this.checked("give");
    if (!this.inputs.some((input) => input.name === "give")) {
      const pick = this.checked("pick");
      return pick ? [pick.dataset.title, true] : ["Choose an option", false];
    }
    const other = this.checked("get") ?? this.checked("to");
    if (!give) return ["Choose what to give", false];
    if (!other) return [`Give ${give.dataset.title}`, false];
    return [`Give ${give.dataset.title} ${other.name === "get" ? "for" : "to"} ${other.dataset.title}`, true];
  }
}

const titles = (inputs) => inputs.map((input) => input.dataset.title).join(" and ");

// Returns a frame that marks an element of the picture as selected or focused.
function ring(spot) {
  const box = spot.getBBox();
  const frame = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const place = { x: box.x, y: box.y, width: box.width, height: box.height, rx: 12, fill: "none", class: "ring", "pointer-events": "none" };
  for (const [name, value] of Object.entries(place)) frame.setAttribute(name, value);
  return frame;
}
