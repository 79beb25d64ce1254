// The large picture of a slice with what it is: on hover, on focus, and when a finger rests on it.

const REST = 300; // milliseconds that a pointer rests on a slice before its card opens
const ICING = "It is turned up when mice go for it, or when the slice in front of it is taken.";

const STARTS = ["pointerover", "pointerdown", "focusin", "keydown", "click"];

export class SliceCards {
  constructor(root) {
    this.board = root.querySelector("#board");
    this.dock = root.querySelector(".dock") ?? root;
    this.card = null;
    this.timer = 0;
    this.rested = false; // a finger has opened the card, so lifting it must not count as a tap
    for (const type of STARTS) this.board.addEventListener(type, (event) => this.begin(event), { capture: true });
    this.board.addEventListener("pointerout", (event) => event.pointerType === "mouse" && this.closeLater());
    this.board.addEventListener("focusout", () => this.closeLater());
    for (const type of ["pointerup", "pointercancel"]) this.board.addEventListener(type, () => clearTimeout(this.timer));
    this.board.addEventListener("contextmenu", (event) => event.target.closest(".slice") && event.preventDefault());
  }

  // Also called with the event that loaded this module.
  begin(event) {
    const slice = event.target.closest(".slice");
    const isMouse = event.pointerType === "mouse";
    if (event.type === "pointerover") isMouse && this.later(slice, false);
    else if (event.type === "pointerdown") isMouse || this.later(slice, true);
    else if (event.type === "focusin") slice?.matches(":focus-visible") && this.open(slice);
    else if (event.type === "keydown") this.walk(event);
    else this.tapped(event, slice);
  }

  // A tap on a slice that can't be chosen opens its card. One that was opened by resting a finger stays open.
  tapped(event, slice) {
    if (!slice) return this.close();
    if (this.rested) {
      this.rested = false;
      event.stopPropagation();
    } else if (!slice.closest(".cake-column.open")) this.open(slice);
  }

  walk(event) {
    const slice = event.target.closest(".cake .slice");
    if (event.key === "Escape") this.close();
    const step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
    if (!slice || !step) return;
    event.preventDefault();
    const next = this.neighbour(slice, step);
    if (!next) return;
    slice.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  neighbour(slice, [across, down]) {
    const here = slice.getBoundingClientRect();
    const ahead = (box) => across * (box.left - here.left) + down * (box.top - here.top);
    const aside = (box) => Math.abs(across ? box.top - here.top : box.left - here.left);
    return Array.from(this.board.querySelectorAll(".cake .slice"), (other) => [other, other.getBoundingClientRect()])
      .filter(([, box]) => ahead(box) > 4)
      .sort(([, one], [, other]) => ahead(one) + 2 * aside(one) - ahead(other) - 2 * aside(other))[0]?.[0];
  }

  later(slice, isTouch) {
    clearTimeout(this.timer);
    this.rested = false;
    if (!slice) return this.closeLater();
    this.timer = setTimeout(() => {
      this.rested = isTouch;
      this.open(slice);
    }, REST);
  }

  closeLater() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.card?.matches(":hover, :focus-within") || this.close(), REST);
  }

  close() {
    clearTimeout(this.timer);
    document.removeEventListener("pointerdown", this.outside, { capture: true });
    this.card?.remove();
    this.card = null;
  }

  rules(about) {
    return this.board.querySelector(".cake-table").dataset.rules + (about === "0-0" ? "#the-crumb" : "");
  }

  open(slice) {
    this.close();
    if (!slice.isConnected) return;
    const [, place, words] = /^([A-D][1-7]: )?(.*)$/s.exec(slice.getAttribute("aria-label"));
    this.card = document.createElement("section");
    this.card.className = "slice-card";
    this.card.setAttribute("aria-label", "About this slice");
    const picture = slice.querySelector("svg").cloneNode(true);
    const use = picture.querySelector("use");
    use?.setAttribute("href", use.getAttribute("href").replace("#biscuit-", "#slice-"));
    const sentences = words.split(/(?<=\.) /);
    if (slice.dataset.face === "iced") sentences.push(ICING);
    const lines = sentences.map((sentence, n) => line(n ? "p" : "b", n ? sentence : `${place ?? ""}${sentence}`));
    const rules = Object.assign(document.createElement("a"), { href: this.rules(slice.dataset.about), textContent: "Rules for this slice" });
    const text = document.createElement("div");
    text.append(...lines, rules);
    this.card.append(picture, text);
    this.card.addEventListener("pointerleave", () => this.closeLater());
    this.dock.append(this.card);
    this.outside = (event) => this.card?.contains(event.target) || this.close();
    document.addEventListener("pointerdown", this.outside, { capture: true });
  }
}

function line(tag, words) {
  return Object.assign(document.createElement(tag), { textContent: words });
}
